package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// before is the file that the turns of the corpus change.
const (
	before = "package shop\n\nfunc Total(a, b int) int {\n\treturn a + b\n}\n\nfunc Report() {}\n"
	after  = "package shop\n\nfunc Total(a, b int) int {\n\treturn b + a\n}\n\nfunc Report() {}\n"
)

// corpusTurn is a turn of a model that writes its edits in some way, and the required result of
// `redline run --approve`.
type corpusTurn struct {
	name    string
	request string // "change the sum" if empty
	flags   []string
	replies []modeltest.Reply
	want    []string // the texts that shop.go may have afterwards, each after its exit status: "0 " + after
	asked   int      // the least number of requests to the model; 0: not checked
	says    string   // text that stdout or stderr contains
}

func call(tool string, args map[string]any) modeltest.Part {
	doc, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings and maps only
	}
	return modeltest.Call(tool, string(doc))
}

func edit(old, new string) modeltest.Part {
	return call("edit_file", map[string]any{"path": "shop.go", "old_string": old, "new_string": new})
}

func patched(text string) modeltest.Part { return call("apply_patch", map[string]any{"patch": text}) }

func text(text string) modeltest.Reply { return modeltest.Stream(modeltest.Text(text)) }

// attempts are answers that contain an edit of shop.go, in the forms that models write instead of a
// call.
var attempts = []struct{ name, answer string }{
	{"a block", "shop.go\n<<<<<<< SEARCH\n\treturn a + b\n=======\n\treturn b + a\n>>>>>>> REPLACE\n"},
	{"a block in a fence", "Here it is:\n\nshop.go\n```go\n<<<<<<< SEARCH\n\treturn a + b\n=======\n\treturn b + a\n>>>>>>> REPLACE\n```\n"},
	{"a block without its end", "shop.go\n<<<<<<< SEARCH\n\treturn a + b\n=======\n\treturn b + a\n"},
	{"a block with SEARCH>", "shop.go\n<<<<<<< SEARCH>\n\treturn a + b\n=======\n\treturn b + a\n>>>>>>> REPLACE\n"},
	{"a block with dashes and pluses", "shop.go\n------- SEARCH\n\treturn a + b\n=======\n\treturn b + a\n+++++++ REPLACE\n"},
	{"a block of ORIGINAL and UPDATED", "shop.go\n<<<<<<< ORIGINAL\n\treturn a + b\n=======\n\treturn b + a\n>>>>>>> UPDATED\n"},
	{"a block with HEAD marks", "shop.go\n<<<<<<< HEAD\n\treturn a + b\n=======\n\treturn b + a\n>>>>>>> updated\n"},
	{"a block with few marks", "shop.go\n<<<< SEARCH\n\treturn a + b\n====\n\treturn b + a\n>>>> REPLACE\n"},
	{"a begin-patch", "*** Begin Patch\n*** Update File: shop.go\n@@\n-\treturn a + b\n+\treturn b + a\n*** End Patch\n"},
	{"a begin-patch in a fence", "```\n*** Begin Patch\n*** Update File: shop.go\n@@\n-\treturn a + b\n+\treturn b + a\n*** End Patch\n```\n"},
	{"a begin-patch without its end", "*** Begin Patch\n*** Update File: shop.go\n@@\n-\treturn a + b\n+\treturn b + a\n"},
	{"a diff in a fence", "This is the change:\n\n```diff\n--- a/shop.go\n+++ b/shop.go\n@@ -3,3 +3,3 @@\n func Total(a, b int) int {\n-\treturn a + b\n+\treturn b + a\n }\n```\n"},
	{"a diff in a fence that is left open", "```diff\n--- a/shop.go\n+++ b/shop.go\n@@ -3,3 +3,3 @@\n func Total(a, b int) int {\n-\treturn a + b\n+\treturn b + a\n }\n"},
	{"a bare diff", "--- a/shop.go\n+++ b/shop.go\n@@ -3,3 +3,3 @@\n func Total(a, b int) int {\n-\treturn a + b\n+\treturn b + a\n }\n"},
	{"git's diff", "diff --git a/shop.go b/shop.go\n--- a/shop.go\n+++ b/shop.go\n@@ -3,3 +3,3 @@\n func Total(a, b int) int {\n-\treturn a + b\n+\treturn b + a\n }\n"},
	{"a here-document", "```bash\napply_patch <<'EOF'\n*** Begin Patch\n*** Update File: shop.go\n@@\n-\treturn a + b\n+\treturn b + a\n*** End Patch\nEOF\n```\n"},
}

