package loop_test

import "strings"

// answerFiles are the files of the workspace of the answers.
var answerFiles = map[string]string{
	"sum.py":     "def total(xs):\n    out = 0\n    for x in xs:\n        out -= x\n    return out\n",
	"shop.py":    "from sum import total\n\nprint(total([1, 2]))\n",
	"docs.md":    "Merging\n=======\n\nA conflict looks so:\n\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> branch\n",
	"old.txt":    "gone\n",
	"fix.diff":   "--- a/sum.py\n+++ b/sum.py\n@@ -1,5 +1,5 @@\n def total(xs):\n     out = 0\n     for x in xs:\n-        out -= x\n+        out += x\n     return out\n",
	"format.md":  "Write edits so:\n\npath/to/file\n<<<<<<< SEARCH\nthe text\n=======\nthe new text\n>>>>>>> REPLACE\n",
	"patches.md": "*** Begin Patch\n*** Update File: sum.py\n-    out = 0\n+    out = 1\n*** End Patch\n",
}

// The outcomes of an answer: its edits are staged, or refused to the model, or ignored.
const (
	taken   = "taken"
	refused = "refused"
	left    = "left"
)

// answer is a case: an answer and its outcome.
type answer struct {
	name, text, want string
	says             string // a part of the message to the model about a refused one
	asks             bool   // the message is a question
	develops         bool   // the message asks for a change
	message          string // the user's message
	first            turn   // a reply before it
	finish           string // of the answer; "stop"
	staged           bool   // a part of one that is refused is staged: sum.py, mended
	file, is         string // a file, and its content after a staged answer; default: sum.py, fixed
}

const (
	mended = "def total(xs):\n    out = 0\n    for x in xs:\n        out += x\n    return out\n"
	block  = "<<<<<<< SEARCH\n        out -= x\n=======\n        out += x\n>>>>>>> REPLACE\n"
	begun  = "*** Begin Patch\n*** Update File: sum.py\n@@\n     for x in xs:\n-        out -= x\n+        out += x\n*** End Patch\n"
	diff   = "--- a/sum.py\n+++ b/sum.py\n@@ -3,3 +3,3 @@\n     for x in xs:\n-        out -= x\n+        out += x\n     return out\n"
)

func marked(opens, divides, ends string) string {
	return "sum.py\n" + opens + "\n        out -= x\n" + divides + "\n        out += x\n" + ends + "\n"
}

func indented(text string, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}

// staging returns a reply whose call fixes sum.py, or writes another file.
var (
	stagesSum   = calls("edit_file", `{"path":"sum.py","old_string":"        out -= x","new_string":"        out += x"}`)
	stagesOther = calls("write_file", `{"path":"new.txt","content":"x\n"}`)
	looks       = func(path string) turn { return calls("read_file", `{"path":"`+path+`"}`) }
)

