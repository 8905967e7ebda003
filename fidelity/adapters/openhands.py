"""The editor tool of OpenHands."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import adapter

adapter.begin("openhands")
from importlib.metadata import version

from openhands_aci.editor.editor import OHEditor


def run(call):
    path = os.path.join(call["dir"], call.get("path", ""))
    editor = OHEditor()
    if call["form"] == "whole" and os.path.exists(path):
        return "cannot", ""  # its command create is for new files
    if call["form"] == "whole":
        done = editor(command="create", path=path, file_text=call["text"])
    elif call["form"] != "editor":
        return "cannot", ""
    elif "after" in call:
        done = editor(command="insert", path=path, insert_line=call["after"], new_str=call["text"])
    else:
        pair = call["pairs"][0]
        done = editor(command="str_replace", path=path, old_str=pair["old"], new_str=pair["new"])
    return ("refused", done.error) if done.error else ("applied", done.output or "")


adapter.serve("openhands-aci " + version("openhands-aci"), run)
