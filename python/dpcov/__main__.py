"""python -m dpcov: the program."""

from ._program import main

main()
