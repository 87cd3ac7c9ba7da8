# cmake --install. Components: `runtime` (the program, a shared library), `development` (headers, package
# files, a static library) and, where it is asked for by its name, `lab`. apps/ and research/ install
# the programs. The licence goes with each of the first two.
include(CMakePackageConfigHelpers)

set(DPCOV_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/dpcov)

install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/dpcov TYPE INCLUDE COMPONENT development
  FILES_MATCHING PATTERN "*.hpp")
set(schemas audit budget derive ledger matrix methods moment plan record)
list(TRANSFORM schemas PREPEND ${PROJECT_SOURCE_DIR}/schemas/)
list(TRANSFORM schemas APPEND .schema.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/dpcov COMPONENT development)
foreach(component IN ITEMS runtime development)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/dpcov COMPONENT ${component})
endforeach()
install(
  TARGETS dpcov
  EXPORT dpcovTargets
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development)
install(EXPORT dpcovTargets NAMESPACE dpcov:: DESTINATION ${DPCOV_PACKAGE_DIR} COMPONENT development)

set(DPCOV_IS_SHARED ${BUILD_SHARED_LIBS})
configure_package_config_file(cmake/dpcovConfig.cmake.in ${PROJECT_BINARY_DIR}/dpcovConfig.cmake
                              INSTALL_DESTINATION ${DPCOV_PACKAGE_DIR}
                              NO_SET_AND_CHECK_MACRO)
# Below 1.0 a minor version may break the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dpcovConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dpcovConfig.cmake
              ${PROJECT_BINARY_DIR}/dpcovConfigVersion.cmake
        DESTINATION ${DPCOV_PACKAGE_DIR} COMPONENT development)

# For those who do not build with CMake. Found again wherever the tree is moved to.
set(pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH DPCOV_INCLUDES_OF_PC ${pc_folder} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(RELATIVE_PATH DPCOV_LIBRARIES_OF_PC ${pc_folder} ${CMAKE_INSTALL_FULL_LIBDIR})
set(DPCOV_PC_REQUIRES eigen3)
set(DPCOV_PC_REQUIRES_PRIVATE "zlib libsodium openblas mpfr >= 4 gmp libzip sqlite3 >= 3.37")
if(NOT BUILD_SHARED_LIBS)
  # Not --static: whoever links dpcov's archive links the others as they come.
  string(APPEND DPCOV_PC_REQUIRES " ${DPCOV_PC_REQUIRES_PRIVATE}")
  set(DPCOV_PC_REQUIRES_PRIVATE)
endif()
configure_file(cmake/dpcov.pc.in ${PROJECT_BINARY_DIR}/dpcov.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dpcov.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
