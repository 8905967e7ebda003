"""aider's coders: they read edits in a model's answer and make them, as their own apply_updates does,
with yes as the answer to each question. Its diffs stand in a fence. Where some edits fail and the
others are made, the model reads both."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import adapter

adapter.begin("aider")
from importlib.metadata import version

from aider.coders import EditBlockCoder, PatchCoder, UnifiedDiffCoder, WholeFileCoder
from aider.io import InputOutput
from aider.models import Model

CODERS = {"blocks": EditBlockCoder, "unified": UnifiedDiffCoder, "begin-patch": PatchCoder, "whole": WholeFileCoder}
MODEL = Model("gpt-4o")


def run(call):
    coder_of = CODERS.get(call["form"])
    if coder_of is None or call["form"] == "whole" and call["text"].startswith("```"):
        return "cannot", ""  # its whole files stand in a fence always
    os.chdir(call["dir"])
    names = [os.path.join(folder, name) for folder, _, files in os.walk(call["dir"]) for name in files]
    io = InputOutput(pretty=False, yes=True, input_history_file=None, chat_history_file=None, fancy_input=False)
    errors, warnings = [], []
    io.tool_error = lambda message="", strip=True: errors.append(str(message))
    io.tool_warning = lambda message="", strip=True: warnings.append(str(message))
    coder = coder_of(MODEL, io, fnames=names, use_git=False, auto_commits=False, map_tokens=0, stream=False)
    coder.root = call["dir"]  # as in a repository
    coder.abs_root_path_cache = {}
    text = call["text"]
    if call["form"] == "whole":
        text = call["path"] + "\n```\n" + text + ("" if text.endswith("\n") else "\n") + "```\n"
    elif call["form"] == "unified":
        text = text if "```diff" in text else "```diff\n" + text + "```\n"
    coder.partial_response_content = text
    edits = coder.get_edits()
    edits = coder.apply_edits_dry_run(edits)
    edits = coder.prepare_to_edit(edits)
    try:
        coder.apply_edits(edits)
    except ValueError as e:
        return ("partly" if "successfully" in str(e) else "refused"), str(e)
    if not edits:
        return "refused", "there is no edit in the answer " + " ".join(errors + warnings)
    return ("refused" if errors else "applied"), "\n".join(errors + warnings)


adapter.serve("aider " + version("aider-chat"), run)
