# All from Debian 12; scripts/setup.sh installs them. What the library links has its line in
# cmake/dpcovConfig.cmake.in too; headers that it includes where no consumer sees them have not.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_path(DPCOV_SPECTRA_INCLUDE_DIR Spectra/SymEigsSolver.h REQUIRED)  # headers on top of Eigen
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(DPCOV_SODIUM REQUIRED IMPORTED_TARGET libsodium)
# OpenBLAS brings LAPACK with it.
pkg_check_modules(DPCOV_OPENBLAS REQUIRED IMPORTED_TARGET openblas)
# MPFR stands on GMP; the samplers use GMP's integers as well.
pkg_check_modules(DPCOV_MPFR REQUIRED IMPORTED_TARGET mpfr>=4 gmp)
# Accounts that outlive a crash and may be shared by processes.
pkg_check_modules(DPCOV_SQLITE REQUIRED IMPORTED_TARGET sqlite3>=3.37) # STRICT tables
# Archives of arrays.
pkg_check_modules(DPCOV_LIBZIP REQUIRED IMPORTED_TARGET libzip)
# Headers only: quantiles of laws. From CMake 3.30 on by Boost's own package file.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)
endif()
find_package(Boost 1.74 REQUIRED)
# Headers only: matrices and records as JSON.
find_package(nlohmann_json REQUIRED)
