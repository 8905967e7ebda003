package loop_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/workspace"
)

func tooLong() turn { return turn{err: &model.Error{Kind: model.KindTooLong, Status: 400}} }

// When a request has become too long, the oldest tool answers are left out first; the rest
// of the turn is unaffected.
func TestARequestThatBecomesTooLongIsShortened(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat("text of "+name+"\n", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ws := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{})
	env := &tool.Env{Draft: draft.New(ws), Workspace: ws, Step: "s1"}
	read := func(path string) turn { return calls("read_file", `{"path":"`+path+`"}`) }
	p := &script{replies: []turn{
		read("a.txt"), read("b.txt"), read("c.txt"), tooLong(), read("a.txt"), read("a.txt"), says("done"),
	}}
	var notices []string
	out, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: "look"}}, tool.All(), env, loop.Limits{},
		loop.Hooks{Notice: func(s string) { notices = append(notices, s) }})
	if err != nil || out.Text != "done" || out.Stopped != "" {
		t.Fatalf("%q, %q, %v", out.Text, out.Stopped, err)
	}
	var has []string
	for _, m := range p.asked[4].Messages { // the one after the refusal
		for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
			if strings.Contains(m.Content, strings.Repeat("text of "+name+"\n", 2)) {
				has = append(has, name)
			}
		}
	}
	if got := strings.Join(has, " "); got != "c.txt" || len(notices) != 1 {
		t.Errorf("it has %q, notices %q", got, notices)
	}
	if len(p.asked[4].Messages) != len(p.asked[3].Messages) {
		t.Error("an answer to a call is missing")
	}
	whole := 0
	for _, m := range out.Messages { // the outcome keeps all messages
		if strings.Contains(m.Content, "text of") && !strings.Contains(m.Content, "left out") {
			whole++
		}
	}
	if whole != 5 {
		t.Errorf("the turn's record has %d whole answers, want 5", whole)
	}
}

// A request with nothing to leave out is not sent repeatedly.
func TestARequestThatIsTooLongFromTheStart(t *testing.T) {
	p := &script{replies: []turn{tooLong()}}
	_, err := loop.Run(t.Context(), p, []model.Message{{Role: model.RoleUser, Content: strings.Repeat("x", 1000)}}, tool.All(), newEnv(t), loop.Limits{}, loop.Hooks{})
	if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.KindTooLong || len(p.asked) != 1 {
		t.Errorf("asked %d times, %v", len(p.asked), err)
	}
}
