# Run by ctest with -D BUILD_DIR, WORK_DIR, SOURCE_DIR, CONSUMER_DIR, GENERATOR, CXX_COMPILER, VERSION, KIND
# (shared or static), PROGRAM and HEADERS (whether each of them is compiled by itself). With WHOLE_BUILD, where
# all of dpcov was built, in place of BUILD_DIR: a build of the library alone is made here. What it would
# compile are, as the test shows, the very commands of the whole build, so it takes their objects.
cmake_policy(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(output_of result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

# get_commands(BUILD RESULT): how the sources of BUILD are compiled, with the folder left out, and with what is
# in them where it was made there.
function(get_commands build result)
  file(READ ${build}/compile_commands.json text)
  string(JSON count LENGTH "${text}")
  math(EXPR last "${count} - 1")
  set(commands)
  foreach(i RANGE ${last})
    string(JSON file GET "${text}" ${i} file)
    string(JSON command GET "${text}" ${i} command)
    set(made "")
    if(file MATCHES "^${build}/.*/Unity/")
      file(STRINGS ${file} includes REGEX "^#include")
      string(REPLACE ";" " " made "${includes}")
    endif()
    string(REPLACE "${build}/" "" command "${command} ${made}")
    list(APPEND commands "${command}")
  endforeach()
  set(${result} "${commands}" PARENT_SCOPE)
endfunction()

# What an earlier run left would hide a file that is no longer installed.
file(REMOVE_RECURSE ${WORK_DIR})
if(NOT BUILD_DIR)
  set(BUILD_DIR ${WORK_DIR}/library)
  set(options)
  load_cache(${WHOLE_BUILD} READ_WITH_PREFIX whole_ CMAKE_BUILD_TYPE CMAKE_UNITY_BUILD CMAKE_UNITY_BUILD_BATCH_SIZE
             CMAKE_CXX_FLAGS CMAKE_CXX_COMPILER_LAUNCHER DPCOV_WARNINGS_AS_ERRORS)
  foreach(option CMAKE_BUILD_TYPE CMAKE_UNITY_BUILD CMAKE_UNITY_BUILD_BATCH_SIZE CMAKE_CXX_FLAGS
                 CMAKE_CXX_COMPILER_LAUNCHER DPCOV_WARNINGS_AS_ERRORS)
    if(DEFINED whole_${option})
      list(APPEND options -D ${option}=${whole_${option}})
    endif()
  endforeach()
  run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE_DIR} -B ${BUILD_DIR} -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
      -D CMAKE_EXPORT_COMPILE_COMMANDS=ON ${options}
      -D DPCOV_BUILD_APPS=OFF -D DPCOV_BUILD_BENCHMARKS=OFF -D BUILD_TESTING=OFF)
  get_commands(${WHOLE_BUILD} of_whole)
  get_commands(${BUILD_DIR} of_library)
  foreach(command IN LISTS of_library)
    if(NOT command IN_LIST of_whole)
      message(FATAL_ERROR "the library alone is compiled otherwise: ${command}")
    endif()
    string(REGEX MATCH " -o ([^ ]+)" object "${command}")
    set(object ${CMAKE_MATCH_1})
    get_filename_component(folder ${BUILD_DIR}/${object} DIRECTORY)
    file(COPY ${WHOLE_BUILD}/${object} DESTINATION ${folder})
  endforeach()
  find_program(NINJA ninja REQUIRED)
  output_of(commands ${NINJA} -C ${BUILD_DIR} -t commands dpcov)
  string(REGEX REPLACE ".*\n" "" link "${commands}")
  execute_process(COMMAND sh -c "${link}" WORKING_DIRECTORY ${BUILD_DIR} COMMAND_ERROR_IS_FATAL ANY)
endif()

