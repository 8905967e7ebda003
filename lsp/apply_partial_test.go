package lsp

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/agent/state"
	"redline/edits"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// steps makes the editor carry out only the steps of the next edit with the indices in keep, and
// answer that it failed.
func (c *connected) steps(keep ...int) {
	done := false
	c.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		if done {
			return lsptest.Answer{}, false
		}
		done = true
		all := e.DocumentChanges
		e.DocumentChanges = []json.RawMessage{}
		for _, i := range keep {
			e.DocumentChanges = append(e.DocumentChanges, all[i])
		}
		c.Apply(e)
		return lsptest.Answer{Applied: false, FailureReason: "it went wrong"}, true
	})
}

// The editor makes the first step of a change and fails at the second: the first is reverted,
// and the refusal is true.
func TestHalfAFileIsTakenBack(t *testing.T) {
	lsptestProfiles := []lsptest.Profile{lsptest.Honest(), lsptest.Neovim12Like(), lsptest.HelixLike()}
	for _, profile := range lsptestProfiles {
		t.Run(profile.Name, func(t *testing.T) {
			c := connect(t, profile, map[string]string{"a.txt": twoFruits})
			c.must(c.Open("a.txt"))
			c.plan(`replace "apple" with "pear" in a.txt then move a.txt to b.txt`)
			c.steps(0)
			_, err := c.approve()
			if refusal, ok := errors.AsType[*lsptest.Refusal](err); !ok || !strings.Contains(refusal.Message, "it went wrong") {
				t.Fatalf("got %v, want a refusal", err)
			}
			c.wantFile("a.txt", twoFruits)
			if c.onDisk("b.txt") != "" {
				t.Error("b.txt is there")
			}
			r, err := c.approve() // another attempt is possible
			c.must(err)
			if r.State != "completed" {
				t.Errorf("the second attempt: %+v", r)
			}
		})
	}
}

// A half-made change that cannot be reverted safely stays, and the user learns the state of each
// file.
func TestHalfAFileThatStaysIsTold(t *testing.T) {
	const both = `replace "apple" with "pear" in a.txt then move a.txt to b.txt`
	for name, c := range map[string]struct {
		request string
		steps   func(*connected)
		want    string
		texts   map[string]string
	}{
		"typed into since": {both, func(c *connected) {
			c.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				e.DocumentChanges = e.DocumentChanges[:1]
				c.Apply(e)
				c.must(c.Insert("a.txt", 2, 0, "typed\n"))
				return lsptest.Answer{Applied: false, FailureReason: "it went wrong"}, true
			})
		}, "The edits were made in a.txt, but it was not moved to b.txt", map[string]string{"a.txt": "one pear\ntwo\ntyped\nthree\nfour 😀 pear\nfive\n", "b.txt": ""}},
		"the way back is refused": {both, func(c *connected) {
			first := true
			c.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				if first {
					first = false
					e.DocumentChanges = e.DocumentChanges[:1]
					c.Apply(e)
				}
				return lsptest.Answer{Applied: false, FailureReason: "it went wrong"}, true
			})
		}, "The edits were made in a.txt, but it was not moved to b.txt", map[string]string{"a.txt": "one pear\ntwo\nthree\nfour 😀 pear\nfive\n", "b.txt": ""}},
		"moved and not edited": {both, func(c *connected) { c.steps(1) },
			"a.txt was moved to b.txt, but the edits are not all in it", map[string]string{"a.txt": "", "b.txt": twoFruits}},
		"created with another text": {"create c.txt with \"hello\n\"", func(c *connected) {
			c.must(c.Open("c.txt"))
			c.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				write(t, filepath.Join(c.dir, "c.txt"), "what")
				return lsptest.Answer{Applied: false, FailureReason: "it went wrong"}, true
			})
		}, "c.txt is there now, but without its text", map[string]string{"c.txt": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			e := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
			e.must(e.Open("a.txt"))
			e.plan(c.request)
			c.steps(e)
			_, err := e.approve()
			if refusal, ok := errors.AsType[*lsptest.Refusal](err); !ok || !strings.Contains(refusal.Message, "it went wrong. "+c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			raw, err := e.Execute(e.ctx, command.State, nil)
			e.must(err)
			var shown struct{ Plans []state.Plan }
			e.must(json.Unmarshal(raw, &shown))
			if !slices.ContainsFunc(shown.Plans[0].Files, func(f state.File) bool {
				return f.Status == "unverified" && strings.Contains(f.Reason, "it went wrong. "+c.want)
			}) {
				t.Errorf("got %+v, want %q", shown.Plans[0].Files, c.want)
			}
			e.await(lsptest.MessageContains(c.want))
			for name, text := range c.texts {
				e.wantFile(name, text)
			}
		})
	}
}

