"""Loads the library, and with it OpenBLAS, before anything else of the package does."""

import os

# OpenBLAS reads this when it is loaded, which is now unless numpy has the same one. Its threads
# then sleep as soon as they have no work. As built, they look for work for a tenth of a second
# more, each on a core that others could use.
_variable = "OPENBLAS_THREAD_TIMEOUT"
_unset = _variable not in os.environ
if _unset:
    os.environ[_variable] = "12"  # 2^12 cycles of the processor's clock
try:
    from ._core import version as version
finally:
    if _unset:
        del os.environ[_variable]