# Every file belongs to one component, and to the right one.
set(lists)
foreach(component IN ITEMS runtime development)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component ${component} --prefix ${WORK_DIR}/${component})
  file(GLOB_RECURSE files RELATIVE ${WORK_DIR}/${component} ${WORK_DIR}/${component}/*)
  set(${component} ${files})
  list(APPEND lists ${files})
endforeach()
foreach(file IN LISTS development)
  if(NOT file MATCHES "^include/dpcov/|/dpcov.*\\.cmake$|/pkgconfig/dpcov\\.pc$|/libdpcov\\.(a|so)$|^share/dpcov/.*\\.json$")
    message(FATAL_ERROR "who develops with dpcov has no use for ${file}")
  endif()
endforeach()
foreach(file IN LISTS runtime)
  if(NOT file MATCHES "^bin/dpcov$|/libdpcov\\.so\\.[0-9.]*$|^share/bash-completion/completions/dpcov$")
    message(FATAL_ERROR "who runs dpcov has no use for ${file}")
  endif()
endforeach()
set(prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
file(GLOB_RECURSE all RELATIVE ${prefix} ${prefix}/*)
list(FILTER all EXCLUDE REGEX "^dpcov/")  # the Python package, where it is built too
list(SORT all)
list(SORT lists)
if(NOT all STREQUAL lists)
  message(FATAL_ERROR "the components have other files than the whole: ${lists} and ${all}")
endif()

# Moved after installing: nothing in it may rely on where it was installed to.
file(RENAME ${prefix} ${WORK_DIR}/moved)
set(prefix ${WORK_DIR}/moved)
file(GLOB_RECURSE library ${prefix}/libdpcov.a ${prefix}/libdpcov.so)
get_filename_component(library_dir ${library} DIRECTORY)

# A package that names folders, the project's own or those of what it depends on, works here alone.
file(GLOB_RECURSE package_files ${prefix}/*.cmake ${prefix}/*.pc)
foreach(file IN LISTS package_files)
  file(READ ${file} text)
  # CMake's own way of finding the prefix knows the folder that it must not take for one.
  string(REGEX REPLACE "\"/(usr/)?lib[^\"]*\"" "" text "${text}")
  if(text MATCHES "[\"; =](/[a-z]+/[^\"; )\n]+)")
    message(FATAL_ERROR "${file} names ${CMAKE_MATCH_1}")
  endif()
endforeach()

# The interface and nothing else can be linked with.
if(KIND STREQUAL "shared")
  output_of(symbols nm -DC --defined-only ${library})
  if(NOT symbols MATCHES "dpcov::release\\(" OR symbols MATCHES " [A-Z] ([a-z ]* for )?dpcov::detail::[^\n]*")
    message(FATAL_ERROR "the shared library shows ${CMAKE_MATCH_0}")
  endif()
  output_of(described objdump -p ${library})
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" interface ${VERSION})
  if(NOT described MATCHES "SONAME +libdpcov\\.so\\.${interface}\n")
    message(FATAL_ERROR "the shared library is called otherwise: ${described}")
  endif()
elseif(NOT library MATCHES "\\.a$")
  message(FATAL_ERROR "installed as ${library}")
endif()

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER_DIR} -B ${WORK_DIR}/build
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
    -D CMAKE_PREFIX_PATH=${prefix} -D DPCOV_VERSION=${VERSION} -D HOW=find_package -D HEADERS=${HEADERS})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)

# Without CMake: by pkg-config.
set(ENV{PKG_CONFIG_PATH} ${library_dir}/pkgconfig)
output_of(said pkg-config --modversion dpcov)
if(NOT said STREQUAL VERSION)
  message(FATAL_ERROR "pkg-config knows version ${said}")
endif()
output_of(flags pkg-config --cflags dpcov)
output_of(libraries pkg-config --libs dpcov)
separate_arguments(flags)
separate_arguments(libraries)
run(${CXX_COMPILER} -std=c++20 ${flags} ${CONSUMER_DIR}/consumer.cpp -o ${WORK_DIR}/by_pkg_config ${libraries})
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library_dir} ${WORK_DIR}/by_pkg_config)
# With wider vectors than the library was built for, where the processor has them.
file(STRINGS /proc/cpuinfo has_avx2 REGEX "^flags.* avx2" LIMIT_COUNT 1)
if(has_avx2)
  run(${CXX_COMPILER} -std=c++20 -mavx2 ${flags} ${CONSUMER_DIR}/consumer.cpp -o ${WORK_DIR}/with_avx2 ${libraries})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library_dir} ${WORK_DIR}/with_avx2)
endif()

if(PROGRAM)
  output_of(said ${prefix}/bin/dpcov --version)
  string(FIND "${said}" "${VERSION}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "dpcov --version says '${said}', expected ${VERSION}")
  endif()
  # What only the laboratory needs is not asked of those who release matrices.
  output_of(needed ldd ${prefix}/bin/dpcov)
  if(NOT needed MATCHES "libopenblas" OR needed MATCHES "libicu|libarchive|libmurmurhash")
    message(FATAL_ERROR "dpcov needs:\n${needed}")
  endif()
endif()
