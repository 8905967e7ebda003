package languages_test

import (
	"strings"
	"testing"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/conversation"
	"redline/agent/languages"
	"redline/agent/model"
	"redline/agent/session/sessiontest"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace"
	"redline/workspace/language"
)

// threePackages use a function, one of them beside a variable of its name.
var threePackages = map[string]string{
	"go.mod":   "module m\n\ngo 1.26\n",
	"a/a.go":   "package a\n\n// Total adds.\nfunc Total(x, y int) int { return x + y }\n\nfunc Sum() int { return 0 }\n",
	"b/b.go":   "package b\n\nimport \"m/a\"\n\nfunc B() int {\n\tTotal := a.Total(1, 2)\n\treturn Total\n}\n",
	"c/c.go":   "package c\n\nimport \"m/a\"\n\nvar C = a.Total(3, 4)\n",
	"notes.md": "Total is not renamed here.\n",
}

// warm waits until the server has loaded the workspace.
func warm(t *testing.T, s *agenttest.Session) {
	t.Helper()
	if _, err := s.Agent.Languages.Added(sessiontest.Timeout(t), workspace.Overlay{"a/a.go": {Text: threePackages["a/a.go"] + "\n"}}, nil); err != nil {
		t.Fatal(err)
	}
}

// told returns the last request to the model as one text.
func told(s *agenttest.Session) string { return strings.Join(s.Model.Told(), "\n") }

// The model renames a symbol in three files, and not the variable of its name. A taken name is refused.
func TestAModelRenamesASymbol(t *testing.T) {
	s := goplsIn(t, threePackages, newResults())
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{
			agenttest.Call("references", map[string]any{"path": "b/b.go", "symbol": "a.Total"}),
			agenttest.Call("outline", map[string]any{"path": "c/c.go"}),
			agenttest.Call("rename_symbol", map[string]any{"path": "a/a.go", "symbol": "Total", "new_name": "Sum"}),
		}},
		agenttest.Reply{Calls: []model.Call{agenttest.Call("rename_symbol", map[string]any{"path": "c/c.go", "symbol": "Total", "new_name": "Net"})}},
		agenttest.Reply{Text: "Done."},
	)
	p := s.Plan("rename Total")
	for _, want := range []string{
		"a/a.go:4: func Total(x, y int) int { return x + y }\nb/b.go:6: \tTotal := a.Total(1, 2)\nc/c.go:5: var C = a.Total(3, 4)",
		"error: the language server refuses it: gopls",
		"staged: rename_symbol a/a.go lines 3-4 (exact)\nstaged: rename_symbol b/b.go line 6 (exact)\nstaged: rename_symbol c/c.go line 5 (exact)",
	} {
		if !strings.Contains(told(s), want) {
			t.Errorf("the model was not told %q, but\n%s", want, told(s))
		}
	}
	if len(p.Operations) != 1 || len(p.Files) != 3 {
		t.Errorf("the plan has %d operations on %d files", len(p.Operations), len(p.Files))
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("a/a.go", strings.ReplaceAll(threePackages["a/a.go"], "Total", "Net"))
	s.WantFile("b/b.go", strings.ReplaceAll(threePackages["b/b.go"], "a.Total", "a.Net"))
	s.WantFile("c/c.go", strings.ReplaceAll(threePackages["c/c.go"], "Total", "Net"))
}

// The model hears of a caller in another file that its edit breaks: with the edit or, if the server is slow, at the end
// of its work. It can fix it at once.
func TestAModelHearsOfACallerThatItBreaks(t *testing.T) {
	s := goplsIn(t, threePackages, newResults())
	warm(t, s)
	const heard = "c/c.go:5: not enough arguments in call to a.Total"
	fix := []model.Call{
		agenttest.Edit("b/b.go", "a.Total(1, 2)", "a.Total(1, 2, 3)"),
		agenttest.Edit("c/c.go", "a.Total(3, 4)", "a.Total(3, 4, 5)"),
	}
	s.Model.Will(
		agenttest.Reply{Calls: []model.Call{agenttest.Edit("a/a.go", "Total(x, y int)", "Total(x, y, z int)")}},
		agenttest.Reply{Text: "Done."},
		agenttest.Reply{Calls: fix},
		agenttest.Reply{Text: "Fixed."},
	)
	s.Say(conversation.Message{Text: "add a third", Client: "test"})
	asked := s.Model.Asked()
	if !strings.Contains(told(s), heard) {
		t.Fatalf("after %d requests the model has read\n%s", len(asked), told(s))
	}
	if last := asked[1].Messages[len(asked[1].Messages)-1]; strings.Contains(last.Content, heard) {
		if !strings.HasPrefix(last.Content, "staged: edit_file a/a.go line 4 (exact)\nIt adds 2 errors:\nb/b.go:6: ") || len(asked) != 2 {
			t.Errorf("the answer to the edit is %q, after %d requests", last.Content, len(asked))
		}
	} else if len(asked) != 4 || !strings.Contains(told(s), "What is staged adds 2 errors:\nb/b.go:6: ") {
		t.Errorf("the last request, of %d, is\n%s", len(asked), told(s))
	}
}

// The built-in model renames by the server, and says so.
func TestTheBuiltInModelRenamesASymbol(t *testing.T) {
	s := goplsIn(t, threePackages, newResults())
	s.With(func(o *agent.Options) {
		o.Model = model.New(model.Config{})
		o.Languages = languages.Options{Mode: trial.Ask, Adapters: language.Adapters(), Find: find}
	})
	p := s.Plan("rename Total to Net")
	if want := "I planned to rename Total to Net where the language server says that it is used, in 3 files (a/a.go, b/b.go, c/c.go). Comments and other texts may still have the old name."; p.Description != want {
		t.Errorf("it says %q, want %q", p.Description, want)
	}
	s.MustApprove(view.Request{Plan: 1})
	s.WantFile("b/b.go", strings.ReplaceAll(threePackages["b/b.go"], "a.Total", "a.Net"))
	s.WantFile("notes.md", threePackages["notes.md"])
}
