package lsp

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/lsp/apply"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

var everyClient = []lsptest.Profile{
	lsptest.Honest(), lsptest.NeovimLike(), lsptest.Neovim12Like(), lsptest.HelixLike(), lsptest.KateLike(), lsptest.VSCodeLike(),
}

// Approving and undoing leads to the same text in every editor, whether its file is open,
// changed and not saved, or closed.
func TestApplyInEveryClient(t *testing.T) {
	for _, profile := range everyClient {
		t.Run(profile.Name, func(t *testing.T) {
			c := connect(t, profile, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n", "sub/c.txt": "apples\n"})
			c.must(c.Open("a.txt"))
			c.must(c.Open("b.txt"))
			c.must(c.Insert("b.txt", 0, 0, "not saved\n"))
			c.plan(`replace "apple" with "pear"`)
			c.must(c.Insert("a.txt", 2, 0, "typed 😀 since\n"))

			r, err := c.approve()
			c.must(err)
			want := "completed"
			for _, f := range r.Files {
				status := "applied"
				if f.Path == "sub/c.txt" && !profile.Attach {
					status, want = "unverified", "reviewing" // changed in a buffer that the server cannot see
				}
				if f.Status != status {
					t.Errorf("%s is %s (%s), want %s", f.Path, f.Status, f.Reason, status)
				}
			}
			if r.State != want {
				t.Errorf("the plan is %s, want %s", r.State, want)
			}
			c.wantFile("a.txt", "one pear\ntwo\ntyped 😀 since\nthree\nfour 😀 pear\nfive\n")
			c.wantFile("b.txt", "not saved\nan pear\n")
			c.wantFile("sub/c.txt", "pears\n")
			c.await(lsptest.And(lsptest.DiagnosticCount("a.txt", 0), lsptest.DiagnosticCount("b.txt", 0)))

			if !profile.Attach {
				return
			}
			if _, err = c.decide(command.Undo, 1); err != nil {
				t.Fatal(err)
			}
			c.wantFile("a.txt", "one apple\ntwo\ntyped 😀 since\nthree\nfour 😀 apple\nfive\n")
			c.wantFile("b.txt", "not saved\nan apple\n")
			c.wantFile("sub/c.txt", "apples\n")
			c.await(lsptest.DiagnosticCode("a.txt", "1.h1"))
		})
	}
}

// Files are created, deleted and moved in every editor; for editors without file operations
// the server does it on disk.
func TestFileOperationsInEveryClient(t *testing.T) {
	for _, profile := range everyClient {
		t.Run(profile.Name, func(t *testing.T) {
			c := connect(t, profile, map[string]string{"old.txt": "old\n", "gone.txt": "gone\n"})
			c.plan(`create new/d.txt with "hello" then delete gone.txt then move old.txt to moved/new.txt`)
			r, err := c.approve()
			c.must(err)
			for _, f := range r.Files {
				if f.Status != "applied" {
					t.Errorf("%s is %s (%s)", f.Path, f.Status, f.Reason)
				}
			}
			if got := c.onDisk("new/d.txt"); got != "hello" {
				t.Errorf("new/d.txt is %q", got)
			}
			c.wantFile("moved/new.txt", "old\n")
			for _, name := range []string{"gone.txt", "old.txt"} {
				if _, err := os.Stat(filepath.Join(c.dir, name)); err == nil {
					t.Errorf("%s is still there", name)
				}
			}
		})
	}
}

// A file that was created in the meantime is never overwritten.
func TestCreationNeverOverwrites(t *testing.T) {
	for _, profile := range everyClient {
		t.Run(profile.Name, func(t *testing.T) {
			c := connect(t, profile, nil)
			c.plan(`create d.txt with "hello"`)
			write(t, filepath.Join(c.dir, "d.txt"), "mine\n")
			_, err := c.approve()
			if _, ok := errors.AsType[*lsptest.Refusal](err); !ok {
				t.Fatalf("got %v, want a refusal", err)
			}
			c.wantFile("d.txt", "mine\n")
		})
	}
}

// The user types after the edit is made and before it arrives. The editor refuses the edit
// because its text is newer; the edit is rebased and sent again, at most three times.
func TestNewerTextIsRebased(t *testing.T) {
	for name, c := range map[string]struct {
		races int
		ok    bool
	}{"once": {1, true}, "three times": {3, true}, "always": {9, false}} {
		t.Run(name, func(t *testing.T) {
			e := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": twoFruits})
			e.must(e.Open("a.txt"))
			e.plan(`replace "apple" with "pear"`)
			requests := 0
			e.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				if requests++; requests <= c.races {
					if err := e.Insert("a.txt", 2, 0, "x\n"); err != nil {
						t.Error(err)
					}
				}
				return lsptest.Answer{}, false
			})
			_, err := e.approve()
			if (err == nil) != c.ok {
				t.Errorf("got %v", err)
			}
			if c.ok {
				e.wantFile("a.txt", "one pear\ntwo\n"+strings.Repeat("x\n", c.races)+"three\nfour 😀 pear\nfive\n")
			} else if requests != 4 {
				t.Errorf("it was sent %d times, want 4", requests)
			}
		})
	}
}

