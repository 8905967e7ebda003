package decide_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/decide/decidetest"
	"redline/agent/plan"
	"redline/agent/view"
)

func bytesOf(s *session, name string) string {
	data, err := os.ReadFile(filepath.Join(s.Dir, name))
	s.Must(err)
	return string(data)
}

func create(path, text string) decidetest.Call {
	return decidetest.NewCall("write_file", map[string]any{"path": path, "content": text})
}

const latin1 = "root = true\n[*]\ncharset = latin1\n"

// What is written is in the charset that the plan was made for, also if a rule about charsets comes
// or goes until then, and in the same plan.
func TestFilesAreWrittenInTheCharsetOfThePlan(t *testing.T) {
	t.Run("a rule comes", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "e\n"})
		p := s.Plan("accents", create("new.txt", "é\n"), edit("old.txt", "e", "é"))
		s.Write(".editorconfig", latin1)
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		for _, name := range []string{"new.txt", "old.txt"} {
			if got := bytesOf(s, name); got != "é\n" {
				t.Errorf("%s has %q", name, got)
			}
		}
	})
	t.Run("a rule goes, so the file could not be read again", func(t *testing.T) {
		s := newSession(t, map[string]string{".editorconfig": latin1, "old.txt": "e\n"})
		p := s.Plan("accents", edit("old.txt", "e", "é"))
		s.Write(".editorconfig", "root = true\n")
		_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
		s.WantRefused(err, plan.ApplyFailed)
		if got := bytesOf(s, "old.txt"); got != "e\n" {
			t.Errorf("old.txt has %q", got)
		}
	})
	t.Run("a rule in the plan", func(t *testing.T) {
		s := newSession(t, map[string]string{"old.txt": "e\n"})
		p := s.Plan("accents", create(".editorconfig", latin1), create("new.txt", "é\n"), edit("old.txt", "e", "é"))
		s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
		for _, name := range []string{"new.txt", "old.txt"} {
			if got := bytesOf(s, name); got != "é\n" {
				t.Errorf("%s has %q", name, got)
			}
		}
	})
}

// The hash has the charset.
func TestTheHashHasTheCharset(t *testing.T) {
	hash := func(rule string) string {
		s := newSession(t, map[string]string{".editorconfig": rule})
		return s.Plan("accents", create("new.txt", "é\n")).Hash
	}
	if hash("") == hash(latin1) {
		t.Error("two charsets have one hash")
	}
}

// A file that is read in another charset than before is not written, although its text is the same.
func TestAFileInAnotherCharsetIsStale(t *testing.T) {
	s := newSession(t, map[string]string{".editorconfig": latin1, "a.txt": "\xe9\none\n"})
	p := s.Plan("figures", edit("a.txt", "one", "1"))
	s.Write("a.txt", "é\none\n")
	_, err := s.Approve(s.Context(), view.Request{Plan: 1, Hash: p.Hash})
	s.WantRefused(err, plan.Stale)
	if got := bytesOf(s, "a.txt"); got != "é\none\n" {
		t.Errorf("a.txt has %q", got)
	}
}

// An undo after a restart writes the bytes of before, although the file had only ASCII meanwhile.
func TestAnUndoAfterARestartKeepsTheCharset(t *testing.T) {
	for name, c := range map[string]struct{ rule, text string }{
		"UTF-8, where a rule names Latin-1": {latin1, "é\none\n"},
		"Latin-1 by a rule":                 {latin1, "\xe9\none\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, map[string]string{".editorconfig": c.rule, "a.txt": c.text})
			p := s.Plan("no accents", edit("a.txt", "é", "e"))
			s.MustApprove(view.Request{Plan: 1, Hash: p.Hash})
			if got := bytesOf(s, "a.txt"); got != "e\none\n" {
				t.Fatalf("a.txt has %q", got)
			}
			s.Restart()
			if _, err := s.Undo(s.Context(), view.Request{Plan: 1}); err != nil {
				t.Fatal(err)
			}
			if got := bytesOf(s, "a.txt"); got != c.text {
				t.Errorf("a.txt has %q after the undo, want %q", got, c.text)
			}
		})
	}
}