// odd are the attempts that cannot be parsed: it is unknown whether they only repeat what was
// staged, so the plan may be left pending.
var odd = map[string]int{"a block without its end": 1, "a begin-patch without its end": 1, "a block with few marks": 1, "a block with HEAD marks": 1}

// corpusTurns are the turns.
func corpusTurns() []corpusTurn {
	var out []corpusTurn
	taken, left := []string{"0 " + after, "4 " + before}, []string{"4 " + before}
	for _, a := range attempts {
		heard := []modeltest.Reply{text(a.answer), text("That is all."), text("That is all.")}
		out = append(out,
			// It is applied, or the user learns that it was not.
			corpusTurn{name: "B7 " + a.name, replies: heard, want: taken},
			// The text to replace is not in the file: the user learns that.
			corpusTurn{name: "B7 not there: " + a.name, replies: []modeltest.Reply{
				text(strings.ReplaceAll(a.answer, "a + b", "a * b")), text("That is all."), text("That is all."),
			}, want: left},
			// The model makes a correct edit when it learns that.
			corpusTurn{name: "B7 mended: " + a.name, replies: []modeltest.Reply{
				text(strings.ReplaceAll(a.answer, "a + b", "a * b")), modeltest.Stream(edit("a + b", "b + a")), text("Done."),
			}, want: []string{"0 " + after}, asked: 3},
			// The same words as an answer to a question about them.
			corpusTurn{name: "B7 quoted: " + a.name, request: "What does this do?\n\n" + a.answer, replies: []modeltest.Reply{
				text("It changes the order:\n\n" + a.answer),
			}, want: []string{"0 " + before}},
			corpusTurn{name: "B7 a turn that only asks: " + a.name, request: "how would I turn the sum around?", flags: []string{"--mode", "ask"}, replies: []modeltest.Reply{
				text("Like this:\n\n" + a.answer), text("Like that."),
			}, want: []string{"0 " + before}},
			// The same words as a repetition of what was staged.
			corpusTurn{name: "B7 beside the staged edit: " + a.name, replies: []modeltest.Reply{
				modeltest.Stream(edit("a + b", "b + a")), text("I have done this:\n\n" + a.answer), text("That is all."),
			}, want: []string{"0 " + after, "3 " + before}[:odd[a.name]+1]})
	}
	bad := edit("not there", "x")
	again := modeltest.Stream(bad)
	return append(out,
		corpusTurn{name: "B8 three identical calls in one reply", replies: []modeltest.Reply{
			modeltest.Stream(bad, bad, bad), modeltest.Stream(edit("a + b", "b + a")), text("Done."),
		}, want: []string{"3 " + before}, asked: 3},
		corpusTurn{name: "B8 a good edit beside them", replies: []modeltest.Reply{
			modeltest.Stream(edit("a + b", "b + a"), bad, bad, bad), text("Done."),
		}, want: []string{"3 " + before}, asked: 2},
		corpusTurn{name: "B8 in three replies", replies: []modeltest.Reply{again, again, again, again, again, again}, want: left},
		corpusTurn{name: "B8 in three replies, after a good edit", replies: []modeltest.Reply{
			modeltest.Stream(edit("a + b", "b + a")), again, again, again, again, again,
		}, want: []string{"3 " + before}},
		corpusTurn{name: "B8 in three replies, with edits between", replies: []modeltest.Reply{
			again, modeltest.Stream(edit("a + b", "b - a")), again, modeltest.Stream(edit("b - a", "b * a")), again, modeltest.Stream(edit("b * a", "b + a")), text("Done."),
		}, want: []string{"3 " + before}},
		corpusTurn{name: "C12 one bad file of two", replies: []modeltest.Reply{
			modeltest.Stream(patched("*** Begin Patch\n*** Update File: shop.go\n@@\n-\treturn a + b\n+\treturn b + a\n*** Update File: other.go\n@@\n-absent\n+x\n*** End Patch\n")), text("Done."),
		}, want: []string{"3 " + before}, says: "other.go"},
		corpusTurn{name: "C12 one bad file of two, mended", replies: []modeltest.Reply{
			modeltest.Stream(patched("*** Begin Patch\n*** Update File: shop.go\n@@\n-\treturn a + b\n+\treturn b + a\n*** Update File: other.go\n@@\n-absent\n+x\n*** End Patch\n")),
			modeltest.Stream(call("edit_file", map[string]any{"path": "other.go", "old_string": "package shop", "new_string": "package store"})), text("Done."),
		}, want: []string{"0 " + after}},
		corpusTurn{name: "A1 a placeholder", replies: []modeltest.Reply{
			modeltest.Stream(call("write_file", map[string]any{"path": "shop.go", "content": "package store\n\n// ... existing code ...\n"})), text("Done."),
		}, want: []string{"0 " + before, "4 " + before, "0 " + strings.Replace(before, "package shop", "package store", 1)}},
		corpusTurn{name: "A1 a placeholder in an answer", replies: []modeltest.Reply{
			text("shop.go\n<<<<<<< SEARCH\n\treturn a + b\n}\n=======\n\t// ... existing code ...\n}\n>>>>>>> REPLACE\n"), text("Done."), text("Done."),
		}, want: left},
		corpusTurn{name: "A2 flush left", replies: []modeltest.Reply{
			modeltest.Stream(edit("return a + b\n", "\treturn b + a\n")), text("Done."),
		}, want: []string{"0 " + after}},
		corpusTurn{name: "A3 another unit", replies: []modeltest.Reply{
			modeltest.Stream(edit("func Total(a, b int) int {\n    return a + b\n}", "func Total(a, b int) int {\n    return b + a\n}")), text("Done."),
		}, want: []string{"0 " + after}},
	)
}