// Neovim skips an edit for an older text, and claims to have made it; an edit for version 0,
// the version of a newly opened file, it makes wherever the lines are now. So it never gets
// an edit for version 0, and gets again what it has skipped.
func TestNewerTextInNeovim(t *testing.T) {
	t.Parallel()
	for _, profile := range []lsptest.Profile{lsptest.NeovimLike(), lsptest.Neovim12Like()} {
		for name, typed := range map[string]bool{"just opened": false, "typed into before": true} {
			t.Run(profile.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				e := connect(t, profile, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
				e.must(e.Open("a.txt"))
				e.must(e.Open("b.txt"))
				top := ""
				if typed {
					top = "top\n"
					e.must(e.Insert("a.txt", 0, 0, top))
				}
				e.plan(`replace "apple" with "pear"`)
				var once sync.Once
				e.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
					once.Do(func() {
						if err := e.Insert("a.txt", 0, 0, "x\n"); err != nil {
							t.Error(err)
						}
					})
					return lsptest.Answer{}, false
				})
				r, err := e.approve()
				if err != nil || r.State != "completed" {
					t.Errorf("the plan is %s: %v", r.State, err)
				}
				e.wantFile("a.txt", "x\n"+top+"one pear\ntwo\nthree\nfour 😀 pear\nfive\n")
				e.wantFile("b.txt", "an pear\n")
			})
		}
	}
}

// A client that announces as little as Neovim but checks versions exactly gets exact versions
// after its first refusal.
func TestExactVersionZero(t *testing.T) {
	profile := lsptest.NeovimLike()
	profile.Versions, profile.AlwaysApplied = lsptest.CheckExact, false
	e := connect(t, profile, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
	e.must(e.Open("a.txt"))
	e.must(e.Open("b.txt"))
	e.plan(`replace "apple" with "pear"`)
	requests := 0
	e.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) { requests++; return lsptest.Answer{}, false })
	if r, err := e.approve(); err != nil || r.State != "completed" || requests != 3 {
		t.Errorf("after %d requests the plan is %s: %v", requests, r.State, err)
	}
}

// An editor that makes only one of two edits, and claims to have made both, has failed: that
// edit is reverted, and so are the files before.
func TestMadeInPart(t *testing.T) {
	t.Parallel()
	e := connect(t, lsptest.Honest(), map[string]string{"a.txt": "an apple\n", "b.txt": twoFruits})
	e.must(e.Open("a.txt"))
	e.must(e.Open("b.txt"))
	e.plan(`replace "apple" with "pear"`)
	lied := false
	e.OnApply(func(edit lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		if lied || !strings.HasSuffix(edit.URIs()[0], "/b.txt") {
			return lsptest.Answer{}, false
		}
		lied = true
		if err := e.Replace("b.txt", "one apple", "one pear"); err != nil {
			t.Error(err)
		}
		return lsptest.Answer{Applied: true}, true
	})
	_, err := e.approve()
	refusal, ok := errors.AsType[*lsptest.Refusal](err)
	if !ok || refusal.Kind != "apply_failed" || !strings.Contains(refusal.Message, "made only a part") ||
		!strings.Contains(refusal.Message, "Nothing of this approval stays applied.") {
		t.Errorf("got %v", err)
	}
	e.wantFile("a.txt", "an apple\n")
	e.wantFile("b.txt", twoFruits)
}

