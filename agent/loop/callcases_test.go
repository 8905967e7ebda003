package loop_test

import "strings"

// The arguments of an edit that fixes sum.py, in several forms.
const (
	jsonArgs = `{"path": "sum.py", "old_string": "        out -= x", "new_string": "        out += x"}`
	jsonCall = `{"name": "edit_file", "arguments": ` + jsonArgs + `}`
	tagArgs  = "<path>sum.py</path>\n<search>        out -= x</search>\n<replace>        out += x</replace>\n"
	kwArgs   = `path="sum.py", old_string="        out -= x", new_string="        out += x"`
	inTags   = "<write_to_file>\n<path>sum.py</path>\n<content>\n" + mended + "</content>\n</write_to_file>\n"
)

func parameters(open, middle, end string) string {
	return open + "path" + middle + "sum.py" + end + open + "old_string" + middle + "        out -= x" + end + open + "new_string" + middle + "        out += x" + end
}

// callsInAnswers are tool calls written as text in an answer, in the forms of several
// models and programs, and lists of edits. Each is refused or ignored.
var callsInAnswers = []answer{
	{name: "a whole file in tags", text: inTags, want: refused, says: "a call of write_to_file of sum.py"},
	{name: "a whole file in tags behind words", text: "<thinking>It is wrong.</thinking>\n\nI write it.\n\n" + inTags + "\nThat is all.\n", want: refused, says: "Call the tool itself"},
	{name: "a whole file in tags in a fence", text: "```xml\n" + inTags + "```\n", want: refused, says: "write_to_file"},
	{name: "a new file in tags", text: "<write_to_file>\n<path>new.py</path>\n<content>\nx = 1\n</content>\n</write_to_file>", want: refused, says: "new.py"},
	{name: "a whole file in tags cut off", text: "<write_to_file>\n<path>sum.py</path>\n<content>\ndef total(xs):\n    out", want: refused, says: "write_to_file"},
	{name: "tags cut off before the path", text: "I write it.\n<write_to_file>\n<pa", finish: "length", want: refused, says: "of a file"},
	{name: "search and replace in tags", text: "<search_and_replace>\n" + tagArgs + "</search_and_replace>", want: refused, says: "search_and_replace"},
	{name: "an edit in tags", text: "<edit>\n" + tagArgs + "</edit>", want: refused, says: "a call of edit of sum.py"},
	{name: "an insertion in tags", text: "<insert_content>\n<path>sum.py</path>\n<line>1</line>\n<content>\nimport os\n</content>\n</insert_content>", want: refused, says: "insert_content"},
	{name: "two calls in tags", text: "<edit_file>\n" + tagArgs + "</edit_file>\n" + strings.ReplaceAll("<edit_file>\n"+tagArgs+"</edit_file>", "sum.py", "shop.py"), want: refused, says: "sum.py, shop.py"},
	{name: "function calls", text: "<function_calls>\n<invoke name=\"edit_file\">\n" + parameters(`<parameter name="`, `">`, "</parameter>\n") + "</invoke>\n</function_calls>", want: refused, says: "edit_file"},
	{name: "a function in tags", text: "<tool_call>\n<function=edit_file>\n" + parameters("<parameter=", ">\n", "\n</parameter>\n") + "</function>\n</tool_call>", want: refused, says: "edit_file"},
	{name: "keys and values in tags", text: "<tool_call>edit_file\n" + parameters("<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n") + "</tool_call>", want: refused, says: "edit_file"},
	{name: "a function with JSON", text: "<function=edit_file>" + jsonArgs + "</function>", want: refused, says: "edit_file"},
	{name: "tokens before a function", text: "<|tool_calls_section_begin|><|tool_call_begin|>functions.edit_file:0<|tool_call_argument_begin|>" + jsonArgs + "<|tool_call_end|>", want: refused, says: "edit_file"},
	{name: "a channel", text: "<|channel|>commentary to=functions.edit_file <|constrain|>json<|message|>" + jsonArgs + "<|call|>", want: refused, says: "edit_file"},
	{name: "tokens and a fence", text: "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>edit_file\n```json\n" + jsonArgs + "\n```<｜tool▁call▁end｜>", want: refused, says: "edit_file"},
	{name: "a call in Python behind a token", text: "<|python_tag|>edit_file(" + kwArgs + ")", want: refused, says: "edit_file"},
	{name: "a call in Python that is printed", text: "```tool_code\nprint(default_api.edit_file(" + kwArgs + "))\n```", want: refused, says: "edit_file"},
	{name: "a JSON call behind words", text: "I mend it.\n```json\n" + jsonCall + "\n```\n", want: refused, says: "a call of edit_file of sum.py"},
	{name: "a JSON call in a tag behind words", text: "I mend it.\n<tool_call>\n" + jsonCall + "\n</tool_call>\n", want: refused, says: "edit_file"},
	{name: "a JSON call of another tool", text: `[{"action": "tool", "tool": "replace_in_file", "args": ` + jsonArgs + `}, {"action": "final", "answer": "Done."}]`, want: refused, says: "replace_in_file"},
	{name: "a JSON call with its arguments in a string", text: "So:\n" + `{"name": "edit_file", "arguments": "{\"path\": \"sum.py\", \"old_string\": \"        out -= x\", \"new_string\": \"        out += x\"}"}`, want: refused, says: "edit_file"},
	{name: "a deletion in tags", text: "<delete_file>\n<path>old.txt</path>\n</delete_file>", want: refused, says: "a call of delete_file of old.txt"},
	{name: "a move in JSON", text: "I move it.\n" + `{"name": "rename_file", "arguments": {"path": "old.txt", "new_path": "new.txt"}}`, want: refused, says: "rename_file"},
	{name: "a new file in JSON that the user has named", message: " in new.py", text: "So:\n" + `{"name": "write_file", "arguments": {"path": "new.py", "content": "x = 1\n"}}`, want: refused, says: "new.py"},
	{name: "a list of edits", text: `[{"file": "sum.py", "search": "        out -= x", "replace": "        out += x"}]`, want: refused, says: "an edit of sum.py"},
	{name: "a list of edits under a file", text: "The edits:\n```json\n" + `{"path": "sum.py", "edits": [{"oldText": "        out -= x", "newText": "        out += x"}]}` + "\n```\n", want: refused, says: "an edit of sum.py"},
	{name: "a call in tags of another file after something was staged", first: stagesOther, text: inTags, want: refused, says: "sum.py"},
	{name: "another place in tags after something was staged", first: stagesSum, text: "<edit_file>\n<path>sum.py</path>\n<old_string>    return out</old_string>\n<new_string>    return +out</new_string>\n</edit_file>", want: refused, says: "sum.py"},
	{name: "a call in tags after one that was refused", first: calls("edit_file", `{"path":"sum.py","old_string":"nope","new_string":"x"}`), text: inTags, want: refused, says: "sum.py"},
	{name: "a block and a call in tags", text: "shop.py\n<<<<<<< SEARCH\nprint(total([1, 2]))\n=======\nprint(total([1]))\n>>>>>>> REPLACE\n\n" + inTags, want: refused, says: "sum.py", staged: true},

	{name: "tags in a sentence", text: "Cline would write `<write_to_file>` with a `<path>`, and so on.\n<write_to_file> is the name of its tool.\n", want: left},
	{name: "tags that are quoted", text: indented(inTags, "> "), want: left},
	{name: "tags of the user", message: "Is this right?\n" + inTags, text: "You wrote\n" + inTags + "It is.", want: left},
	{name: "tags in answer to a question", asks: true, text: inTags, want: left},
	{name: "a JSON call in answer to a question", asks: true, text: "So:\n" + jsonCall, want: left},
	{name: "a call in tags that tells of what was staged", first: stagesSum, text: "I made this call:\n" + inTags, want: left},
	{name: "an edit in tags that tells of what was staged", first: stagesSum, text: "I made this call:\n<edit_file>\n" + tagArgs + "</edit_file>\n", want: left},
	{name: "a JSON call that tells of what was staged", first: stagesSum, text: "I made this call:\n" + jsonCall, want: left},
	{name: "a call of a tool that looks", text: "<read_file>\n<path>sum.py</path>\n</read_file>", want: left},
	{name: "a list of edits of no file that there is", text: `{"edits": [{"path": "src/app.ts", "search": "a", "replace": "b"}]}`, want: left},
	{name: "a list of words", text: `{"file": "sum.py", "find": "nothing there", "replace": "b"}`, want: left},
	{name: "a new file in JSON that nobody has named", text: "You would write\n" + `{"name": "write_file", "arguments": {"path": "new.py", "content": "x = 1\n"}}`, want: left},
	{name: "a word for a tool in tags", text: "```xml\n<replace>\n<file>build.xml</file>\n</replace>\n```\n", want: left},
	{name: "a word for a tool in JSON", text: `{"name": "replace", "file": "sum.py", "search": "zzz", "replace": "b"}`, want: left},
	{name: "settings", text: "```json\n" + `{"files": ["sum.py"], "search": "out", "replace": true}` + "\n```\n", want: left},
	{name: "JSON of another kind", text: "```json\n" + `{"name": "sum", "path": "sum.py", "content": "text/x-python"}` + "\n```\n", want: left},
	{name: "HTML", text: "```html\n<form>\n<replace>\n<input name=\"path\" value=\"sum.py\">\n</form>\n```\n", want: left},
	{name: "Python that edits", text: "```python\nedit_file(path=\"sum.py\", old_string=\"a\", new_string=\"b\")\n```\n", want: left},
	{name: "a shell's sed", text: "```sh\nsed -i 's/-= x/+= x/' sum.py\n```\n", want: left},
}

