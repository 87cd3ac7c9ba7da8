# cmake --install: headers, the static library and the package files. apps/
# installs the program.
include(CMakePackageConfigHelpers)

set(DPCOV_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/dpcov)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dpcov TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/schemas/record.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/dpcov)
install(TARGETS dpcov EXPORT dpcovTargets)
install(EXPORT dpcovTargets NAMESPACE dpcov:: DESTINATION ${DPCOV_PACKAGE_DIR})

configure_package_config_file(cmake/dpcovConfig.cmake.in ${PROJECT_BINARY_DIR}/dpcovConfig.cmake
                              INSTALL_DESTINATION ${DPCOV_PACKAGE_DIR}
                              NO_SET_AND_CHECK_MACRO)
# Below 1.0 a minor version may break the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dpcovConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dpcovConfig.cmake
              ${PROJECT_BINARY_DIR}/dpcovConfigVersion.cmake
        DESTINATION ${DPCOV_PACKAGE_DIR})
