//go:build amd64 || arm64

package runner

import (
	"slices"
	"testing"

	"redline/workspace/world"
)

// A command cannot forge what an overlay notes of what was removed, replaced or moved: neither by the
// attributes that an overlay has, nor by the device of a removed file, nor by swapping names.
func TestWorldCapturesNothingForged(t *testing.T) {
	h := newHouse(t)
	if _, o := h.capture(t, `python3 -c 0`, 0); o.ExitCode != 0 {
		t.Skip("there is no python3 here")
	}
	line := `mkdir mine; echo z > mine/z; python3 -c '
import ctypes, os, stat
def tries(what, *args):
    try: what(*args)
    except OSError: pass
for name in "opaque", "whiteout", "redirect", "metacopy", "origin", "impure", "nlink", "overlay.opaque", "overlay.whiteout":
    for prefix in "user.overlay.", "trusted.overlay.", "user.overlay.overlay.":
        for value in b"y", b"x", b"/etc":
            for at in "mine", "mine/z", "old", "old/b.txt", "a.txt", ".":
                tries(os.setxattr, at, prefix + name, value)
tries(os.mknod, "old/gone", stat.S_IFCHR, os.makedev(0, 0))
tries(os.mknod, "/tmp/gone", stat.S_IFCHR, os.makedev(0, 0)); tries(os.rename, "/tmp/gone", "old/b.txt")
libc = ctypes.CDLL(None)
libc.renameat2(-100, b"run.sh", -100, b"mine/whiteout", 4) # RENAME_WHITEOUT
'`
	got, o := h.capture(t, line, 1000)
	if o.NotCaptured != nil || o.ExitCode != 0 {
		t.Fatalf("%v\n%s", o.NotCaptured, o.Output)
	}
	unchanged := []string{`file 644 "a.txt" 5 "host\n"`, `file 600 "old/b.txt" 2 "b\n"`, `other 0 "old/gone"`} // the last is named, and in no plan
	got = slices.DeleteFunc(got, func(line string) bool { return slices.Contains(unchanged, line) })
	if h.world.Kind == world.Bwrap { // a copy, in which such a device is nothing but a device
		devices := []string{`other 0 "old/b.txt"`, `other 0 "run.sh"`, `file 755 "mine/whiteout" 19 "#!/bin/sh\necho ran\n"`}
		got = slices.DeleteFunc(got, func(line string) bool { return slices.Contains(devices, line) })
	}
	want := []string{`file 644 "mine/z" 2 "z\n"`}
	if !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
}