// wholeFilesInAnswers are files written into an answer under their names. They are refused
// if a change was asked for and nothing is staged.
var wholeFilesInAnswers = []answer{
	{name: "a file under its name", develops: true, text: "sum.py\n```\n" + mended + "```\n", want: refused, says: "Your answer has the text of sum.py in a fence"},
	{name: "a file under its name in bold", develops: true, text: "It is this way:\n\n**`sum.py`**\n\n```python\n" + mended + "```\n", want: refused, says: "sum.py"},
	{name: "a file with its name in the fence", develops: true, text: "```python:sum.py\n" + mended + "```\n", want: refused, says: "sum.py"},
	{name: "a file with a line more", develops: true, text: "```python sum.py\nimport os\n\n" + answerFiles["sum.py"] + "```\n", want: refused, says: "sum.py"},
	{name: "a new file that the user has named", develops: true, message: " in hello.py", text: "hello.py\n```python\nprint('hi')\n```\n", want: refused, says: "hello.py"},

	{name: "a file under its name, no change asked for", text: "sum.py\n```\n" + mended + "```\n", want: left},
	{name: "a file as it is", develops: true, text: "sum.py\n```\n" + answerFiles["sum.py"] + "```\nNothing is wrong.\n", want: left},
	{name: "a file as it was shown", develops: true, first: looks("shop.py"), text: "shop.py\n```\n" + answerFiles["shop.py"] + "```\nNothing is wrong.\n", want: left},
	{name: "a part of a file", develops: true, text: "In sum.py:\n\nsum.py\n```python\n        out += x\n```\n", want: left},
	{name: "a file under no name", develops: true, text: "I would write\n```python\n" + mended + "```\n", want: left},
	{name: "a file after something was staged", develops: true, first: stagesSum, text: "sum.py\n```python\n" + mended + "    # end\n```\n", want: left},
	{name: "another file that nobody has named", develops: true, text: "You could have a setup.py:\n\nsetup.py\n```python\nx = 1\n```\n", want: left},
	{name: "what a program prints", develops: true, text: "sum.py\n```\n$ python sum.py\n3\n```\n", want: left},
}
