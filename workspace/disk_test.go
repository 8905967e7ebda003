package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/edits"
)

func TestDiskApplies(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "one\ntwo\n", "old.go": "x\ny\n", "gone.go": "g", "same.go": "s"})
	must(t, os.Chmod(filepath.Join(dir, "a.go"), 0o751))
	must(t, os.Chmod(filepath.Join(dir, "old.go"), 0o600))
	edit := func(start, end int, text string) []edits.Edit {
		return []edits.Edit{{Span: edits.Span{Start: start, End: end}, New: text}}
	}
	all, err := NewDisk(w).Apply(t.Context(), []edits.Change{
		{Path: "a.go", Kind: edits.Update, Base: "one\ntwo\n", Edits: edit(4, 8, "TWO\n")},
		{Path: "new/dir/b.go", Kind: edits.Create, Text: "b\n", Mode: 0o755},
		{Path: "plain.go", Kind: edits.Create, Text: "\x00"},
		{Path: "old.go", Kind: edits.Rename, NewPath: "moved/new.go", Base: "x\ny\n", Edits: edit(0, 2, "z\n")},
		{Path: "same.go", Kind: edits.Rename, NewPath: "same2.go", Base: "s"},
		{Path: "gone.go", Kind: edits.Delete, Base: "g"},
	})
	must(t, err)
	if len(all) != 6 {
		t.Fatalf("%d outcomes, want 6", len(all))
	}
	for _, a := range all {
		if a.Status != edits.Done || a.Reason != "" {
			t.Errorf("%s: %v %s", a.Path, a.Status, a.Reason)
		}
		for _, l := range a.Landings {
			if l != edits.Landed {
				t.Errorf("%s: an edit did not land: %v", a.Path, l)
			}
		}
	}
	if len(all[0].Landings) != 1 || all[0].Text != "one\nTWO\n" || all[3].Text != "z\ny\n" {
		t.Errorf("outcomes are %+v", all)
	}
	want := map[string]string{"a.go": "one\nTWO\n", "new/dir/b.go": "b\n", "plain.go": "\x00", "moved/new.go": "z\ny\n", "same2.go": "s"}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
	for name, mode := range map[string]fs.FileMode{"a.go": 0o751, "new/dir/b.go": 0o755, "moved/new.go": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != mode && !windows {
			t.Errorf("%s has mode %v, want %v", name, info.Mode(), mode)
		}
	}
}

func TestDiskRefuses(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{
		"a.go": "now\n", "b.go": "b", ".git/config": "c", ".redline/config.toml": "r", "dir/": "", "dirty.go": "d", "unsaved.go": "u",
	})
	outside := newTree(t, map[string]string{"x": "x"})
	link(t, filepath.Join(outside, "x"), filepath.Join(dir, "out"))
	link(t, outside, filepath.Join(dir, "outdir"))
	link(t, "b.go", filepath.Join(dir, "b-link"))
	link(t, "nowhere", filepath.Join(dir, "dangling"))
	link(t, ".git", filepath.Join(dir, "gitdir"))
	w.Open(w.URI("unsaved.go"), "go", 1, "typed")
	before, outsideBefore := shot(t, dir), shot(t, outside)
	change := func(kind edits.Kind, path, base string) edits.Change {
		return edits.Change{Kind: kind, Path: path, Base: base, NewPath: "to.go", Text: "t",
			Edits: []edits.Edit{{Span: edits.Span{End: len(base)}, New: "t"}}}
	}
	onto := func(path, newPath string) edits.Change {
		c := change(edits.Rename, path, "b")
		c.NewPath = newPath
		return c
	}
	for _, c := range []struct {
		change edits.Change
		reason string
	}{
		{change(edits.Update, "a.go", "then\n"), "has changed where it was to be edited"},
		{change(edits.Rename, "a.go", "then\n"), "has changed where it was to be edited"},
		{change(edits.Delete, "a.go", "then\n"), "has changed since"},
		{edits.Change{Path: "a.go", Base: "now\n", Edits: []edits.Edit{{Span: edits.Span{Start: 3, End: 99}}}}, "was not changed"},
		{change(edits.Update, "none.go", ""), "does not exist any more"},
		{change(edits.Delete, "none.go", ""), "does not exist any more"},
		{change(edits.Update, "dir", ""), "is a folder"},
		{change(edits.Delete, "dir", ""), "is a folder"},
		{change(edits.Create, "a.go", ""), "exists already"},
		{change(edits.Create, "dir", ""), "exists already"},
		{change(edits.Create, "a.go/b.go", ""), "is a file, not a folder"},
		{change(edits.Create, "dangling", ""), "does not exist"},
		{change(edits.Create, "b-link", ""), "exists already"},
		{change(edits.Create, "outdir/new", ""), "leads out"},
		{change(edits.Create, "../new", ""), "not a path"},
		{change(edits.Create, ".git/hooks/post-checkout", ""), ".git"},
		{change(edits.Create, "gitdir/hooks/post-checkout", ""), ".git"},
		{change(edits.Create, ".redline/agents/x.md", ""), "Redline itself"},
		{change(edits.Update, ".git/config", "c"), ".git"},
		{change(edits.Update, "out", "x"), "leads out"},
		{change(edits.Delete, "out", "x"), "leads out"},
		{change(edits.Delete, "b-link", "b"), "symbolic link"},
		{change(edits.Rename, "b-link", "b"), "symbolic link"},
		{change(edits.Update, "unsaved.go", "u"), "unsaved changes"},
		{change(edits.Delete, "unsaved.go", "u"), "unsaved changes"},
		{onto("b.go", "a.go"), "exists already"},
		{onto("b.go", "b.go"), "exists already"},
		{onto("b.go", "deep/er/../x"), "not a path"},
		{onto("b.go", ".git/x"), ".git"},
	} {
		all, err := NewDisk(w).Apply(t.Context(), []edits.Change{c.change, change(edits.Create, "never.go", "")})
		if err != nil || len(all) != 1 || all[0].Status != edits.Refused || !strings.Contains(all[0].Reason, c.reason) {
			t.Errorf("%v of %s: %+v, %v; want a refusal with %q and nothing after it", c.change.Kind, c.change.Path, all, err, c.reason)
		}
	}
	if diff := cmp.Diff(before, shot(t, dir)); diff != "" {
		t.Errorf("refusals changed the workspace:\n%s", diff)
	}
	if diff := cmp.Diff(outsideBefore, shot(t, outside)); diff != "" {
		t.Errorf("refusals changed what is outside:\n%s", diff)
	}
}

