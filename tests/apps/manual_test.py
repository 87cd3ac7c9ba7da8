"""The manual page has the commands and exit statuses of the help, and no options that there are not.

manual_test.py PROGRAM PAGE
"""

import re
import subprocess
import sys


def help_of(*command: str) -> str:
    return subprocess.run(
        [sys.argv[1], *command, "--help"], capture_output=True, text=True, check=True
    ).stdout


def main() -> int:
    with open(sys.argv[2]) as file:
        page = file.read()
    told = help_of()
    commands = re.findall(
        r"^  (\w+)  ", told.split("Subcommands:")[1].split("Examples:")[0], re.MULTILINE
    )
    statuses = re.findall(r"(?<=[:;])\s+(\d)\s", told.split("Exit status")[1])
    options = set(
        re.findall(r"--([a-z-]+)", "".join(map(help_of, [c for c in commands if c != "help"])))
    )
    faults = []
    if sorted(commands) != sorted(re.findall(r"^\.It Cm (\w+)$", page, re.MULTILINE)):
        faults.append(f"the commands are {commands}")
    if len(commands) < 9 or statuses != re.findall(r"^\.It (\d)$", page, re.MULTILINE):
        faults.append(f"the exit statuses are {statuses}")
    named = set(re.findall(r"(?<![-\w])--([a-z-]+)|Fl Fl ([a-z-]+)", page))
    for option in sorted({one or other for one, other in named} - options - {"help"}):
        faults.append(f"there is no option --{option}")
    if len(named) < 4:
        faults.append("the page names no options")
    print(
        "\n".join(faults)
        or f"{len(commands)} commands, {len(statuses)} statuses, {len(named)} options"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
