"""What adapters in Python share: the protocol of ../../README.md, and where tools are installed."""

import json
import logging
import os
import sys

CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")

out = sys.stdout


def begin(name):
    """Run the script again with the Python that has the tool, unless it is this one."""
    folder = os.path.join(CACHE, "redline-fidelity", name)
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        print(json.dumps({"name": name, "missing": f"{name} is not installed: run .ci/install-fidelity"}), flush=True)
        sys.exit(0)
    if os.path.realpath(sys.prefix) != os.path.realpath(folder):
        os.execv(python, [python, sys.argv[0]])
    here = os.path.dirname(os.path.abspath(sys.argv[0]))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]  # an adapter has its tool's name
    logging.disable()
    global out
    out = os.fdopen(os.dup(1), "w")  # the output is the protocol's, whatever a tool prints
    os.dup2(2, 1)


def serve(name, run):
    """Answer each call by run. What it raises is a refusal."""
    print(json.dumps({"name": name}), file=out, flush=True)
    for line in sys.stdin:
        try:
            said, message = run(json.loads(line))
        except Exception as e:
            said, message = "refused", str(e)
        print(json.dumps({"said": said, "message": message}), file=out, flush=True)
