package lsptest

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"redline/edits"
)

const yes = `{"applied":true}`

// no is the answer of an editor that gives a reason.
func no(reason string, failed string) string {
	return `{"applied":false,"failureReason":"` + reason + `","failedChange":` + failed + `}`
}

// twoDocs has two open documents; the second is at version 2.
func twoDocs(t *testing.T, p Profile) (*Editor, *server) {
	e, s := session(t, p, edits.UTF16, map[string]string{"a": "one", "b": "two"})
	must(t, e.Open("a"))
	must(t, e.Open("b"))
	must(t, e.Insert("b", 0, 3, "!"))
	return e, s
}

// TestVersions checks what each editor does with an edit for another version of a document.
func TestVersions(t *testing.T) {
	tests := []struct {
		name    string
		profile Profile
		edit    func(e *Editor) any
		answer  string
		a, b    string // the texts afterwards
	}{
		{"honest: right", Honest(), func(e *Editor) any { return documentChanges(edit(e, "b", 2, replace(0, 0, 3, "2"))) }, yes, "one", "2!"},
		{"honest: null", Honest(), func(e *Editor) any { return documentChanges(edit(e, "b", nil, replace(0, 0, 3, "2"))) }, yes, "one", "2!"},
		{"honest: stale", Honest(), func(e *Editor) any { return documentChanges(edit(e, "b", 1, replace(0, 0, 3, "2"))) }, no("document has changed", "0"), "one", "two!"},
		{"honest: future", Honest(), func(e *Editor) any { return documentChanges(edit(e, "b", 3, replace(0, 0, 3, "2"))) }, no("document has changed", "0"), "one", "two!"},
		{"honest: omitted", Honest(), func(e *Editor) any { return documentChanges(edit(e, "b", "omitted", replace(0, 0, 3, "2"))) }, no("the edit has no version key", "0"), "one", "two!"},
		{"honest: second stale, the first stays", Honest(), func(e *Editor) any {
			return documentChanges(edit(e, "a", 1, replace(0, 0, 3, "1")), edit(e, "b", 1, replace(0, 0, 3, "2")))
		}, no("document has changed", "1"), "1", "two!"},
		{"neovim 0.7: stale is skipped, and said to be applied", NeovimLike(), func(e *Editor) any { return documentChanges(edit(e, "b", 1, replace(0, 0, 3, "2"))) }, yes, "one", "two!"},
		{"neovim 0.7: future", NeovimLike(), func(e *Editor) any { return documentChanges(edit(e, "b", 9, replace(0, 0, 3, "2"))) }, yes, "one", "2!"},
		{"neovim 0.7: omitted", NeovimLike(), func(e *Editor) any { return documentChanges(edit(e, "b", "omitted", replace(0, 0, 3, "2"))) }, yes, "one", "2!"},
		{"neovim 0.7: a stale second document is edited all the same", NeovimLike(), func(e *Editor) any {
			return documentChanges(edit(e, "a", 1, replace(0, 0, 3, "1")), edit(e, "b", 1, replace(0, 0, 3, "2")))
		}, yes, "1", "2!"},
		{"neovim 0.12: omitted", Neovim12Like(), func(e *Editor) any { return documentChanges(edit(e, "b", "omitted", replace(0, 0, 3, "2"))) }, no("the edit has no version key", "0"), "one", "two!"},
		{"neovim 0.12: stale is skipped, and said to be applied", Neovim12Like(), func(e *Editor) any { return documentChanges(edit(e, "b", 1, replace(0, 0, 3, "2"))) }, yes, "one", "two!"},
		{"neovim: version 0 is not checked", Neovim12Like(), func(e *Editor) any { return documentChanges(edit(e, "b", 0, replace(0, 0, 3, "2"))) }, yes, "one", "2!"},
		{"helix: stale", HelixLike(), func(e *Editor) any { return documentChanges(edit(e, "b", 1, replace(0, 0, 3, "2"))) }, no("document has changed", "0"), "one", "two!"},
		{"helix: omitted", HelixLike(), func(e *Editor) any { return documentChanges(edit(e, "b", "omitted", replace(0, 0, 3, "2"))) }, yes, "one", "2!"},
		{"changes", Honest(), func(e *Editor) any {
			return map[string]any{"changes": map[string]any{e.URI("a"): []any{replace(0, 0, 3, "1")}, e.URI("b"): []any{replace(0, 0, 3, "2")}}}
		}, yes, "1", "2!"},
		{"overlapping edits", Honest(), func(e *Editor) any {
			return documentChanges(edit(e, "a", 1, replace(0, 0, 2, "1"), replace(0, 1, 3, "2")))
		}, "overlapping edits", "one", "two!"},
		{"two insertions at one place keep their order", Honest(), func(e *Editor) any {
			return documentChanges(edit(e, "a", 1, replace(0, 1, 1, "X"), replace(0, 1, 1, "Y")))
		}, yes, "oXYne", "two!"},
		{"a line that is not there", Honest(), func(e *Editor) any {
			return documentChanges(edit(e, "a", 1, replace(7, 0, 0, "X")))
		}, `"applied":false`, "one", "two!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, s := twoDocs(t, tt.profile)
			got, err := s.apply(t.Context(), tt.edit(e))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, tt.answer) {
				t.Errorf("the answer is %s, want %s", got, tt.answer)
			}
			for path, want := range map[string]string{"a": tt.a, "b": tt.b} {
				if seen, _ := s.sees(e, path); seen != want || e.Text(path) != want {
					t.Errorf("%s is %q, the server sees %q, want %q", path, e.Text(path), seen, want)
				}
			}
		})
	}
}