// The editor's answer counts less than its text.
func TestTheTextCounts(t *testing.T) {
	t.Parallel()
	const applied = "one pear\ntwo\nthree\nfour 😀 pear\nfive\n"
	for name, c := range map[string]struct {
		apply  bool
		answer lsptest.Answer
		kind   string // of the refusal
	}{
		"it says no and did":         {true, lsptest.Answer{Applied: false, FailureReason: "no"}, ""},
		"it says nothing and did":    {true, lsptest.Answer{}, ""},
		"it says yes and did not":    {false, lsptest.Answer{Applied: true}, "apply_failed"},
		"it says no":                 {false, lsptest.Answer{Applied: false, FailureReason: "The user declined"}, "apply_failed"},
		"it leaves it to the user":   {false, lsptest.Answer{FailureReason: "decision to apply manually"}, "apply_failed"},
		"it says no without reasons": {false, lsptest.Answer{Applied: false}, "apply_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
			e.must(e.Open("a.txt"))
			e.plan(`replace "apple" with "pear"`)
			e.OnApply(func(edit lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				if c.apply {
					e.Apply(edit)
				}
				return c.answer, true
			})
			_, err := e.approve()
			if c.kind == "" {
				e.must(err)
				e.wantFile("a.txt", applied)
				return
			}
			refusal, ok := errors.AsType[*lsptest.Refusal](err)
			if !ok || refusal.Kind != c.kind {
				t.Fatalf("got %v, want %s", err, c.kind)
			}
			e.wantFile("a.txt", twoFruits)
			e.await(lsptest.DiagnosticCount("a.txt", 2))
		})
	}
}

// An editor that makes the change and never answers costs no time; an editor that does nothing
// leaves the outcome open.
func TestNoAnswer(t *testing.T) {
	for name, makes := range map[string]bool{"the change is made": true, "nothing happens": false} {
		t.Run(name, func(t *testing.T) {
			patience := 700 * time.Millisecond
			if makes {
				patience = time.Minute // never reached
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.txt"), twoFruits)
			e := connectTo(t, lsptest.Honest(), dir, Options{
				NewAgent: builtinAgent(t), Timeouts: Timeouts{Apply: apply.Timeouts{ApplyEdit: patience}},
			})
			e.must(e.Open("a.txt"))
			e.plan(`replace "apple" with "pear"`)
			over := make(chan struct{})
			t.Cleanup(func() { close(over) })
			e.OnApply(func(edit lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				if makes {
					e.Apply(edit)
				}
				<-over
				return lsptest.Answer{}, true
			})
			r, err := e.approve()
			e.must(err)
			want := map[bool]string{true: "completed", false: "executing"}[makes]
			if r.State != want {
				t.Errorf("the plan is %s, want %s: %+v", r.State, want, r.Files)
			}
		})
	}
}

// An editor that refuses after the timeout has answered: the file can be approved again. The
// same holds when it accepts and has changed nothing.
func TestLateAnswer(t *testing.T) {
	for name, yes := range map[string]bool{"no": false, "yes": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.txt"), twoFruits)
			e := connectTo(t, lsptest.Honest(), dir, Options{
				NewAgent: builtinAgent(t), Timeouts: Timeouts{Apply: apply.Timeouts{ApplyEdit: 50 * time.Millisecond, Verify: 200 * time.Millisecond}},
			})
			e.must(e.Open("a.txt"))
			e.plan(`replace "apple" with "pear"`)
			told := make(chan struct{})
			var once sync.Once
			e.OnApply(func(lsptest.WorkspaceEdit) (answer lsptest.Answer, mine bool) {
				once.Do(func() {
					<-told
					answer, mine = lsptest.Answer{Applied: yes, FailureReason: "no"}, true
				})
				return answer, mine
			})
			r, err := e.approve()
			e.must(err)
			if r.State != "executing" {
				t.Fatalf("the plan is %s: %+v", r.State, r.Files)
			}
			close(told)
			e.await(lsptest.MessageContains("plan 1: nothing was applied."))
			_, err = e.approve() // may outlast the short timeout
			e.must(err)
			e.await(lsptest.MessageContains("2 changes in 1 file applied."))
			if now := e.planNow(1); now.State != "completed" {
				t.Errorf("approved again, the plan is %s", now.State)
			}
			e.wantFile("a.txt", strings.ReplaceAll(twoFruits, "apple", "pear"))
		})
	}
}

