# Run by ctest with -D BUILD_DIR, WORK_DIR, CONSUMER_DIR, GENERATOR, CXX_COMPILER, VERSION, PROGRAM.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# What an earlier run left would hide a file that is no longer installed.
file(REMOVE_RECURSE ${WORK_DIR})
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

# Moved after installing: nothing in it may rely on where it was installed to.
file(RENAME ${prefix} ${WORK_DIR}/moved)
set(prefix ${WORK_DIR}/moved)

# A package that names the project's own folders works here and nowhere else.
get_filename_component(source_dir ${CONSUMER_DIR}/../../.. ABSOLUTE)
file(GLOB_RECURSE package_files ${prefix}/*.cmake)
foreach(file IN LISTS package_files)
  file(READ ${file} text)
  foreach(folder IN ITEMS ${source_dir} ${BUILD_DIR})
    string(FIND "${text}" "${folder}" position)
    if(NOT position EQUAL -1)
      message(FATAL_ERROR "${file} names ${folder}")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
    -D CMAKE_PREFIX_PATH=${prefix} -D DPCOV_VERSION=${VERSION} -D HOW=find_package)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)

if(PROGRAM)
  execute_process(COMMAND ${prefix}/bin/dpcov --version OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${said}" "${VERSION}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "dpcov --version says '${said}', expected ${VERSION}")
  endif()
  # What only the laboratory needs is not asked of those who release matrices.
  execute_process(COMMAND ldd ${prefix}/bin/dpcov OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT needed MATCHES "libopenblas" OR needed MATCHES "libicu|libarchive|libmurmurhash")
    message(FATAL_ERROR "dpcov needs:\n${needed}")
  endif()
endif()
