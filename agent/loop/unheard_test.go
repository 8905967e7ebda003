package loop_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/tool/tooltest"
	"redline/workspace"
)

// breaking replaces the name of a function that another file calls.
const breaking = `{"path":"a.go","content":"package a\n\nfunc Two() {}\n"}`

// newBroken returns an environment with a caller, whose language server says nothing while it is
// still.
func newBroken(t *testing.T) (env *tool.Env, server *tooltest.Languages) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b.go": "package a\n\nvar _ = func() { One() }\n", "c.go": "package a\n\nvar two = 2\n", "a.go": "package a\n\nfunc One() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env = newEnv(t)
	ws := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	server = &tooltest.Languages{Workspace: ws, Wait: still}
	env.Workspace, env.Draft, env.Languages = ws, draft.New(ws), server
	return env, server
}

func still(context.Context) error { return errors.New("gopls is still starting") }

// unheard is what the model hears at the end of its work.
const unheard = "What is staged adds 1 error:\nb.go:3: undefined: One\nFix them, or say why they stay."

// messagesTo returns the user messages of a request after the first n messages.
func messagesTo(m []model.Message, n int) (all []string) {
	for _, one := range m[n:] {
		if one.Role == model.RoleUser {
			all = append(all, one.Content)
		}
	}
	return all
}

// A model that has finished hears of the errors that it does not know, once.
func TestTheEndOfTheWorkTellsOfErrors(t *testing.T) {
	env, server := newBroken(t)
	p := &script{replies: []turn{
		calls("write_file", breaking),
		{reply: model.Reply{Text: "Done.", Finish: "stop"}, then: func() { server.Wait = nil }},
		{reply: model.Reply{Text: "I leave it.", Finish: "stop"}},
	}}
	given := []model.Message{{Role: model.RoleUser, Content: "do it"}}
	out, err := loop.Run(t.Context(), p, given, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || out.Stopped != "" || out.Text != "I leave it." || out.Requests != 3 {
		t.Errorf("outcome %+v, %v", out, err)
	}
	checkAnswered(t, out.Messages)
	if got := messagesTo(p.asked[2].Messages, 1); len(got) != 1 || got[0] != unheard {
		t.Errorf("the model hears %q", got)
	}
}

func TestTheEndOfTheWorkWithoutNews(t *testing.T) {
	for _, test := range []struct {
		name    string
		known   bool // the answer to the call has told the errors
		limits  loop.Limits
		first   turn
		because string
	}{
		{"known", true, loop.Limits{}, calls("write_file", breaking), ""},
		{"not known in time", false, loop.Limits{}, calls("write_file", breaking), ""},
		{"no request is left", false, loop.Limits{Requests: 2}, calls("write_file", breaking), ""},
		{"no token is left", false, loop.Limits{Tokens: 11}, calls("write_file", breaking), "The turn was ended after 11 tokens"},
		{"nothing is staged", true, loop.Limits{}, calls("read_file", `{"path":"b.go"}`), ""},
		{"other files", true, loop.Limits{}, calls("write_file", write("a.txt")), ""},
		{"without errors", true, loop.Limits{}, calls("write_file", `{"path":"a.go","content":"package a\n\nfunc One() {}\n\nfunc Two() {}\n"}`), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			env, server := newBroken(t)
			if test.known {
				server.Wait = nil
			}
			p := &script{replies: []turn{test.first, says("Done.")}}
			if test.limits != (loop.Limits{}) {
				p.replies[1].then = func() { server.Wait = nil }
			}
			out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "do it"}}, tool.All(), env, test.limits, loop.Hooks{})
			if err != nil || !strings.HasPrefix(out.Stopped, test.because) || (out.Stopped == "") != (test.because == "") {
				t.Errorf("outcome %+v, %v", out, err)
			}
			if len(p.asked) > 2 {
				t.Errorf("the model is asked again: %q", messagesTo(p.asked[2].Messages, 1))
			}
		})
	}
}

