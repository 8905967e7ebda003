package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneFileCannotBeChanged shows that an approval changes all of its files or none: the editor
// cannot change the last of three files, so the first two are reverted in the editor's own buffers,
// text that the user typed meanwhile stays, and the buffer's own undo leads back to the first text.
func TestOneFileCannotBeChanged(t *testing.T) {
	const typed = "// typed meanwhile"
	lock := func(w *world, editor string) {
		if editor != "helix" {
			return
		}
		if _, err := exec.LookPath("setpriv"); err != nil && os.Geteuid() == 0 {
			w.t.Skip("setpriv is not here, and permissions do not bind root without it: install util-linux, or run the test as another user")
		}
		w.write(filepath.Join(w.dir, "locked", "z.txt"), "stays\n")
		if err := os.Chmod(filepath.Join(w.dir, "locked"), 0o555); err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(func() { os.Chmod(filepath.Join(w.dir, "locked"), 0o755) })
	}
	eachEditor(t, before, []string{"a.go", "b.go", "z.go"}, lock, func(t *testing.T, s *session, editor string) {
		request, cannot := "rename greet to salute in *.go", "z.go"
		if editor == "helix" {
			request, cannot = request+" then delete locked/z.txt", "z.txt" // in a folder that is not writable
		} else {
			s.show("z.go")
			s.do("setlocal nomodifiable")
		}
		s.plan(request, "a.go")
		s.relay.rule(t, hold, cannot)
		since := s.request("redline.approve", `{"plan":1}`)
		s.relay.awaitSaid(t, "the last file is asked for", since, func(m string) bool {
			return strings.Contains(m, "workspace/applyEdit") && strings.Contains(m, "/"+cannot+`"`)
		})
		s.shows("func salute() {}")
		s.typeLine(typed)
		s.relay.release(t)

		state, refusal := s.answer(since)
		t.Logf("%s%s", state, refusal)
		if !(strings.Contains(refusal, cannot+" was not changed: ") && strings.Contains(refusal, "Nothing of this approval stays applied.")) &&
			!(strings.Contains(refusal, cannot+": The editor did not make the change: ") && strings.Contains(refusal, "nothing was applied.")) {
			t.Errorf("the answer is %q %q", state, refusal)
		}
		s.pending()
		s.saved("a.go", typed+"\n"+before)
		s.w.awaitText("b.go", before)
		s.w.awaitText("z.go", before)
		for range 3 { // reverted, typed, approved
			s.press("u")
		}
		s.saved("a.go", before)
	})
}

// TestEditorThatLies shows that the text counts, not the editor's answer: an edit that was not
// made, or only in part, although the editor claims that it was, is a failure, and the whole
// approval is reverted; an edit that was made although the editor denies it is applied.
func TestEditorThatLies(t *testing.T) {
	for _, c := range []struct{ name, rule string }{
		{"nothing was made", lie},
		{"half of it was made", half},
		{"it was made all the same", deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachEditor(t, before, []string{"a.go", "b.go"}, nil, func(t *testing.T, s *session, _ string) {
				s.show("b.go")
				s.plan("rename greet to salute in *.go", "a.go")
				s.relay.rule(t, c.rule, "b.go")
				state, refusal := s.answer(s.request("redline.approve", `{"plan":1}`))
				t.Logf("%s%s", state, refusal)
				if c.rule == deny {
					if state != "completed" {
						t.Errorf("the answer is %q %q", state, refusal)
					}
					s.saved("a.go", after)
					s.saved("b.go", after)
					return
				}
				why := "but its text is as it was."
				if c.rule == half {
					why = "but it made only a part of that: 1 of 2 edits."
				}
				if !strings.Contains(refusal, "The editor says that it changed b.go, "+why) ||
					!strings.Contains(refusal, "a.go: it was taken back, because b.go could not be changed") &&
						!strings.Contains(refusal, "Nothing of this approval stays applied.") {
					t.Errorf("the answer is %q %q", state, refusal)
				}
				s.pending()
				s.saved("a.go", before)
				s.saved("b.go", before)
			})
		})
	}
}

// TestTypingWhileAnEditIsUnderWay shows that the user's typing takes precedence: a line is typed
// after the edit was computed for the text and before it reaches the editor. The editor refuses or
// skips such an edit, and Redline computes it again for the new text.
func TestTypingWhileAnEditIsUnderWay(t *testing.T) {
	const typed = "// typed meanwhile"
	eachEditor(t, before, []string{"a.go", "b.go"}, nil, func(t *testing.T, s *session, _ string) {
		s.plan("rename greet to salute in *.go", "a.go")
		s.relay.rule(t, hold, "a.go")
		since := s.request("redline.approve", `{"plan":1}`)
		s.relay.awaitSaid(t, "the file is asked for", since, func(m string) bool {
			return strings.Contains(m, "workspace/applyEdit") && strings.Contains(m, `/a.go"`)
		})
		s.typeLine(typed)
		s.relay.release(t)
		if state, refusal := s.answer(since); state != "completed" {
			t.Errorf("the answer is %q %q", state, refusal)
		}
		s.saved("a.go", typed+"\n"+after)
		s.saved("b.go", after)
	})
}

// TestHunksWhileTyping shows that hunks are approved one by one in any order while the user types
// above them, on the lines that they are anchored to, and that one hunk can be undone alone.
func TestHunksWhileTyping(t *testing.T) {
	const hunks = 6
	var text strings.Builder
	for i := range hunks {
		fmt.Fprintf(&text, "x = greet + %d\n\n", i+1)
	}
	eachEditor(t, text.String(), []string{"a.go"}, nil, func(t *testing.T, s *session, _ string) {
		s.plan("rename greet to salute in a.go", "a.go")
		want := strings.ReplaceAll(text.String(), "greet", "salute")
		for n, i := range rand.Perm(hunks) {
			since := s.request("redline.approve", fmt.Sprintf(`{"plan":1,"hunk":"h%d"}`, i+1))
			typed := fmt.Sprintf("typed %d", n)
			s.typeLine(typed)
			want = typed + "\n" + want
			if state, refusal := s.answer(since); refusal != "" {
				t.Fatalf("hunk h%d: the answer is %q %q", i+1, state, refusal)
			}
		}
		if p := s.planned(); p.State != "completed" {
			t.Errorf("the plan is %s", p.State)
		}
		s.saved("a.go", want)

		since := s.request("redline.undo", `{"plan":1,"hunk":"h3"}`)
		s.typeLine("typed last")
		if state, refusal := s.answer(since); refusal != "" {
			t.Fatalf("the answer to undo is %q %q", state, refusal)
		}
		s.saved("a.go", "typed last\n"+strings.Replace(want, "salute + 3", "greet + 3", 1))
		for _, h := range s.planned().Files[0].Hunks {
			if status := map[bool]string{true: "pending", false: "applied"}[h.ID == "h3"]; h.Status != status {
				t.Errorf("hunk %s is %s, want %s", h.ID, h.Status, status)
			}
		}
	})
}