// Some edits of one file are made and others are not.
func TestHalfOfTheEdits(t *testing.T) {
	e := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
	e.must(e.Open("a.txt"))
	e.plan(`replace "apple" with "pear"`)
	first := true
	e.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		if !first {
			return lsptest.Answer{}, false
		}
		first = false
		e.must(e.Replace("a.txt", "one apple", "one pear"))
		return lsptest.Answer{Applied: false, FailureReason: "it went wrong"}, true
	})
	if _, err := e.approve(); err == nil {
		t.Error("the refusal was not told")
	}
	e.wantFile("a.txt", twoFruits)
}

// The editor skips every edit but the first of a file, and claims to have made them all: the
// first is reverted, in a closed file too, and so are the other files.
func TestEditsLeftOut(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]bool{"open": true, "closed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := connect(t, lsptest.Honest(), map[string]string{"a.txt": "an apple\n", "b.txt": twoFruits, "c.txt": "apples\n"})
			for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
				if open {
					e.must(e.Open(name))
				}
			}
			e.plan(`replace "apple" with "pear"`)
			first := true
			e.OnApply(func(edit lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				if !first || edit.URIs()[0] != e.URI("b.txt") {
					return lsptest.Answer{}, false
				}
				first = false
				if open {
					e.must(e.Replace("b.txt", "one apple", "one pear"))
				} else {
					write(t, filepath.Join(e.dir, "b.txt"), strings.Replace(twoFruits, "one apple", "one pear", 1))
				}
				return lsptest.Answer{Applied: true}, true
			})
			_, err := e.approve()
			if refusal, ok := errors.AsType[*lsptest.Refusal](err); !ok || !strings.Contains(refusal.Message, "made only a part of that: 1 of 2 edits") ||
				!strings.Contains(refusal.Message, "Nothing of this approval stays applied") {
				t.Errorf("got %v", err)
			}
			e.wantFile("a.txt", "an apple\n")
			e.wantFile("b.txt", twoFruits)
			e.wantFile("c.txt", "apples\n")
		})
	}
}

// A file that was created in the buffer that shows it, and never saved, is text in that buffer:
// undoing the creation removes it, even in a client that keeps the buffers of deleted files.
func TestUndoOfAnUnsavedCreation(t *testing.T) {
	keeping := lsptest.Honest()
	keeping.Name, keeping.KeepsDeleted = "honest-keeping", true
	for _, profile := range []lsptest.Profile{lsptest.Honest(), keeping, lsptest.Neovim12Like(), lsptest.HelixLike()} {
		t.Run(profile.Name, func(t *testing.T) {
			c := connect(t, profile, nil)
			c.must(c.Open("d.txt"))
			c.plan("create d.txt with \"hello\n\"") // the open buffer without text does not prevent the creation
			r, err := c.approve()
			c.must(err)
			if r.State != "completed" || c.Text("d.txt") != "hello\n" || c.onDisk("d.txt") != "" {
				t.Fatalf("%q: %+v", c.Text("d.txt"), r)
			}
			if r, err = c.decide(command.Undo, 1); err != nil || r.State != "awaiting_approval" {
				t.Fatalf("%+v, %v", r, err)
			}
			if r, err = c.approve(); err != nil || r.State != "completed" {
				t.Fatalf("approved again: %+v, %v", r, err)
			}
			if r, err = c.decide(command.Undo, 1); err != nil || r.State != "awaiting_approval" {
				t.Fatalf("undone again: %+v, %v", r, err)
			}
			if text := c.Text("d.txt"); !edits.Blank(text) {
				t.Errorf("d.txt has the text %q", text)
			}
			if _, err := os.Stat(filepath.Join(c.dir, "d.txt")); err == nil {
				t.Error("d.txt is on disk")
			}
			c.await(lsptest.MessageContains("plan 1: 1 change in 1 file taken back."))
			for _, m := range c.Messages() {
				if strings.Contains(m.Text, "taken back. Not saved yet") {
					t.Errorf("there is nothing to save: %q", m.Text)
				}
			}
		})
	}
}

// A file whose buffer equals the disk counts as deleted when it is gone from the disk, whatever
// the client does with the buffer; undoing that restores it.
func TestDeletionOfAnOpenFile(t *testing.T) {
	profile := lsptest.Honest()
	profile.KeepsDeleted = true
	c := connect(t, profile, map[string]string{"a.txt": "bye\n"})
	c.must(c.Open("a.txt"))
	c.plan(`delete a.txt`)
	r, err := c.approve()
	c.must(err)
	if r.State != "completed" {
		t.Errorf("got %+v", r)
	}
	c.wantFile("a.txt", "bye\n") // the buffer stays
	if _, err := os.Stat(filepath.Join(c.dir, "a.txt")); err == nil {
		t.Error("a.txt is on disk")
	}
	if r, err = c.decide(command.Undo, 1); err != nil || r.State != "awaiting_approval" {
		t.Errorf("undone: %+v, %v", r, err)
	}
	if text, err := os.ReadFile(filepath.Join(c.dir, "a.txt")); err != nil || string(text) != "bye\n" {
		t.Errorf("a.txt is %q, %v", text, err)
	}
}