// blocksInAnswers are search/replace blocks.
var blocksInAnswers = []answer{
	{name: "block", text: "I mend it.\n\nsum.py\n" + block, want: taken},
	{name: "block in a fence", text: "sum.py\n```python\n" + block + "```\nThat is all.\n", want: taken},
	{name: "block with the path in its fence", text: "```python sum.py\n" + block + "```\n", want: taken},
	{name: "block in a list", text: "1. In the sum:\n\n   sum.py\n   ```python\n" + indented(block, "   ") + "   ```\n", want: taken},
	{name: "opener with a bracket", text: marked("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE"), want: taken},
	{name: "both with a bracket", text: marked("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE>"), want: taken},
	{name: "six signs", text: marked("<<<<<< SEARCH", "======", ">>>>>> REPLACE"), want: taken},
	{name: "eight signs", text: marked("<<<<<<<< SEARCH", "========", ">>>>>>>> REPLACE"), want: taken},
	{name: "twelve signs", text: marked("<<<<<<<<<<<< SEARCH", "============", ">>>>>>>>>>>> REPLACE"), want: taken},
	{name: "signs of each count", text: marked("<<<<<<< SEARCH", "======", ">>>>>>>> REPLACE"), want: taken},
	{name: "dashes and plus signs", text: marked("------- SEARCH", "=======", "+++++++ REPLACE"), want: taken},
	{name: "original and updated", text: marked("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"), want: taken},
	{name: "glued", text: marked("<<<<<<<SEARCH", "=======", ">>>>>>>REPLACE"), want: taken},
	{name: "the path in a tag", text: "<replace_in_file>\n<path>sum.py</path>\n<diff>\n" + marked("------- SEARCH", "=======", "+++++++ REPLACE")[7:] + "</diff>\n</replace_in_file>\n", want: taken},
	{name: "the path in a tag, two tags below", text: "<apply_diff>\n<args>\n<file>\n<path>sum.py</path>\n<diff>\n<content>\n" + block + "</content>\n<start_line>4</start_line>\n</diff>\n</file>\n</args>\n</apply_diff>\n", want: taken},
	{name: "the number of its line in it", text: "<apply_diff>\n<path>sum.py</path>\n<diff>\n" + strings.Replace(block, "SEARCH\n", "SEARCH\n:start_line:4\n-------\n", 1) + "</diff>\n</apply_diff>\n", want: taken},
	{name: "the numbers of its lines in it", text: "sum.py\n" + strings.Replace(block, "SEARCH\n", "SEARCH\n:start_line: 4\n:end_line: 4\n-------\n", 1), want: taken},
	{name: "the path in a comment above", text: "```python\n# sum.py\n" + block + "```\n", want: taken},
	{name: "the path in a comment of another language", text: "```js\n// sum.py\n" + block + "```\n", want: taken},
	{name: "the path in a comment of HTML", text: "```html\n<!-- sum.py -->\n" + block + "```\n", want: taken},
	{name: "the path in a comment of C", text: "```c\n/* sum.py */\n" + block + "```\n", want: taken},
	{name: "the path in a tag, told after it was staged", first: stagesSum, text: "I did\n<replace_in_file>\n<path>sum.py</path>\n<diff>\n" + block + "</diff>\n</replace_in_file>\n", want: left},
	{name: "words in a comment above", text: "```js\n// change sum.py\n// and shop.py\n" + block + "```\n", want: refused, says: "it is not clear which file"},
	{name: "dashes below the first mark, without a number", text: "sum.py\n" + strings.Replace(block, "SEARCH\n", "SEARCH\n-------\n", 1), want: refused, says: "not found"},
	{name: "a new file", text: "new.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n", want: taken, file: "new.py", is: "x = 1\n"},
	{name: "two files", text: "sum.py\n" + block + "\nshop.py\n<<<<<<< SEARCH\nprint(total([1, 2]))\n=======\nprint(total([1]))\n>>>>>>> REPLACE\n", want: taken, file: "shop.py", is: "from sum import total\n\nprint(total([1]))\n"},
	{name: "a conflict explained beside it", text: "Git writes\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```\nI mend the sum.\n\nsum.py\n" + block, want: taken},
	{name: "a file with a conflict", text: "docs.md\n------- SEARCH\nA conflict looks so:\n=======\nThis is a conflict:\n+++++++ REPLACE\n", want: taken, file: "docs.md", is: strings.Replace(answerFiles["docs.md"], "A conflict looks so:", "This is a conflict:", 1)},

	{name: "cut off in the new text", text: "sum.py\n<<<<<<< SEARCH\n        out -= x\n=======\n        out +=", want: refused, says: "cut off"},
	{name: "cut off before the divider", text: "sum.py\n```python\n<<<<<<< SEARCH\n        out -= x\n", want: refused, says: "cut off"},
	{name: "cut off before the divider, no fence", text: "sum.py\n<<<<<<< SEARCH\n        out -=", want: refused, says: "cut off"},
	{name: "cut off before the divider, in a fence that ends", text: "sum.py\n```python\n<<<<<<< SEARCH\n        out -= x\n```\n", want: refused, says: "has no end"},
	{name: "cut off before the divider, in a fence that ends, no file", text: "I mend it:\n```python\n<<<<<<< SEARCH\n        out -= x\n```\nDone.\n", want: refused, says: "no file is named"},
	{name: "cut off before the divider, no file", text: "I mend it:\n\n<<<<<<< SEARCH\n        out -= x\n", want: refused, says: "cut off"},
	{name: "no divider and no end, before a whole one", text: "shop.py\n<<<<<<< SEARCH\nprint(total([1, 2]))\n\nsum.py\n" + block, want: refused, says: "has no end", staged: true},
	{name: "no divider and no end in a fence, before a whole one", text: "shop.py\n```python\n<<<<<<< SEARCH\nprint(total([1, 2]))\n```\n\nsum.py\n" + block, want: refused, says: "has no end", staged: true},
	{name: "no divider, before a whole one", text: "shop.py\n<<<<<<< SEARCH\nprint(total([1, 2]))\n>>>>>>> REPLACE\n\nsum.py\n" + block, want: refused, says: "no line =======", staged: true},
	{name: "no file, before a whole one", text: "The shop:\n\n<<<<<<< SEARCH\nprint(total([1, 2]))\n=======\nprint(1)\n>>>>>>> REPLACE\n\nsum.py\n" + block, want: refused, says: "no file is named", staged: true},
	{name: "cut off behind a whole one", text: "sum.py\n" + block + "shop.py\n<<<<<<< SEARCH\nprint(total([1, 2]))\n=======\npri", want: refused, says: "The edit of shop.py at the end of your answer is cut off", staged: true},
	{name: "a malformed one behind a whole one", text: "sum.py\n" + block + "\nshop.py\n<<<<<<< SEARCH\nprint(total([1, 2]))\n======= x\nprint(1)\n>>>>>>> REPLACE\n", want: refused, says: "no line =======", staged: true},
	{name: "no end mark and words behind", text: "sum.py\n```\n<<<<<<< SEARCH\n        out -= x\n=======\n        out += x\n```\nDone.\n", want: refused, says: "has no end"},
	{name: "no divider", text: "sum.py\n<<<<<<< SEARCH\n        out -= x\n        out += x\n>>>>>>> REPLACE\n", want: refused, says: "no line ======="},
	{name: "a divider with words", text: marked("<<<<<<< SEARCH", "======= new", ">>>>>>> REPLACE"), want: refused, says: "no line ======="},
	{name: "words behind the opener", text: marked("<<<<<<< SEARCH (line 4)", "=======", ">>>>>>> REPLACE"), want: refused, says: "<<<<<<< SEARCH (line 4)"},
	{name: "a path behind the opener", text: "<<<<<<< SEARCH sum.py\n        out -= x\n=======\n        out += x\n>>>>>>> REPLACE\n", want: refused, says: "the path stands on the line above"},
	{name: "small letters", text: marked("<<<<<<< search", "=======", ">>>>>>> replace"), want: refused, says: "no mark of a block"},
	{name: "three signs", text: marked("<<< SEARCH", "===", ">>> REPLACE"), want: refused, says: "no mark of a block"},
	{name: "blanks before the marks", text: marked("  <<<<<<< SEARCH", "  =======", "  >>>>>>> REPLACE"), want: refused, says: "Each mark begins its line"},
	{name: "a blank before the last mark", text: marked("<<<<<<< SEARCH", "=======", " >>>>>>> REPLACE"), want: refused, says: "has no end"},
	{name: "no opener", text: marked("sum", "=======", ">>>>>>> REPLACE"), want: refused, says: "mark"},
	{name: "another opener", text: marked("<<<<<<< FIND", "=======", ">>>>>>> REPLACE"), want: refused, says: "mark"},
	{name: "a mark too many", text: "sum.py\n" + block + ">>>>>>> REPLACE\n", want: refused, says: "mark"},
	{name: "no file", text: "I mend it.\n\n" + block, want: refused, says: "no file is named"},
	{name: "text that is not there", text: "sum.py\n" + strings.Replace(block, "out -= x", "out *= x", 1), want: refused, says: "sum.py"},
	{name: "a file that is not there", text: "gone.py\n" + block, want: refused, says: "gone.py"},
	{name: "cut off by the limit", text: "sum.py\n<<<<<<< SEARCH\n        out -= x\n=======\n        out += x\n", finish: "length", want: refused, says: "cut off"},

	{name: "a conflict explained", text: "Git writes marks:\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```\n\nKeep one side, then `git add`.", want: left},
	{name: "a conflict of a stash", text: "<<<<<<< Updated upstream\na\n||||||| Stash base\nc\n=======\nb\n>>>>>>> Stashed changes\n", want: left},
	{name: "bare marks", text: "<<<<<<<\na\n=======\nb\n>>>>>>>\n", want: left},
	{name: "titles", text: "Sum\n=======\n\nIt adds.\n\nShop\n-------\n\nIt sells.\n\n=======\n", want: left},
	{name: "marks in a sentence", text: "A block begins with `<<<<<<< SEARCH`, then comes `=======` and at last `>>>>>>> REPLACE`.\n", want: left},
	{name: "marks in a list", text: "- `<<<<<<< SEARCH`\n- `=======`\n- `>>>>>>> REPLACE`\n", want: left},
	{name: "a quoted block", text: "You wrote\n> sum.py\n> <<<<<<< SEARCH\n> a\n> =======\n> b\n> >>>>>>> REPLACE\n", want: left},
	{name: "an opener alone", text: "The first line is\n\n```\n<<<<<<< SEARCH\n```\n\nand so on.\n", want: left},
	{name: "an opener in a sentence", text: "It begins with the line\n\n<<<<<<< SEARCH\n\nand the text follows.\n", want: left},
	{name: "a block out of a file", first: looks("format.md"), text: "It says:\n```\npath/to/file\n<<<<<<< SEARCH\nthe text\n=======\nthe new text\n>>>>>>> REPLACE\n```\n", want: left},
	{name: "the user's own block", message: "Is this right?\nsum.py\n" + block, text: "You wrote\n```\n" + block + "```\nIt is.", want: left},
	{name: "a malformed block in answer to a question", asks: true, text: marked("<<<<<<< FIND", "=======", ">>>>>>> REPLACE"), want: left},
	{name: "an example in answer to a question", asks: true, text: "path/to/file.py\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n", want: left},
	{name: "a block in answer to a question", asks: true, text: "sum.py\n" + block, want: taken},
	{name: "doctest", text: "```\n>>> replace('a', 'b')\n'b'\n>>> search\n=======\n```\n", want: left},
	{name: "a banner", text: "```\n<<<<<<<<<< WELCOME >>>>>>>>>>\n==========\n```\n", want: left},
}

