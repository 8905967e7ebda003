package preview_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/decide/decidetest"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/view"
)

// huge is a plan of an edit and of this many commands of this many bytes, in one reply.
func huge(t *testing.T, commands, size int) *agenttest.Session {
	t.Helper()
	s := agenttest.New(t, map[string]string{"a.txt": "one\n"})
	calls := []model.Call{agenttest.Edit("a.txt", "one", "1")}
	for i := range commands {
		calls = append(calls, agenttest.Command(fmt.Sprintf("true %d %s", i, strings.Repeat("x", size))))
	}
	s.Model.Stages(calls...)
	if p := s.Plan("figures"); len(p.Commands) != commands {
		t.Fatalf("%d commands", len(p.Commands))
	}
	return s
}

// The preview has all edits and all commands of one reply, and a command that is removed from a
// preview of any size does not run: the preview is read before an approval.
func TestPreviewsOfHugePlans(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes very large plans: run without -short")
	}
	for name, c := range map[string]struct{ commands, size int }{
		"2,100 commands":      {2100, 10},
		"3 large commands":    {3, 3 << 20}, // more than the limit of any other file
		"a command of 100 KB": {1, 100 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			s := huge(t, c.commands, c.size)
			text := s.Preview("0001-r1.md")
			if n := strings.Count(text, "\n  ```sh\n  true "); n != c.commands {
				t.Errorf("%d of %d commands are shown", n, c.commands)
			}
			last := fmt.Sprintf("- [x] Command %d\n", c.commands)
			path := filepath.Join(s.Dir, ".redline", "plans", "0001-r1.md")
			if err := os.WriteFile(path, []byte(decidetest.ReplaceIn(t, text, last, strings.Replace(last, "x", " ", 1))), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, AllowCommands: true})
			s.WantRefused(err, plan.HashMismatch)
			if p := s.PlanNow(1); p.Revision != 2 || len(p.Commands) != c.commands-1 {
				t.Errorf("revision %d with %d commands", p.Revision, len(p.Commands))
			}
			s.WantFile("a.txt", "one\n")
		})
	}
}

// A preview that cannot be read is no consent.
func TestUnreadablePreview(t *testing.T) {
	s := huge(t, 1, 10)
	path := filepath.Join(s.Dir, ".redline", "plans", "0001-r1.md")
	if err := os.Truncate(path, 1<<30); err != nil { // more than the limit of a preview
		t.Fatal(err)
	}
	_, err := s.Agent.Approve(s.Context(), view.Request{Plan: 1, AllowCommands: true})
	s.WantRefused(err, plan.Invalid)
	if r, ok := errors.AsType[*plan.Refusal](err); !ok || !strings.Contains(r.Reason, "delete it") {
		t.Error(err)
	}
	s.WantFile("a.txt", "one\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.MustApprove(view.Request{Plan: 1, Paths: []string{"a.txt"}})
	s.WantFile("a.txt", "1\n")
}
