package trial

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"redline/workspace/world"
)

// A text over limits.max_file is carried if git tracks it, also to another name; and no other file may be as
// large from then on.
func TestCaptureOfLargeTexts(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("it needs git: install it")
	}
	filler := strings.Repeat("0123456789abcde\n", 9<<16) // 9 MiB
	f := newCapturing(t, map[string]string{"lock.json": "1\n" + filler, "moved.txt": "m\n" + filler, "same.txt": filler})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command(git, append([]string{"-C", f.root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	f.Write("untracked.txt", filler)
	f.leaves(world.FileEntry, "lock.json", "2\n"+filler, 0o644)
	f.leaves(world.FileEntry, "made/there.txt", "m\n"+filler, 0o644)
	f.leaves(world.FileEntry, "same.txt", filler, 0o644)
	f.leaves(world.FileEntry, "untracked.txt", "u\n"+filler, 0o644)
	const most = "it has 9437186 bytes, and at most 8388608 of a file that git does not track are read (limits.max_file)"
	f.wantsPaths(t, "lock.json", "not made/there.txt: "+most, "not untracked.txt: "+most)

	f.leaves(world.GoneEntry, "moved.txt", "", 0)
	f.leaves(world.FileEntry, "same.txt", strings.Repeat(filler, 2), 0o644)
	f.wantsPaths(t, "lock.json", "made/there.txt", "moved.txt",
		"not same.txt: it has 18874368 bytes, and at most 16777216 of a file that git tracks are carried",
		"not untracked.txt: it has 9437184 bytes, and at most 8388608 of a file are read (limits.max_file); continue without it")
	for path, limit := range map[string]int64{"lock.json": 16 << 20, "moved.txt": 16 << 20, "made/there.txt": 16 << 20, "same.txt": 8 << 20, "untracked.txt": 8 << 20} {
		if got := f.Workspace.LimitOf(path); got != limit {
			t.Errorf("at most %d bytes of %s are read, want %d", got, path, limit)
		}
	}
}

// wantsPaths checks what is captured, without the texts.
func (f *capturing) wantsPaths(t *testing.T, want ...string) {
	t.Helper()
	got := f.capture(t, nil)
	for i, line := range got {
		if path, text, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(path, "not ") && text != "" {
			got[i] = path
		}
	}
	f.wants(t, got, want...)
}

// Beside a moved large text, other large new files are named, and so many are not read that nothing would be.
func TestCaptureOfLargeTextsBesideAMove(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("it needs git: install it")
	}
	filler := strings.Repeat("0123456789abcde\n", 9<<16) // 9 MiB
	f := newCapturing(t, map[string]string{"moved.txt": "m\n" + filler})
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command(git, append([]string{"-C", f.root}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	f.leaves(world.GoneEntry, "moved.txt", "", 0)
	f.leaves(world.FileEntry, "made/there.txt", "m\n"+filler, 0o644)
	f.leaves(world.FileEntry, "other.txt", strings.ReplaceAll(filler, "0", "x"), 0o644)
	const most = "it has 9437184 bytes, and at most 8388608 of a file that git does not track are read (limits.max_file)"
	f.wantsPaths(t, "made/there.txt", "moved.txt", "not other.txt: "+most)
	if limit := f.Workspace.LimitOf("other.txt"); limit != 8<<20 {
		t.Errorf("at most %d bytes of it are read", limit)
	}

	for i := range 40 {
		f.leaves(world.FileEntry, fmt.Sprintf("out/%d.txt", i), "", 0o644)
		f.left[len(f.left)-1].Size = int64(len(filler))
	}
	f.read = nil
	f.capture(t, nil)
	var size int64
	for _, e := range f.left {
		if slices.Contains(f.read, strings.TrimPrefix(string(e.Path), f.root+"/")) {
			size += e.Size
		}
	}
	if size == 0 || size > world.MaxCaptured {
		t.Errorf("%d bytes are asked for, at most %d are read", size, world.MaxCaptured)
	}
}
