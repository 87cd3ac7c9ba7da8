# Flags shared by every target of the project (not by its consumers): link dpcov_options.
add_library(dpcov_options INTERFACE)
target_compile_features(dpcov_options INTERFACE cxx_std_20)
target_compile_options(
  dpcov_options
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            # Where several sources are compiled as one, what one calls d is another's parameter.
            $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>
            $<$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<CXX_COMPILER_ID:GNU>>:-Wshadow=local>
            # And GCC collects its garbage less often: memory for time.
            $<$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-expand=400>
            $<$<AND:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-heapsize=1000000>
            # One row must map to the same integers whatever the compiler: no fused multiply-add
            # that the source does not ask for.
            -ffp-contract=off
            # Behind what the builder asks for, -Ofast for example. A program that GCC links with that
            # takes denormals for zeros all the same (docs/privacy.md says what that changes).
            -fno-fast-math
            -fstack-protector-strong)
if(DPCOV_WARNINGS_AS_ERRORS)
  target_compile_options(dpcov_options INTERFACE -Werror)
endif()

# What runs once, or waits for the library: commands, their options, the laboratory. At -O1 it
# compiles in half the time of -O3. Link it after dpcov_options.
add_library(dpcov_lightly_optimised INTERFACE)
target_compile_options(
  dpcov_lightly_optimised
  INTERFACE $<$<CONFIG:Release>:-O1>
            # GCC 12 takes Eigen's vectors that are made from lists for uninitialised at this level.
            $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)

if(DPCOV_SANITIZE)
  target_compile_options(dpcov_options INTERFACE -fsanitize=${DPCOV_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(dpcov_options INTERFACE -fsanitize=${DPCOV_SANITIZE})
  target_compile_definitions(dpcov_options INTERFACE DPCOV_SANITIZED)
  if(DPCOV_SANITIZE STREQUAL "address,undefined")
    # AddressSanitizer sees what comes of these, and they are a seventh of the compile time.
    target_compile_options(dpcov_options INTERFACE -fno-sanitize=null,object-size)
  endif()
else()
  # Hardening. Fortified libc calls need an optimising build and get in a sanitizer's way; who builds
  # may ask for more of them. The linker's is not for programs of a project that has dpcov inside.
  if(NOT CMAKE_CXX_FLAGS MATCHES "_FORTIFY_SOURCE")
    target_compile_options(dpcov_options
                           INTERFACE $<$<CONFIG:Release>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>)
  endif()
  add_link_options(-Wl,-z,relro,-z,now)
endif()

# Position independent: executables at random addresses, and a static library that a Python module
# can be linked from.
if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    # It fails where it may not write its cache, as for a user without a home.
    set(trial ${PROJECT_BINARY_DIR}/CMakeFiles/ccache_trial)
    file(WRITE ${trial}.cpp "")
    execute_process(COMMAND ${CCACHE_PROGRAM} ${CMAKE_CXX_COMPILER} -c ${trial}.cpp -o ${trial}.o
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
    endif()
  endif()
endif()
