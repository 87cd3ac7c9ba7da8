"""python -m dpcov: the program."""

from _dpcov_program import main

main()