func TestDiskRebases(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "new first line\none\ntwo\nthree\n"})
	base := "one\ntwo\nthree\n"
	all, err := NewDisk(w).Apply(t.Context(), []edits.Change{
		{Path: "a.go", Base: base, Edits: []edits.Edit{{Span: edits.Span{Start: 4, End: 8}, New: "TWO\n"}}},
	})
	if err != nil || all[0].Status != edits.Done || len(all[0].Landings) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if got := contents(t, dir)["a.go"]; got != "new first line\none\nTWO\nthree\n" {
		t.Errorf("a.go is %q", got)
	}
}

func TestDiskWritesThroughLinks(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"real/a.go": "a", "real/sub/": ""})
	link(t, filepath.Join("real", "a.go"), filepath.Join(dir, "link.go"))
	link(t, "real", filepath.Join(dir, "alias"))
	d := NewDisk(w)
	must(t, d.WriteFile("link.go", "a", "b"))
	must(t, d.WriteFile("alias/a.go", "b", "c"))
	must(t, d.CreateFile("alias/sub/n.go", "n", 0))
	if got, err := os.Readlink(filepath.Join(dir, "link.go")); err != nil || got != filepath.Join("real", "a.go") {
		t.Errorf("the link is now %q, %v", got, err)
	}
	got := contents(t, dir)
	if got["real/a.go"] != "c" || got["real/sub/n.go"] != "n" {
		t.Errorf("the files are %v", got)
	}
}