// TestFileOperations checks what each editor does with CreateFile, RenameFile and DeleteFile.
func TestFileOperations(t *testing.T) {
	create := func(e *Editor, path string, options map[string]any) any {
		return documentChanges(operation("create", map[string]any{"uri": e.URI(path), "options": options}))
	}
	rename := func(e *Editor, from, to string) any {
		return documentChanges(operation("rename", map[string]any{"oldUri": e.URI(from), "newUri": e.URI(to)}))
	}
	careful := map[string]any{"ignoreIfExists": true}
	const gone = "\x00gone"
	tests := []struct {
		name    string
		profile Profile
		edit    func(e *Editor) any
		applied bool
		disk    map[string]string // afterwards
	}{
		{"honest: create in a new folder", Honest(), func(e *Editor) any { return create(e, "x/y/new", nil) }, true, map[string]string{"x/y/new": ""}},
		{"honest: create over a file", Honest(), func(e *Editor) any { return create(e, "a", nil) }, false, map[string]string{"a": "one"}},
		{"honest: create over a file, ignored", Honest(), func(e *Editor) any { return create(e, "a", careful) }, true, map[string]string{"a": "one"}},
		{"honest: create over a file, overwriting", Honest(), func(e *Editor) any { return create(e, "a", map[string]any{"overwrite": true}) }, true, map[string]string{"a": ""}},
		{"honest: rename", Honest(), func(e *Editor) any { return rename(e, "a", "x/c") }, true, map[string]string{"a": gone, "x/c": "one"}},
		{"honest: rename onto a file", Honest(), func(e *Editor) any { return rename(e, "a", "b") }, false, map[string]string{"a": "one", "b": "two"}},
		{"honest: delete", Honest(), func(e *Editor) any { return documentChanges(operation("delete", map[string]any{"uri": e.URI("a")})) }, true, map[string]string{"a": gone}},
		{"honest: delete nothing", Honest(), func(e *Editor) any { return documentChanges(operation("delete", map[string]any{"uri": e.URI("z")})) }, false, nil},
		{"neovim 0.7: create over a file empties it", NeovimLike(), func(e *Editor) any { return create(e, "a", nil) }, true, map[string]string{"a": ""}},
		{"neovim 0.7: careful create makes no file", NeovimLike(), func(e *Editor) any { return create(e, "new", careful) }, true, map[string]string{"new": gone}},
		{"neovim 0.7: create in a new folder fails, and is said to be applied", NeovimLike(), func(e *Editor) any { return create(e, "x/new", nil) }, true, map[string]string{"x/new": gone}},
		{"neovim 0.7: rename onto a file is skipped, and said to be applied", NeovimLike(), func(e *Editor) any { return rename(e, "a", "b") }, true, map[string]string{"a": "one", "b": "two"}},
		{"helix: create over a file empties it", HelixLike(), func(e *Editor) any { return create(e, "a", nil) }, true, map[string]string{"a": ""}},
		{"helix: careful create", HelixLike(), func(e *Editor) any { return create(e, "x/new", careful) }, true, map[string]string{"x/new": ""}},
		{"helix: rename onto a file overwrites it", HelixLike(), func(e *Editor) any { return rename(e, "a", "b") }, true, map[string]string{"a": gone, "b": "one"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, s := session(t, tt.profile, edits.UTF16, map[string]string{"a": "one", "b": "two"})
			got, err := s.apply(t.Context(), tt.edit(e))
			if err != nil {
				t.Fatal(err)
			}
			if applied := strings.HasPrefix(got, `{"applied":true`); applied != tt.applied {
				t.Errorf("the answer is %s", got)
			}
			for path, want := range tt.disk {
				text, err := os.ReadFile(e.onDisk(path))
				if err != nil {
					text = []byte(gone)
				}
				if string(text) != want {
					t.Errorf("%s is %q, want %q", path, text, want)
				}
			}
		})
	}
}

// TestRenameOpenDocument moves a buffer with its unsaved text.
func TestRenameOpenDocument(t *testing.T) {
	e, s := session(t, Honest(), edits.UTF16, map[string]string{"a": "one"})
	must(t, e.Open("a"))
	must(t, e.Insert("a", 0, 3, "!"))
	s.wants(documentChanges(
		operation("rename", map[string]any{"oldUri": e.URI("a"), "newUri": e.URI("c")}),
		edit(e, "c", nil, replace(0, 0, 0, ">")),
	), yes)
	if got, open := s.sees(e, "c"); !open || got != ">one!" {
		t.Errorf("the server sees %q", got)
	}
	if _, open := s.sees(e, "a"); open {
		t.Error("the old name is still open")
	}
}

