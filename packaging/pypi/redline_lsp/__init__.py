"""Starts Redline's program, which this package installs beside Python's scripts.

The program itself is the script `redline`. The script `redline-lsp` calls main, since
`uvx redline-lsp` runs what is called like the package.
"""

import importlib.metadata
import os
import sys


def find_program():
    """Returns the path of the program, from the list of files that were installed."""
    for file in importlib.metadata.files(__name__) or []:
        if file.name in ("redline", "redline.exe"):
            return os.path.abspath(file.locate())
    sys.exit("The program redline is not in the list of installed files: install redline-lsp again.")


def main():
    """Becomes the program. On Windows it runs the program, and ends with its status."""
    arguments = [find_program(), *sys.argv[1:]]
    try:
        if os.name == "nt":  # a process cannot become another one there
            run(arguments)
        become(arguments)
    except OSError as error:
        sys.exit(f"{arguments[0]} cannot be started: {error.strerror}. Install redline-lsp again.")


def become(arguments):
    import signal

    # Python ignores these two, and the program would too.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    os.execv(arguments[0], arguments)


def run(arguments):
    import signal
    import subprocess

    signal.signal(signal.SIGINT, lambda *_: None)  # the terminal sends Ctrl-C to the program too
    sys.exit(subprocess.call(arguments))