func TestDiskStopsWhenCancelled(t *testing.T) {
	w, dir := newWorkspace(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all, err := NewDisk(w).Apply(ctx, []edits.Change{{Path: "a.go", Kind: edits.Create}})
	if err != context.Canceled || len(all) != 0 || len(contents(t, dir)) != 0 {
		t.Errorf("%v, %v, %v", all, err, contents(t, dir))
	}
}

func TestMoveNew(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"temp": "new", "there": "old"})
	handle, err := w.allRoots()[0].open()
	must(t, err)
	if err := moveNew(handle, "temp", "there"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("onto a file: %v", err)
	}
	if err := moveNew(handle, "none", "free"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("from nothing: %v", err)
	}
	must(t, moveNew(handle, "temp", "free"))
	if diff := cmp.Diff(map[string]string{"free": "new", "there": "old"}, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestMakeParents(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "a"})
	d := NewDisk(w)
	first, err := d.MakeParents("x/y/z.go")
	must(t, err)
	second, err := d.MakeParents("x/y/z.go")
	must(t, err)
	third, err := d.MakeParents("top.go")
	must(t, err)
	second() // it has created none
	third()
	if exists, isDir, err := w.Stat("x/y"); !exists || !isDir || err != nil {
		t.Errorf("x/y: %v, %v, %v", exists, isDir, err)
	}
	for path, reason := range map[string]string{"a.go/b/c.go": "not a folder", ".git/hooks/x": ".git", "../x/y": "not a path"} {
		_, err := d.MakeParents(path)
		wantRefusal(t, path, err, reason)
	}
	writeTree(t, dir, map[string]string{"x/mine.go": "m"})
	first()
	if exists, _, _ := w.Stat("x/y"); exists {
		t.Error("a folder that was made and is empty is still there")
	}
	must(t, os.Remove(filepath.Join(dir, "x/mine.go")))
	if diff := cmp.Diff(map[string]string{"a.go": "a"}, contents(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// faulty is a file on a bad disk: the operation in fault fails with err.
type faulty struct {
	tempFile
	fault string
	err   error
}

func (f faulty) Write(p []byte) (int, error) {
	if f.fault == "write" {
		n, _ := f.tempFile.Write(p[:len(p)/2])
		return n, f.err
	}
	return f.tempFile.Write(p)
}

func (f faulty) Sync() error {
	if f.fault == "sync" {
		return f.err
	}
	return f.tempFile.Sync()
}

func (f faulty) Chmod(mode fs.FileMode) error {
	if f.fault == "chmod" {
		return f.err
	}
	return f.tempFile.Chmod(mode)
}

func (f faulty) Close() error {
	err := f.tempFile.Close()
	if f.fault == "close" {
		return f.err
	}
	return err
}

func TestFailedWritesLeaveNothing(t *testing.T) {
	reasons := map[error]string{
		syscall.ENOSPC: "disk is full", syscall.EDQUOT: "quota", syscall.EROFS: "read-only", syscall.EIO: "input/output error",
		fs.ErrPermission: "permission was denied", errors.New("odd"): "odd",
	}
	for _, fault := range []string{"open", "write", "sync", "chmod", "close"} {
		for err, reason := range reasons {
			w, dir := newWorkspace(t, map[string]string{"a.go": "old text", "b.go": "b"})
			d := NewDisk(w)
			d.temp.open = func(root *os.Root, name string, mode fs.FileMode) (tempFile, error) {
				if fault == "open" {
					return nil, &fs.PathError{Op: "openat", Path: name, Err: err}
				}
				f, openErr := openFile(root, name, mode)
				return faulty{f, fault, &fs.PathError{Op: fault, Path: name, Err: err}}, openErr
			}
			before := contents(t, dir)
			for what, err := range map[string]error{
				"write":   d.WriteFile("a.go", "old text", "new text"),
				"create":  d.CreateFile("x/y/new.go", "new text", 0o644),
				"restore": d.createFile("x/y/old.go", "old text", like{mode: 0o600}),
				"rename":  d.RenameFile("b.go", "x/b.go", "b", "b"),
			} {
				if what == "create" && fault == "chmod" { // the mode of a new file is given as it is opened
					must(t, err)
					must(t, d.RemoveFile("x/y/new.go", "new text"))
					d.RemoveFolders([]string{"x/y", "x"})
					continue
				}
				wantRefusal(t, fault+" failing under "+what, err, reason)
				if err != nil && strings.Contains(err.Error(), ".redline-") {
					t.Errorf("the temporary name is in %q", err)
				}
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("failing %s left (-before +after):\n%s", fault, diff)
			}
			if _, err := os.Lstat(filepath.Join(dir, "x")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("failing %s left the folder that was made", fault)
			}
		}
	}
}

// A read-only file is not written, although the disk would allow it. It can be deleted and
// renamed, as far as its folder allows that.
func TestReadOnlyFiles(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "a", "b.go": "b", "c.go": "c"})
	for _, name := range []string{"a.go", "b.go", "c.go"} {
		must(t, os.Chmod(filepath.Join(dir, name), 0o444))
	}
	before := shot(t, dir)
	d := NewDisk(w)
	for what, err := range map[string]error{
		"a write":               d.WriteFile("a.go", "a", "x"),
		"a rename with an edit": d.RenameFile("a.go", "new/a.go", "a", "x"),
	} {
		if err == nil || !strings.Contains(err.Error(), "a.go is read-only; make it writable") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if diff := cmp.Diff(before, shot(t, dir)); diff != "" {
		t.Error(diff)
	}
	must(t, d.RemoveFile("b.go", "b"))
	must(t, d.RenameFile("c.go", "d.go", "c", "c"))
	if info, err := os.Stat(filepath.Join(dir, "d.go")); err != nil || info.Mode().Perm() != 0o444 {
		t.Errorf("the renamed file: %v, %v", info, err)
	}
}