// TestCorpusThroughRun runs each turn of the corpus as a user would, and checks the content
// of the file, and that no edit is dropped without a report.
func TestCorpusThroughRun(t *testing.T) {
	turns := corpusTurns()
	for _, turn := range turns {
		t.Run(turn.name, func(t *testing.T) {
			t.Parallel()
			for _, wrong := range turn.run(t) {
				t.Error(wrong)
			}
		})
	}
	t.Logf("%d turns", len(turns))
}

// run runs a turn and returns what is wrong with the result.
func (c *corpusTurn) run(t *testing.T) (wrong []string) {
	p := newPlace(t, map[string]string{"shop.go": before, "other.go": "package shop\n"})
	server := modeltest.New(c.replies...)
	base, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	request := c.request
	if request == "" {
		request = "change the order of the sum in shop.go"
	}
	cmd := p.command(slices.Concat([]string{"run", "--approve", "--dir", p.dir}, c.flags, []string{request})...)
	cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+base, "OPENAI_API_KEY="+scriptKey, "REDLINE_MODEL=scripted")
	out, _ := cmd.CombinedOutput()
	data, err := os.ReadFile(filepath.Join(p.dir, "shop.go"))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(cmd.ProcessState.ExitCode(), " ", string(data)); !slices.Contains(c.want, got) {
		wrong = append(wrong, fmt.Sprintf("exit status and shop.go are %q, want one of %q\n%s", got, c.want, out))
	}
	if n := len(server.Requests()); n < c.asked {
		wrong = append(wrong, fmt.Sprintf("the model was asked %d times, want at least %d\n%s", n, c.asked, out))
	}
	if !strings.Contains(string(out), c.says) {
		wrong = append(wrong, fmt.Sprintf("no %q is said:\n%s", c.says, out))
	}
	return wrong
}