// The model does not see the answers to edits in its answer, so it hears of their errors at the end.
func TestErrorsOfEditsInAnAnswer(t *testing.T) {
	env, server := newBroken(t)
	server.Wait = nil
	p := &script{replies: []turn{
		says("```go c.go\n<<<<<<< SEARCH\nvar two = 2\n=======\nvar two = three\n>>>>>>> REPLACE\n```"),
		says("I leave it."),
	}}
	out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "do it"}}, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || len(p.asked) != 2 || len(env.Draft.Operations()) != 1 {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	checkAnswered(t, out.Messages)
	want := "What is staged adds 1 error:\nc.go:3: undefined: three\nFix them, or say why they stay."
	if got := messagesTo(p.asked[1].Messages, 1); len(got) != 1 || got[0] != want {
		t.Errorf("the model hears %q", got)
	}
}

// A reminder of edits that were written beside calls does not take the place of the errors: they come after it.
func TestTheEndOfTheWorkTellsOfErrorsAfterAReminder(t *testing.T) {
	env, server := newBroken(t)
	first := calls("write_file", breaking)
	first.reply.Text = "I change both.\n\na.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"
	p := &script{replies: []turn{
		first,
		{reply: model.Reply{Text: "Done.", Finish: "stop"}, then: func() { server.Wait = nil }},
		{reply: model.Reply{Text: "Not needed.", Finish: "stop"}},
		{reply: model.Reply{Text: "I leave it.", Finish: "stop"}},
	}}
	out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "do it"}}, tool.All(), env, loop.Limits{}, loop.Hooks{})
	if err != nil || out.Requests != 4 {
		t.Fatalf("outcome %+v, %v", out, err)
	}
	if got := messagesTo(p.asked[3].Messages, 1); len(got) != 2 || got[1] != unheard {
		t.Errorf("the model hears %q", got)
	}
}

// What several calls of a reply add is asked for once, and told with the last one that has staged something: errors that a
// later call mends are none.
func TestOneVerdictForAReply(t *testing.T) {
	const mended = `{"path":"b.go","content":"package a\n\nvar _ = func() { Two() }\n"}`
	const other = `{"path":"c.go","content":"package a\n\nvar two = three\n"}`
	for name, test := range map[string]struct {
		calls turn
		last  int    // the answer with the note
		note  string // "" for none
		asked int32
	}{
		"all is mended":             {calls("write_file", breaking, "write_file", mended), 1, "", 1},
		"an error is left":          {calls("write_file", breaking, "write_file", mended, "write_file", other), 2, "\nThe edits of this reply add 1 error:\nc.go:3: undefined: three", 1},
		"reading comes last":        {calls("write_file", breaking, "write_file", other, "read_file", `{"path":"b.go"}`), 1, "\nThe edits of this reply add 2 errors:\nb.go:3: undefined: One\nc.go:3: undefined: three", 1},
		"the last one is refused":   {calls("write_file", breaking, "edit_file", `{"path":"b.go","old_string":"none","new_string":"x"}`), 0, "\nIt adds 1 error:\nb.go:3: undefined: One", 1},
		"a file does not parse":     {calls("write_file", breaking, "write_file", `{"path":"b.go","content":"package package\n"}`), 1, "", 0},
		"a file parses at the end":  {calls("write_file", `{"path":"a.go","content":"package package\n"}`, "write_file", breaking), 1, "\nThe edits of this reply add 1 error:\nb.go:3: undefined: One", 1},
		"only other kinds of files": {calls("write_file", write("a.txt"), "write_file", write("b.txt")), 1, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			env, server := newBroken(t)
			server.Wait = nil
			p := &script{replies: []turn{test.calls, {reply: model.Reply{Text: "Done.", Finish: "stop"}, then: func() {
				if n := server.Asked.Load(); n != test.asked {
					t.Errorf("the server was asked %d times, want %d", n, test.asked)
				}
			}}, says("They stay.")}}
			out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "do it"}}, tool.All(), env, loop.Limits{}, loop.Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			checkAnswered(t, out.Messages)
			answers := p.asked[1].Messages[2:]
			for i, m := range answers {
				_, note, has := strings.Cut(m.Content, "add")
				if i == test.last && test.note != "" {
					has = !strings.HasSuffix(m.Content, test.note)
				}
				if has {
					t.Errorf("answer %d is %q, with the note %q", i, m.Content, note)
				}
			}
		})
	}
}