// statesTold returns the plan's states in the events, without consecutive repeats.
func (c *connected) statesTold() []string {
	var states []string
	for _, raw := range c.Events() {
		var e struct{ Plan *struct{ State string } }
		c.must(json.Unmarshal(raw, &e))
		if e.Plan != nil && e.Plan.State != "" {
			states = append(states, e.Plan.State)
		}
	}
	return slices.Compact(states)
}

// An editor that changes a file that it does not show opens that file first. Even after the
// timeout, the opening is no sign that the editor changes nothing.
func TestLateEditorOpensTheFileFirst(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), twoFruits)
	e := connectTo(t, lsptest.HelixLike(), dir, Options{
		NewAgent: builtinAgent(t), Timeouts: Timeouts{Apply: apply.Timeouts{ApplyEdit: 50 * time.Millisecond, Verify: 200 * time.Millisecond}},
	}, lsptest.WithEvents())
	e.plan(`replace "apple" with "pear"`)
	told := make(chan struct{})
	tell := sync.OnceFunc(func() { close(told) })
	t.Cleanup(tell)
	e.OnApply(func(lsptest.WorkspaceEdit) (answer lsptest.Answer, mine bool) {
		<-told
		return answer, false
	})
	r, err := e.approve()
	e.must(err)
	if r.State != "executing" {
		t.Fatalf("the plan is %s: %+v", r.State, r.Files)
	}
	e.must(e.Open("a.txt"))
	if now := e.planNow(1); now.State != "executing" {
		t.Fatalf("the plan is %s as soon as the file is opened", now.State)
	}
	tell()
	e.await(lsptest.MessageContains("2 changes in 1 file applied."))
	if now := e.planNow(1); now.State != "completed" {
		t.Errorf("the plan is %s", now.State)
	}
	e.await(lsptest.Expect("the event of its end", func(*lsptest.Editor) bool { return slices.Contains(e.statesTold(), "completed") }))
	if got := e.statesTold(); !slices.Equal(got, []string{"awaiting_approval", "executing", "completed"}) {
		t.Errorf("the plan was %v", got)
	}
	e.wantFile("a.txt", strings.ReplaceAll(twoFruits, "apple", "pear"))
}

// A transactional client gets all files in one request.
func TestTransactionalClient(t *testing.T) {
	profile := lsptest.Honest()
	profile.FailureHandling = "transactional"
	c := connect(t, profile, map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	requests := 0
	c.OnApply(func(edit lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		requests++
		if n := len(edit.DocumentChanges); n != 2 {
			t.Errorf("request %d has %d files", requests, n)
		}
		if requests == 1 {
			return lsptest.Answer{Applied: false, FailureReason: "not now"}, true
		}
		return lsptest.Answer{}, false
	})
	if _, err := c.approve(); err == nil {
		t.Error("the refusal was not told")
	}
	c.wantFile("a.txt", twoFruits)
	r, err := c.approve()
	c.must(err)
	if requests != 2 || r.State != "completed" {
		t.Errorf("after %d requests: %+v", requests, r)
	}
	c.wantFile("b.txt", "an pear\n")
}

// A file that cannot be changed is found before anything is sent for another one.
func TestNothingIsSentWhenALaterFileCannotBeChanged(t *testing.T) {
	c := connect(t, lsptest.VSCodeLike(), map[string]string{"a.txt": "an apple\n", "b.txt": "an apple\n"})
	c.must(c.Open("a.txt"))
	c.must(c.Open("b.txt"))
	c.plan(`replace "apple" with "pear"`)
	c.must(c.Notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": c.URI("b.txt"), "version": 2},
		"contentChanges": []any{map[string]any{"range": nil, "text": "x"}},
	}))
	c.await(lsptest.MessageContains("could not be read"))
	_, err := c.approve()
	if err == nil || !strings.Contains(err.Error(), "b.txt") {
		t.Errorf("the approval: %v; want one that names b.txt", err)
	}
	if n := c.Applied(); n != 0 {
		t.Errorf("%d edits were sent", n)
	}
	c.wantFile("a.txt", "an apple\n")
}