// TestUnopenedFile: some editors tell the server when they open a file to edit it, some do not.
func TestUnopenedFile(t *testing.T) {
	for _, p := range []Profile{Honest(), NeovimLike(), Neovim12Like(), HelixLike(), KateLike()} {
		t.Run(p.Name, func(t *testing.T) {
			e, s := session(t, p, edits.UTF16, map[string]string{"a": "one"})
			_, err := e.Execute(t.Context(), "echo", nil) // opens Kate's window
			must(t, err)
			s.wants(documentChanges(edit(e, "a", nil, replace(0, 0, 3, "1"))), yes)
			if e.Text("a") != "1" || !e.Dirty("a") {
				t.Errorf("the buffer is %q", e.Text("a"))
			}
			got, open := s.sees(e, "a")
			if open != p.Attach || open && got != "1" {
				t.Errorf("the server sees %q (open: %v)", got, open)
			}
			if disk, _ := os.ReadFile(e.onDisk("a")); string(disk) != "one" {
				t.Errorf("the disk has %q before saving", disk)
			}
			must(t, e.SaveAll())
			s.sync(e)
			if told := strings.Contains(strings.Join(s.trace, ","), "save a"); told != p.Attach {
				t.Errorf("didSave was sent: %v", told)
			}
		})
	}
}

// TestLateChanges: Neovim's didChange comes after the answer, other editors' before it.
func TestLateChanges(t *testing.T) {
	for _, p := range []Profile{Honest(), NeovimLike()} {
		t.Run(p.Name, func(t *testing.T) {
			e, s := twoDocs(t, p)
			s.wants(documentChanges(edit(e, "a", nil, replace(0, 0, 1, "O"), replace(0, 2, 3, "E"))), yes)
			s.sync(e)
			all := e.Transcript()
			answered, changed := strings.LastIndex(all, `"result":{"applied":true}`), strings.LastIndex(all, "didChange")
			if late := changed > answered; late != p.LateChanges {
				t.Errorf("didChange came late: %v", late)
			}
			if got, _ := s.sees(e, "a"); got != "OnE" {
				t.Errorf("the server sees %q", got)
			}
		})
	}
}

// TestKateWindow: Kate takes edits only for a while after a command, and no file operations.
func TestKateWindow(t *testing.T) {
	p := KateLike()
	p.ApplyWindow = time.Hour
	e, s := session(t, p, edits.UTF16, map[string]string{"a": "one"})
	change := documentChanges(edit(e, "a", 99, replace(0, 0, 3, "1")))
	s.wants(change, `{"applied":false}`)
	_, err := e.Execute(t.Context(), "echo", nil)
	must(t, err)
	s.wants(change, yes) // any version will do
	s.wants(documentChanges(operation("delete", map[string]any{"uri": e.URI("a")})), yes)
	if _, err := os.Stat(e.onDisk("a")); err != nil {
		t.Error("a file operation was carried out")
	}
	e.commands.Lock()
	e.commands.last = time.Now().Add(-2 * time.Hour)
	e.commands.Unlock()
	s.wants(change, `{"applied":false}`)
}

// TestScriptedApply: a test may refuse, wait, lie, or apply the edit and answer something else.
func TestScriptedApply(t *testing.T) {
	e, s := twoDocs(t, Honest())
	change := documentChanges(edit(e, "a", nil, replace(0, 0, 3, "1")))

	e.OnApply(func(WorkspaceEdit) (Answer, bool) { return Answer{Applied: false, FailureReason: "I said no"}, true })
	s.wants(change, `{"applied":false,"failureReason":"I said no"}`)

	e.OnApply(func(WorkspaceEdit) (Answer, bool) { return Answer{Applied: true}, true })
	s.wants(change, yes)
	if e.Text("a") != "one" {
		t.Fatal("the lie was the truth")
	}

	e.OnApply(func(w WorkspaceEdit) (Answer, bool) { e.Apply(w); return Answer{Applied: nil}, true })
	s.wants(change, `{"applied":null}`)
	if e.Text("a") != "1" {
		t.Fatal("the edit was not made")
	}

	release := make(chan struct{})
	e.OnApply(func(WorkspaceEdit) (Answer, bool) { <-release; return Answer{}, false })
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := s.apply(ctx, change); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v while the user looks at a prompt", err)
	}
	must(t, e.Insert("a", 0, 0, "typed ")) // everything else continues
	if got, _ := s.sees(e, "a"); got != "typed 1" {
		t.Errorf("the server sees %q", got)
	}
	close(release)
	must(t, e.Await(t.Context(), TextEquals("a", "1ed 1")))
}
