package lsp

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// onDisk returns a file's text, "a folder", "a link", or "" if there is nothing.
func (c *connected) onDisk(name string) string {
	info, err := os.Lstat(filepath.Join(c.dir, name))
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return "a folder"
	case info.Mode()&fs.ModeSymlink != 0:
		return "a link"
	}
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	c.must(err)
	return string(text)
}

// A file or folder that prevents an approval stays, and the rest of the plan is not
// applied. The user gets the reason in a sentence.
func TestWhatIsInTheWay(t *testing.T) {
	const create, move = `replace "one" with "1" in a.txt then create to/d.txt with "hello"`, `replace "one" with "1" in a.txt then move b.txt to to/d.txt`
	for name, x := range map[string]struct {
		request string
		comes   func(*connected)
		kind    string
		told    string
		stays   map[string]string // on disk
	}{
		"a file, of a creation": {create, func(c *connected) { write(c.t, filepath.Join(c.dir, "to/d.txt"), "mine\n") },
			"stale", "a file of the name to/d.txt exists now", map[string]string{"to/d.txt": "mine\n"}},
		"a folder, of a creation": {create, func(c *connected) { write(c.t, filepath.Join(c.dir, "to/d.txt/in.txt"), "mine\n") },
			"stale", "a folder of the name to/d.txt exists now", map[string]string{"to/d.txt/in.txt": "mine\n"}},
		"a file where a folder is needed, of a creation": {create, func(c *connected) { write(c.t, filepath.Join(c.dir, "to"), "mine\n") },
			"stale", "a part of its path is a file", map[string]string{"to": "mine\n"}},
		"an unsaved buffer, of a creation": {create, func(c *connected) {
			c.must(c.Open("to/d.txt"))
			c.must(c.Insert("to/d.txt", 0, 0, "mine"))
		}, "stale", "a file of the name to/d.txt exists now", map[string]string{"to/d.txt": ""}},
		"a file, of a move": {move, func(c *connected) { write(c.t, filepath.Join(c.dir, "to/d.txt"), "mine\n") },
			"stale", "a file of the name to/d.txt exists now", map[string]string{"to/d.txt": "mine\n"}},
		"a folder, of a move": {move, func(c *connected) { write(c.t, filepath.Join(c.dir, "to/d.txt/in.txt"), "mine\n") },
			"stale", "a folder of the name to/d.txt exists now", map[string]string{"to/d.txt/in.txt": "mine\n"}},
		"a file where a folder is needed, of a move": {move, func(c *connected) { write(c.t, filepath.Join(c.dir, "to"), "mine\n") },
			"stale", "a part of its path is a file", map[string]string{"to": "mine\n"}},
		"an unsaved buffer, of a move": {move, func(c *connected) {
			c.must(c.Open("to/d.txt"))
			c.must(c.Insert("to/d.txt", 0, 0, "mine"))
		}, "stale", "a file of the name to/d.txt exists now", map[string]string{"to/d.txt": ""}},
		"a new buffer without a text, of a move": {move, func(c *connected) { c.must(c.Open("to/d.txt")) },
			"stale", "a new file of the name to/d.txt is open now", nil},
	} {
		for _, profile := range everyClient {
			t.Run(name+" "+profile.Name, func(t *testing.T) {
				c := connect(t, profile, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
				c.plan(x.request)
				x.comes(c)
				_, err := c.approve()
				refusal, ok := errors.AsType[*lsptest.Refusal](err)
				if !ok || refusal.Kind != x.kind || !strings.Contains(refusal.Message, x.told) {
					t.Errorf("got %v, want a refusal (%s) with %q", err, x.kind, x.told)
				}
				if n := c.Applied(); n != 0 {
					t.Errorf("%d edits were made", n)
				}
				c.wantFile("a.txt", "one\n")
				if got := c.onDisk("b.txt"); got != "b\n" {
					t.Errorf("b.txt is %q", got)
				}
				for path, want := range x.stays {
					if got := c.onDisk(path); got != want {
						t.Errorf("%s is %q, want %q", path, got, want)
					}
				}
			})
		}
	}
}

// Files swap places or replace a file that is deleted or moved: each path then has what the
// plan says, in every client, and undo restores all of them.
func TestTradingPlaces(t *testing.T) {
	for name, x := range map[string]struct {
		request string
		want    map[string]string
	}{
		"two swap": {`move a.txt to t.txt then move b.txt to a.txt then move t.txt to b.txt`,
			map[string]string{"a.txt": "b\n", "b.txt": "a\n", "t.txt": ""}},
		"onto one that is deleted": {`delete b.txt then move a.txt to b.txt`, map[string]string{"a.txt": "", "b.txt": "a\n"}},
		"onto one that moves away": {`move b.txt to c.txt then move a.txt to b.txt`, map[string]string{"a.txt": "", "b.txt": "a\n", "c.txt": "b\n"}},
		"away and a new one":       {`move a.txt to c.txt then create a.txt with "new` + "\n\"", map[string]string{"a.txt": "new\n", "c.txt": "a\n"}},
	} {
		for _, profile := range everyClient {
			if !profile.Attach {
				continue // the server cannot see its changes to files that are not open
			}
			t.Run(name+" "+profile.Name, func(t *testing.T) {
				before := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "", "t.txt": ""}
				c := connect(t, profile, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
				c.plan(x.request)
				r, err := c.approve()
				if err != nil || r.State != "completed" {
					t.Fatalf("%+v, %v", r, err)
				}
				c.must(c.SaveAll())
				for path, want := range x.want {
					if got := c.onDisk(path); got != want {
						t.Errorf("%s is %q, want %q", path, got, want)
					}
				}
				if r, err = c.decide(command.Undo, 1); err != nil || r.State != "awaiting_approval" {
					t.Fatalf("undo: %+v, %v", r, err)
				}
				c.must(c.SaveAll())
				for path, want := range before {
					if got := c.onDisk(path); got != want {
						t.Errorf("undone, %s is %q, want %q", path, got, want)
					}
				}
			})
		}
	}
}

// A file with unsaved changes is deleted, or moved with an edit. In a client that leaves
// file operations to the server it must be saved first, and a message says so.
func TestFilesWithUnsavedChanges(t *testing.T) {
	for _, profile := range everyClient {
		for name, request := range map[string]string{
			"deleted": `delete a.txt`,
			"moved":   `replace "apple" with "pear" in a.txt then move a.txt to sub/b.txt`,
		} {
			t.Run(name+" "+profile.Name, func(t *testing.T) {
				c := connect(t, profile, map[string]string{"a.txt": twoFruits})
				c.must(c.Open("a.txt"))
				c.must(c.Insert("a.txt", 0, 0, "unsaved\n"))
				c.plan(request)
				r, err := c.approve()
				if !profile.FileOperations {
					if err == nil || !strings.Contains(err.Error(), "a.txt has unsaved changes in the editor; save it") {
						t.Fatalf("%+v, %v", r, err)
					}
					c.wantFile("a.txt", "unsaved\n"+twoFruits)
					c.must(c.Save("a.txt"))
					r, err = c.approve()
				}
				if err != nil || r.State != "completed" {
					t.Fatalf("%+v, %v", r, err)
				}
				if name == "deleted" {
					if got := c.onDisk("a.txt"); got != "" {
						t.Errorf("a.txt is %q", got)
					}
					return
				}
				if got := c.onDisk("a.txt"); got != "" {
					t.Errorf("a.txt is %q", got)
				}
				c.wantFile("sub/b.txt", "unsaved\n"+strings.ReplaceAll(twoFruits, "apple", "pear"))
			})
		}
	}
}

// Symbolic links are neither deleted nor moved, even if the file became one after the plan
// was made.
func TestLinks(t *testing.T) {
	for _, profile := range everyClient {
		for name, request := range map[string]string{"deleted": `delete a.txt`, "moved": `move a.txt to b.txt`} {
			t.Run(name+" "+profile.Name, func(t *testing.T) {
				c := connect(t, profile, map[string]string{"a.txt": "text\n", "real.txt": "text\n"})
				c.plan(request)
				c.must(os.Remove(filepath.Join(c.dir, "a.txt")))
				if err := os.Symlink("real.txt", filepath.Join(c.dir, "a.txt")); err != nil {
					t.Skipf("symbolic links cannot be made here: %v", err)
				}
				_, err := c.approve()
				if refusal, ok := errors.AsType[*lsptest.Refusal](err); !ok || !strings.Contains(refusal.Message, "symbolic link") {
					t.Errorf("got %v, want a refusal", err)
				}
				if c.onDisk("a.txt") != "a link" || c.onDisk("real.txt") != "text\n" || c.onDisk("b.txt") != "" {
					t.Error("something was changed")
				}
			})
		}
	}
}

// Only the case of a name changes, on a disk that ignores case; a hard link stands in for
// such a disk. A closed file is renamed on disk. An open one is renamed by the client; if
// it cannot, the user is asked to close it.
func TestRespelled(t *testing.T) {
	for _, profile := range everyClient {
		for _, open := range []bool{false, true} {
			name := profile.Name
			if open {
				name += " open"
			}
			t.Run(name, func(t *testing.T) {
				c := connect(t, profile, map[string]string{"a.txt": "one\n"})
				if open {
					c.must(c.Open("a.txt"))
				}
				if c.onDisk("A.txt") != "one\n" {
					if open && profile.FileOperations {
						t.Skip("upper and lower case count on this disk")
					}
					c.must(os.Link(filepath.Join(c.dir, "a.txt"), filepath.Join(c.dir, "A.txt")))
				}
				c.plan(`move a.txt to A.txt`)
				r, err := c.approve()
				if open && profile.FileOperations && !profile.RenameOverwrites {
					if err == nil || !strings.Contains(err.Error(), "Close a.txt and approve again") {
						t.Fatalf("%+v, %v", r, err)
					}
					c.must(c.Close("a.txt"))
					r, err = c.approve()
				}
				if err != nil || r.State != "completed" {
					t.Fatalf("%+v, %v", r, err)
				}
				var names []string
				entries, err := os.ReadDir(c.dir)
				c.must(err)
				for _, entry := range entries {
					names = append(names, entry.Name())
				}
				if !slices.Contains(names, "A.txt") || slices.Contains(names, "a.txt") || c.onDisk("A.txt") != "one\n" {
					t.Errorf("there are %q, and A.txt is %q", names, c.onDisk("A.txt"))
				}
			})
		}
	}
}

// A client refuses a move, or an edit in the same approval as a creation: nothing of either
// stays, not even new folders.
func TestRefusedFilesLeaveNoFolders(t *testing.T) {
	for name, request := range map[string]string{
		"created, and another is refused":      `create new/deep/d.txt with "hello" then replace "one" with "1" in b.txt`,
		"moved":                                `move a.txt to new/deep/b.txt`,
		"moved, and another is refused before": `replace "one" with "1" in b.txt then move a.txt to new/deep/b.txt`,
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, lsptest.HelixLike(), map[string]string{"a.txt": "a\n", "b.txt": "one\n"})
			c.plan(request)
			c.OnApply(func(lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				return lsptest.Answer{Applied: false, FailureReason: "not now"}, true
			})
			if _, err := c.approve(); err == nil || !strings.Contains(err.Error(), "not now") {
				t.Fatalf("got %v", err)
			}
			if got := c.onDisk("new"); got != "" {
				t.Errorf("new is %s", got)
			}
			if got := c.onDisk("a.txt"); got != "a\n" {
				t.Errorf("a.txt is %q", got)
			}
		})
	}
}

// After a move the message about unsaved files has the new name, even if the approval was a
// chat message.
func TestAMovedFileIsNamedAsUnsaved(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": "apple\n"})
	c.must(c.Open("a.txt"))
	c.plan(`move a.txt to b.txt then replace "apple" with "pear" in b.txt`)
	_, err := c.Execute(c.ctx, command.Chat, map[string]any{"message": "/approve 1"})
	c.must(err)
	c.await(lsptest.MessageContains("applied. Not saved yet: b.txt."))
}