// patchesInAnswers are patches.
var patchesInAnswers = []answer{
	{name: "begin patch", text: begun, want: taken},
	{name: "begin patch in a fence", text: "Here:\n```\n" + begun + "```\n", want: taken},
	{name: "begin patch in a fence for a diff", text: "Here:\n```diff\n" + begun + "```\nDone.", want: taken},
	{name: "begin patch in a heredoc", text: "```sh\napply_patch <<'EOF'\n" + begun + "EOF\n```\n", want: taken},
	{name: "a diff in a heredoc", text: "```sh\napply_patch <<'EOF'\n" + diff + "EOF\n```\n", want: taken},
	{name: "begin patch without its first line", text: strings.TrimPrefix(begun, "*** Begin Patch\n"), want: taken},
	{name: "a deletion", text: "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n", want: taken, file: "old.txt"},
	{name: "a new file", text: "*** Begin Patch\n*** Add File: new.py\n+x = 1\n*** End Patch", want: taken, file: "new.py", is: "x = 1\n"},
	{name: "diff fence", text: "I change the sign:\n\n```diff\n" + diff + "```\n\nThen it adds.", want: taken},
	{name: "diff without a fence", text: "I change the sign:\n\n" + diff + "\nThen it adds.", want: taken},
	{name: "diff of git", text: "```\ndiff --git a/sum.py b/sum.py\nindex 1..2 100644\n" + diff + "```\n", want: taken},
	{name: "diff without numbers", text: "```diff\n--- a/sum.py\n+++ b/sum.py\n@@ @@\n-        out -= x\n+        out += x\n```\n", want: taken},
	{name: "rows with the path above", text: "`sum.py`:\n```diff\n     for x in xs:\n-        out -= x\n+        out += x\n```\n", want: taken},
	{name: "rows with the path in the fence", text: "```diff sum.py\n-        out -= x\n+        out += x\n```\n", want: taken},
	{name: "diff in a list", text: "- the sign:\n  ```diff\n" + indented(diff, "  ") + "  ```\n", want: taken},
	{name: "diff with blanks before it", text: "So:\n\n" + indented(diff, "    ") + "\nand it adds.\n", want: taken},
	{name: "two forms", text: "```diff\n" + diff + "```\n\n*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n", want: taken},
	{name: "a move", text: "```diff\ndiff --git a/old.txt b/new.txt\nsimilarity index 100%\nrename from old.txt\nrename to new.txt\n```\n", want: taken, file: "new.txt", is: "gone\n"},

	{name: "begin patch cut off", text: strings.TrimSuffix(begun, "*** End Patch\n"), want: refused, says: "cut off"},
	{name: "begin patch cut off at once", text: "I mend it:\n\n*** Begin Patch\n", want: refused, says: "cut off"},
	{name: "a new file cut off", text: "*** Begin Patch\n*** Add File: new.py\n+x = 1\n+y", want: refused, says: "new.py"},
	{name: "begin patch that does not fit", text: strings.Replace(begun, "-        out -= x", "-        out /= x", 1), want: refused, says: "sum.py"},
	{name: "begin patch in JSON", text: `{"command": ["apply_patch", "*** Begin Patch\n*** Update File: sum.py\n-        out -= x\n+        out += x\n*** End Patch"]}`, want: refused, says: "patch"},
	{name: "begin patch in a command in JSON", text: `["bash", "-lc", "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: sum.py\n-        out -= x\n+        out += x\n*** End Patch\nEOF"]`, want: refused, says: "patch"},
	{name: "begin patch with another verb", text: strings.Replace(begun, "Update File:", "Change File:", 1), want: refused, says: "belongs to no file"},
	{name: "begin patch that begins otherwise", text: strings.Replace(begun, "Begin Patch", "Start Patch", 1), want: taken},
	{name: "begin patch with blanks before it", text: indented(begun, "    "), want: taken},
	{name: "a context diff", text: "```\n*** a/sum.py\n--- b/sum.py\n***************\n*** 4 ****\n!         out -= x\n--- 4 ----\n!         out += x\n```\n", want: refused, says: "context diff"},
	{name: "a block that ends as it begins", text: marked("<<<<<<< SEARCH", "=======", "<<<<<<< REPLACE"), want: refused, says: "cut off"},
	{name: "a block twice", text: "sum.py\n" + block + "\nSo, once more:\n\nsum.py\n```python\n" + block + "```\n", want: taken},
	{name: "an insertion twice", text: strings.Repeat("sum.py\n<<<<<<< SEARCH\n    out = 0\n=======\n    out = 0\n    n = 0\n>>>>>>> REPLACE\n\n", 2), want: taken, is: strings.Replace(answerFiles["sum.py"], "out = 0\n", "out = 0\n    n = 0\n", 1)},
	{name: "a block and the same as a diff", text: "sum.py\n" + block + "\nAs a diff:\n```diff\n" + diff + "```\n", want: taken},
	{name: "a diff and the same as a patch", text: "```diff\n" + diff + "```\n\n" + begun, want: taken},
	{name: "a block and a diff of another way", text: "sum.py\n" + block + "\nor\n```diff\n" + strings.Replace(diff, "+= x", "= out + x", 1) + "```\n", want: refused, says: "sum.py", staged: true},
	{name: "two ways for one place", text: "Either\n```diff\n" + diff + "```\nor\n```diff\n" + strings.Replace(diff, "+= x", "= out + x", 1) + "```\n", want: refused, says: "sum.py"},
	{name: "diff that does not fit", text: "```diff\n" + strings.Replace(diff, "-        out -= x", "-        out /= x", 1) + "```\n", want: refused, says: "sum.py"},
	{name: "diff without a file", text: "```diff\n@@ -3,3 +3,3 @@\n     for x in xs:\n-        out -= x\n+        out += x\n```\n", want: refused, says: "no file was named"},
	{name: "rows without a file", text: "I change this:\n```diff\n-        out -= x\n+        out += x\n```\n", want: refused, says: "no file was named"},
	{name: "diff cut off", text: "```diff\n--- a/sum.py\n+++ b/sum.py\n@@ -3,3 +3,3 @@\n     for x in xs:\n-        out -= x", want: refused, says: "cut off"},
	{name: "diff cut off by the limit", text: "--- a/sum.py\n+++ b/sum.py\n@@ @@\n-        out -= x\n+        out +=", finish: "length", want: refused, says: "cut off"},
	{name: "another file after something was staged", first: stagesOther, text: "And the sum:\n```diff\n" + strings.Replace(diff, "-= x", "/= x", 1) + "```\n", want: refused, says: "sum.py"},
	{name: "another file after something was staged, cut off", first: stagesOther, text: "Now the sum.\n\nsum.py\n<<<<<<< SEARCH\n        out -= x\n=======\n", want: refused, says: "cut off"},
	{name: "another place after something was staged", first: stagesSum, text: "sum.py\n<<<<<<< SEARCH\n    return aus\n=======\n    return out + 0\n>>>>>>> REPLACE\n", want: refused, says: "sum.py"},

	{name: "another file taken after something was staged", first: stagesOther, text: "And the sum:\n```diff\n" + diff + "```\n", want: taken},
	{name: "another place taken after something was staged", first: stagesSum, text: "sum.py\n<<<<<<< SEARCH\n    return out\n=======\n    return +out\n>>>>>>> REPLACE\n", want: taken, is: strings.Replace(mended, "return out", "return +out", 1)},

	{name: "what was staged told again", first: stagesSum, text: "I changed the sign:\n```diff\n" + diff + "```\n", want: left},
	{name: "what was staged told as a block", first: stagesSum, text: "I changed:\n\nsum.py\n" + block, want: left},
	{name: "what was staged told as a block of no file", first: stagesSum, text: "I changed:\n\n" + block, want: left},
	{name: "another block of no file after something was staged", first: stagesSum, text: "And:\n\n<<<<<<< SEARCH\n    return out\n=======\n    return +out\n>>>>>>> REPLACE\n", want: refused, says: "no file is named"},
	{name: "what was staged told as a patch", first: stagesSum, text: "I have done this:\n" + begun, want: left},
	{name: "another way to do what was staged", first: stagesSum, text: "You could also write\n```diff\n--- a/sum.py\n+++ b/sum.py\n@@ @@\n-        out -= x\n+        out = out + x\n```\n", want: left},
	{name: "rows that tell of what was staged", first: stagesSum, text: "The change:\n```diff\n-        out -= x\n+        out += x\n```\n", want: left},
	{name: "a diff out of a file", first: looks("fix.diff"), text: "The file has:\n```diff\n" + answerFiles["fix.diff"] + "```\nIt turns the sign.", want: left},
	{name: "a part of a diff out of a file", first: looks("fix.diff"), text: "It turns the sign:\n```diff\n-        out -= x\n+        out += x\n```\n", want: left},
	{name: "a diff out of a file, shortened", first: looks("fix.diff"), text: "```diff\n--- a/sum.py\n+++ b/sum.py\n...\n-        out -= x\n+        out += x\n```\n", want: left},
	{name: "a patch out of a file", first: looks("patches.md"), text: "It holds\n```\n" + answerFiles["patches.md"] + "```\n", want: left},
	{name: "a diff of the user", message: "What does this do?\n" + diff, text: "This diff\n```diff\n" + diff + "```\nturns the sign.", want: left},
	{name: "a diff in answer to a question", asks: true, text: "You could write\n```diff\n" + diff + "```\n", want: left},
	{name: "a patch in answer to a question", asks: true, text: begun, want: left},
	{name: "stars", text: "***************\nIMPORTANT\n***************\n", want: left},
	{name: "a quoted diff", text: indented(diff, "> "), want: left},
	{name: "the format of a patch", text: "A patch begins with `*** Begin Patch` and ends with `*** End Patch`:\n```\n*** Begin Patch\n*** End Patch\n```\n", want: left},
	{name: "a hunk's first line explained", text: "The line\n\n@@ -1,3 +1,4 @@\n\nsays where the hunk is.\n", want: left},
	{name: "Ruby", text: "```ruby\n@@count = 0\n  @@count += 1\n- 1\n```\n", want: left},
	{name: "a list", text: "What I found:\n\n- the sum is wrong\n- the shop is right\n+ more\n", want: left},
	{name: "front matter", text: "---\ntitle: x\n---\n\n- a\n- b\n", want: left},
	{name: "a fence for a diff without rows", text: "```diff\nnothing\n```\n", want: left},
	{name: "code", text: "```python\ndef total(xs):\n    return sum(xs)\n```\n", want: left},
	{name: "a heredoc of another kind", text: "```sh\ncat > x.txt <<'EOF'\nhi\nEOF\n```\n", want: left},
	{name: "two dashes", text: "-- a\n++ b\n\n--- \n+++ \n", want: left},
	{name: "steps with rules", text: "*** Important ***\n\n*** Update: the File is fine\n", want: left},
	{name: "apply_patch in a sentence", text: "I would call apply_patch with a *** Begin Patch text, but nothing is to be done.\n", want: left},
}
