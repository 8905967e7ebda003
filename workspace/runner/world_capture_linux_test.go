//go:build amd64 || arm64

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/leftover"
	"redline/workspace/world"
)

// capture runs a line in the world and returns what it leaves, a line for each: kind, permissions,
// path in the workspace, content. Content of more than most bytes is not wanted.
func (h *house) capture(t *testing.T, line string, most int64) (lines []string, o Outcome) {
	t.Helper()
	var left []world.Entry
	o, err := Run(context.Background(), Command{
		Line: line, Dir: h.workspace, World: &h.world, Limits: Limits{Time: time.Minute},
		Capture: func(all []world.Entry) (wanted []int) {
			left = all
			for i, e := range all {
				if e.Kind == world.FileEntry && e.Size <= most {
					wanted = append(wanted, i)
				}
			}
			return wanted
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.NotCaptured == nil && len(o.Left) != len(left) {
		t.Errorf("%d entries, %d were shown", len(o.Left), len(left))
	}
	for _, e := range o.Left {
		path, ok := strings.CutPrefix(string(e.Path), h.workspace+"/")
		if _, err := os.Lstat(string(e.Path)); e.Kind == world.FreshEntry && err != nil {
			continue // some kernels say so of every new folder
		}
		if !ok {
			t.Errorf("%q is not in the workspace", e.Path)
		}
		text := fmt.Sprintf("%s %o %q", e.Kind, e.Mode, path)
		if e.Kind == world.FileEntry {
			text += fmt.Sprintf(" %d %q", e.Size, e.Text)
		}
		lines = append(lines, text)
	}
	slices.Sort(lines)
	return lines, o
}

// captures runs a line and checks what it leaves.
func (h *house) captures(t *testing.T, line string, want ...string) {
	t.Helper()
	before := h.files(t)
	got, o := h.capture(t, line, 1<<20)
	if o.NotCaptured != nil || o.End != Exited || o.ExitCode != 0 {
		t.Fatalf("%s %d: %v\n%s", o.End, o.ExitCode, o.NotCaptured, o.Output)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("left\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if after := h.files(t); after != before {
		t.Errorf("the host's files changed:\n%s\nbefore:\n%s", after, before)
	}
}

// What a command writes, makes, removes and moves is captured, and nothing else.
func TestWorldCaptures(t *testing.T) {
	h := newHouse(t)
	h.write(t, "work space/old/deep/c.txt", "c\n", 0o644)
	h.write(t, "work space/still.txt", "still\n", 0o644)
	gone := []string{`gone 0 "old/b.txt"`, `gone 0 "old/deep"`, `gone 0 "old/deep/c.txt"`}
	if h.world.Kind != world.Bwrap { // where a removed folder is one entry
		gone = []string{`gone 0 "old/b.txt"`, `gone 0 "old/deep"`}
	}
	h.captures(t, `cat still.txt; echo more >> a.txt; rm -r old/b.txt old/deep; mkdir -p new/deep; echo x > new/deep/f; chmod 755 new/deep/f
		ln -s /etc/passwd l; mv run.sh moved.sh; mkfifo p; echo out > /tmp/t; echo home > $HOME/h; rm link`,
		slices.Concat(gone, []string{
			`file 644 "a.txt" 10 "host\nmore\n"`, `file 755 "new/deep/f" 2 "x\n"`, `link 777 "l"`, `gone 0 "link"`,
			`gone 0 "run.sh"`, `file 755 "moved.sh" 19 "#!/bin/sh\necho ran\n"`, `other 644 "p"`,
		})...)
}

// A folder that takes the place of another shows nothing of the host's; one that takes the place of a
// file, and a file that takes the place of a folder, too.
func TestWorldCapturesWhatReplaces(t *testing.T) {
	h := newHouse(t)
	want := []string{`fresh 755 "old"`, `file 644 "old/new.txt" 2 "n\n"`, `fresh 755 "a.txt"`, `file 644 "a.txt/in" 2 "i\n"`}
	if h.world.Kind == world.Bwrap {
		want = []string{`gone 0 "old/b.txt"`, `file 644 "old/new.txt" 2 "n\n"`, `fresh 0 "a.txt"`, `file 644 "a.txt/in" 2 "i\n"`}
	}
	h.captures(t, `rm -r old; mkdir old; echo n > old/new.txt; rm a.txt; mkdir a.txt; echo i > a.txt/in`, want...)
}

// What a command was given is captured as it left it.
func TestWorldCapturesChanges(t *testing.T) {
	h := newHouse(t)
	h.world.Changes = []world.Change{{Path: filepath.Join(h.workspace, "a.txt"), Text: []byte("unsaved\n")}}
	h.captures(t, `cat a.txt >> old/b.txt`, `file 600 "old/b.txt" 10 "b\nunsaved\n"`)
}

// writesByMapping is a program that changes the first byte of files through memory that is mapped and was
// read before: in memory that changes no time of a file.
const writesByMapping = `python3 -c '
import mmap, os, sys
for name in sys.argv[1:]:
    m = mmap.mmap(os.open(name, os.O_RDWR), 0)
    m[0] = m[0] - 32
' `

// What is written through mapped memory is captured too, also of files that Redline has written.
func TestWorldCapturesMappedWrites(t *testing.T) {
	h := newHouse(t)
	if _, o := h.capture(t, `python3 -c 0`, 0); o.ExitCode != 0 {
		t.Skip("there is no python3 here")
	}
	h.world.Changes = []world.Change{{Path: filepath.Join(h.workspace, "a.txt"), Text: []byte("unsaved\n")}, {Path: filepath.Join(h.workspace, "new.txt"), Text: []byte("new\n")}}
	h.captures(t, `cat new.txt; `+writesByMapping+`a.txt old/b.txt`, `file 644 "a.txt" 8 "Unsaved\n"`, `file 600 "old/b.txt" 2 "B\n"`)
}

// Nothing that a command has started writes while it is captured.
func TestWorldCapturesTheDead(t *testing.T) {
	h := newHouse(t)
	for range 5 {
		lines, o := h.capture(t, `for i in 1 2 3 4; do (setsid sh -c 'while :; do echo more >> grows.txt; echo more >> a.txt; done' </dev/null >/dev/null 2>&1 &); done
			while [ ! -s grows.txt ]; do :; done`, 64<<20)
		if o.NotCaptured != nil || o.End != Exited {
			t.Fatalf("%s: %v\n%s", o.End, o.NotCaptured, o.Output)
		}
		for _, l := range lines {
			var size, got int
			kind, rest, _ := strings.Cut(l, " ")
			if kind != "file" {
				continue
			}
			name := strings.Fields(rest)
			if _, err := fmt.Sscanf(name[2], "%d", &size); err != nil {
				t.Fatal(err)
			}
			if got = 5 * strings.Count(l, `more\n`); size < 5 || size-got > 5 { // a.txt begins with 5 bytes more
				t.Errorf("%s has %d bytes, %d were read", name[1], size, got)
			}
		}
	}
}

// Names of any bytes are captured, as they are.
func TestWorldCapturesAnyName(t *testing.T) {
	h := newHouse(t)
	h.captures(t, `printf x > "$(printf 'a\nb')"; printf x > "$(printf 'esc\033[31m')"; printf x > "$(printf 'bad\377')"; printf x > '..x'; printf x > ' '; mkdir -p 'a\..'; printf x > 'a\../b'`,
		slices.Concat([]string{
			`file 644 "a\nb" 1 "x"`, `file 644 "esc\x1b[31m" 1 "x"`, `file 644 "bad\xff" 1 "x"`, `file 644 "..x" 1 "x"`, `file 644 " " 1 "x"`, `file 644 "a\\../b" 1 "x"`,
		})...)
}

// A capture follows no link: neither of a file, nor of a folder, nor one that takes a folder's place.
func TestWorldCapturesNoTarget(t *testing.T) {
	h := newHouse(t)
	h.write(t, "outside/secret", "outside\n", 0o644)
	gone := []string{`link 777 "old"`}
	if h.world.Kind == world.Bwrap {
		gone = append(gone, `gone 0 "old/b.txt"`)
	}
	h.captures(t, `ln -s ../outside out; ln -s ../outside/secret file; rm -r old; ln -s ../outside old; ln -s / root`,
		slices.Concat(gone, []string{`link 777 "out"`, `link 777 "file"`, `link 777 "root"`})...)
}

// What a command has locked is captured too, with the permissions that it gave.
func TestWorldCapturesWhatIsLocked(t *testing.T) {
	h := newHouse(t)
	h.captures(t, `mkdir shut; echo s > shut/s; chmod 0 shut/s shut a.txt; echo b > old/b.txt; chmod 111 old`,
		slices.Concat([]string{`file 0 "shut/s" 2 "s\n"`, `file 0 "a.txt" 5 "host\n"`, `file 600 "old/b.txt" 2 "b\n"`})...)
}

// FIFOs, sockets and large files are named, and not read.
func TestWorldCapturesNoOthers(t *testing.T) {
	h := newHouse(t)
	if _, o := h.capture(t, `python3 -c 0`, 0); o.ExitCode != 0 {
		t.Skip("there is no python3 here")
	}
	line := `mkfifo fifo; mkfifo old/fifo; truncate -s 60M large; truncate -s 1T huge 2>/dev/null; mknod null c 1 3 2>/dev/null; mknod zero c 0 0 2>/dev/null
		python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null; true`
	got, o := h.capture(t, line, 1<<20)
	if o.NotCaptured != nil || o.Took > 30*time.Second {
		t.Fatal(o.NotCaptured, o.Took)
	}
	for _, want := range []string{`other 644 "fifo"`, `other 644 "old/fifo"`, `file 644 "large" 62914560 ""`} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, strings.Join(got, "\n"))
		}
	}
	for _, line := range got {
		if strings.Contains(line, `"zero"`) && !strings.HasPrefix(line, "other") {
			t.Errorf("a device is %s", line)
		}
	}
}

// Many files, and folders at paths that nobody can open, end a capture soon.
func TestWorldCapturesMany(t *testing.T) {
	h := newHouse(t)
	h.world.Disk = 512 << 20
	if _, o := h.capture(t, `python3 -c 0`, 0); o.ExitCode != 0 {
		t.Skip("there is no python3 here")
	}
	got, o := h.capture(t, `python3 -c '
import os
os.mkdir("many")
for i in range(100000): open("many/%d" % i, "w").close()
for i in range(1500):
    os.mkdir("deep"); os.chdir("deep")
    open("f", "w").close()
'`, 0)
	if o.NotCaptured != nil || o.ExitCode != 0 {
		t.Fatalf("%v %d %s", o.NotCaptured, o.ExitCode, o.Output)
	}
	files, others := 0, 0
	for _, line := range got {
		switch {
		case strings.HasPrefix(line, "file"):
			files++
		case strings.HasPrefix(line, "other"):
			others++
		}
	}
	if files < 100_700 || others != 1 {
		t.Errorf("%d files, %d others", files, others)
	}
	if o.Took > 40*time.Second {
		t.Errorf("it took %s", o.Took)
	}
}

// More files than a capture may have are an error, and nothing else happens.
func TestWorldCapturesTooMany(t *testing.T) {
	take := &taking{choose: func([]world.Entry) []int { return nil }}
	for range 4 {
		take.add(notice{Left: make([]world.Entry, world.MaxEntries/3)}, os.Stderr)
	}
	if left, err := take.result(notice{}); err == nil || left != nil {
		t.Errorf("%d, %v", len(left), err)
	}
	big := &taking{choose: func([]world.Entry) []int { return []int{0, 1} }}
	big.add(notice{Left: []world.Entry{{Size: world.MaxCaptured}, {Size: 1}}}, os.Stderr)
	var order strings.Builder
	big.add(notice{Listed: true}, &order)
	if _, err := big.result(notice{}); err == nil || order.String() != "{\"files\":null}\n" {
		t.Errorf("%v, %s", err, order.String())
	}
}

// A folder made anew a thousand deep.
func TestWorldCapturesDeepFolders(t *testing.T) {
	h := newHouse(t)
	if _, o := h.capture(t, `python3 -c 0`, 0); o.ExitCode != 0 {
		t.Skip("there is no python3 here")
	}
	name := h.workspace
	for range 1000 {
		name += "/d"
	}
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(name, "f"), []byte("f\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got, o := h.capture(t, `rm -r d && python3 -c '
import os
for i in range(1000): os.mkdir("d"); os.chdir("d")
open("g", "w").write("g\n")
'`, 1000)
	if o.NotCaptured != nil || o.ExitCode != 0 {
		t.Fatalf("%v %d %s", o.NotCaptured, o.ExitCode, o.Output)
	}
	if want := fmt.Sprintf("file 644 %q 2 %q", strings.Repeat("d/", 1000)+"g", "g\n"); !slices.Contains(got, want) {
		t.Errorf("%d entries, without the file", len(got))
	}
}

// A copy that ran full is not whole: files may be cut off. On a disk there is room, and they are not.
func TestWorldCapturesWhatRanFull(t *testing.T) {
	h := newHouse(t)
	got, o := h.capture(t, `dd if=/dev/zero of=fill bs=1M 2>/dev/null; cat a.txt > t; cat t > a.txt; true`, 100)
	if !o.Filled && o.End != Overfull && !slices.Contains(got, `file 644 "a.txt" 5 "host\n"`) {
		t.Errorf("%s, filled %v:\n%s", o.End, o.Filled, strings.Join(got, "\n"))
	}
	if !o.Filled && o.End == Exited && h.world.Kind == world.Overlay && !OnDisk() {
		t.Error("memory that is full is not noticed")
	}
	if _, o := h.capture(t, `echo more >> a.txt`, 0); o.Filled || o.End != Exited {
		t.Errorf("%s, filled %v", o.End, o.Filled)
	}
}

// No file is cut off at the size of all that a command may write, without anybody knowing.
func TestWorldCapturesLargeFiles(t *testing.T) {
	h := newHouse(t)
	got, o := h.capture(t, `: > a.txt; truncate -s 100M a.txt; head -c 1 /dev/zero | dd of=far bs=1 seek=200M 2>&1; true`, 100)
	for _, want := range []string{`file 644 "a.txt" 104857600 ""`, `file 644 "far" 209715201 ""`} {
		if !slices.Contains(got, want) {
			t.Errorf("%s, %s is not in\n%s\n%s", o.End, want, strings.Join(got, "\n"), o.Output)
		}
	}
}

// A write of the same length in the second in which Redline wrote the file is seen where the disk
// stores whole seconds.
func TestWorldCapturesByCoarseTimes(t *testing.T) {
	h := newHouse(t)
	if h.world.Kind == world.Bwrap || os.Geteuid() != 0 {
		t.Skip("it mounts a file system: run it as root, outside of bubblewrap")
	}
	state := t.TempDir()
	mountCoarse(t, state)
	h.world.Changes = []world.Change{{Path: filepath.Join(h.workspace, "a.txt"), Text: []byte("mine\n")}}
	var left []world.Entry
	o, err := Run(context.Background(), Command{
		Line: `echo your > a.txt`, Dir: h.workspace, World: &h.world, Left: leftover.New(state), Limits: Limits{Time: time.Minute}, disk: true,
		Capture: func(all []world.Entry) []int { left = all; return nil },
	}, nil)
	if err != nil || o.NotCaptured != nil || len(left) != 1 || filepath.Base(string(left[0].Path)) != "a.txt" {
		t.Errorf("%v %v %+v", err, o.NotCaptured, left)
	}
}

// mountCoarse mounts a file system that stores whole seconds.
func mountCoarse(t *testing.T, at string) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	file, err := os.Create(image)
	if err == nil {
		err = errors.Join(file.Truncate(64<<20), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][]string{{"mkfs.ext4", "-q", "-F", "-I", "128", image}, {"mount", "-o", "loop", image, at}} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			t.Skipf("it needs mkfs.ext4 and loop devices: %s: %v %s", c[0], err, out)
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-d", at).CombinedOutput(); err != nil {
			t.Errorf("%v %s", err, out)
		}
	})
}

// A command cannot keep the process that reads what it leaves from reading it.
func TestWorldCapturesInSpiteOfLimits(t *testing.T) {
	h := newHouse(t)
	if _, o := h.capture(t, `python3 -c 0`, 0); o.ExitCode != 0 {
		t.Skip("there is no python3 here")
	}
	got, o := h.capture(t, `python3 -c 'import resource; resource.prlimit(1, resource.RLIMIT_NOFILE, (13, 20000))' 2>/dev/null && echo lowered; rm -r old; mkdir old; echo n > old/new`, 100)
	if strings.Contains(o.Output, "lowered") || o.NotCaptured != nil || !slices.ContainsFunc(got, func(line string) bool {
		return strings.HasPrefix(line, "fresh") || strings.HasPrefix(line, "gone")
	}) {
		t.Errorf("%v %s\n%s", o.NotCaptured, o.Output, strings.Join(got, "\n"))
	}
}

// stopped runs a line that says "ready" and goes on, until its time is over, which is long enough for that.
func (h *house) stopped(t *testing.T, line string, talk func(context.Context, io.ReadWriter) error) (o Outcome) {
	t.Helper()
	for limit := 500 * time.Millisecond; limit < 5*time.Minute; limit *= 2 {
		o, err := Run(t.Context(), Command{
			Line: line, Dir: h.workspace, World: &h.world, Limits: Limits{Time: limit}, Talk: talk,
			Capture: func(all []world.Entry) (wanted []int) {
				for i := range all {
					wanted = append(wanted, i)
				}
				return wanted
			},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(o.Output, "ready") {
			return o
		}
	}
	t.Fatal("it was never ready")
	return o
}

// A command that is stopped by its time is captured as it is then, also if it is deaf, and what it has started
// writes no more.
func TestWorldCapturesWhatIsStoppedByItsTime(t *testing.T) {
	for name, line := range map[string]string{
		"asleep": `echo more >> a.txt; echo ready >&2; sleep 100`,
		"deaf":   `trap '' TERM INT HUP; echo more >> a.txt; (setsid sh -c 'trap "" TERM; while :; do sleep 1; done' &); echo ready >&2; while :; do sleep 1; done`,
		"polite": `trap 'exit 0' TERM; echo more >> a.txt; echo ready >&2; while :; do sleep 0.01; done`,
	} {
		h := newHouse(t)
		before := h.files(t)
		o := h.stopped(t, line, nil)
		if o.End != TimedOut || o.ExitCode != -1 || o.NotCaptured != nil || o.Filled || len(o.Left) != 1 || string(o.Left[0].Text) != "host\nmore\n" {
			t.Errorf("%s: %s %d %v %v %+v", name, o.End, o.ExitCode, o.NotCaptured, o.Filled, o.Left)
		}
		if after := h.files(t); after != before {
			t.Errorf("%s: the host's files changed:\n%s\nbefore:\n%s", name, after, before)
		}
	}
}

// So is one that a caller talks to.
func TestWorldCapturesWhomItTalksToPastItsTime(t *testing.T) {
	h := newHouse(t)
	o := h.stopped(t, `echo more >> a.txt; echo ready >&2; sleep 100`, func(ctx context.Context, _ io.ReadWriter) error {
		<-ctx.Done()
		return ctx.Err()
	})
	if o.End != TimedOut || o.NotCaptured != nil || len(o.Left) != 1 || !errors.Is(o.Talked, context.DeadlineExceeded) {
		t.Errorf("%s %v %+v %v", o.End, o.NotCaptured, o.Left, o.Talked)
	}
}

// What the user has stopped is not captured, also if its time was over before.
func TestWorldCapturesNothingThatIsCancelled(t *testing.T) {
	h := newHouse(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o, err := Run(ctx, Command{
		Line: `echo more >> a.txt; echo ready; sleep 100`, Dir: h.workspace, World: &h.world, Limits: Limits{Time: time.Hour},
		Capture: func([]world.Entry) []int { t.Error("it was asked"); return nil },
	}, func(Stream, string) { cancel() })
	if err != nil || o.End != Cancelled || o.NotCaptured == nil || o.Left != nil {
		t.Errorf("%v %s %v %v", err, o.End, o.NotCaptured, o.Left)
	}
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	o, err = Run(ctx, Command{
		Line: `echo more >> a.txt; sleep 100`, Dir: h.workspace, World: &h.world, Limits: Limits{Time: 100 * time.Millisecond},
		Capture: func(all []world.Entry) []int { cancel(); return nil },
	}, nil)
	if err != nil || o.End != Cancelled {
		t.Errorf("%v %s", err, o.End)
	}
}

// A command that used too much memory, or wrote too much, is captured as it is then; it says that files may be
// cut off.
func TestWorldCapturesWhatUsedTooMuch(t *testing.T) {
	h := newHouse(t)
	h.world.Memory = 64 << 20
	got, o := h.capture(t, `echo more >> a.txt; python3 -c 'x = bytearray(300 << 20)
for i in range(0, len(x), 4096): x[i] = 1
import time; time.sleep(100)'`, 100)
	if o.End == Exited && o.ExitCode == 127 {
		t.Skip("there is no python3 here")
	}
	if want := []string{`file 644 "a.txt" 10 "host\nmore\n"`}; o.NotCaptured != nil || !slices.Equal(got, want) {
		t.Errorf("%s %v %q", o.End, o.NotCaptured, got)
	}
	h = newHouse(t)
	h.world.Disk = 32 << 20
	got, o = h.capture(t, `echo more >> a.txt; dd if=/dev/zero of=fill bs=1M count=100 && sleep 100`, 100)
	if o.NotCaptured != nil || !o.Filled || !slices.Contains(got, `file 644 "a.txt" 10 "host\nmore\n"`) {
		t.Errorf("%s %v, filled %v: %q\n%s", o.End, o.NotCaptured, o.Filled, got, o.Output)
	}
}

// In a folder in which something is mounted the files are copies: what changed is captured all the same.
func TestWorldCapturesBesideMounts(t *testing.T) {
	h := newHouse(t)
	if h.world.Kind == world.Bwrap || os.Geteuid() != 0 {
		t.Skip("it mounts a file system: run it as root, outside of bubblewrap")
	}
	at := filepath.Join(h.workspace, "mounted")
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	mount(t, "tmpfs", at, "tmpfs", 0)
	h.write(t, "work space/mounted/in.txt", "there\n", 0o644)
	h.captures(t, `echo more >> a.txt; echo in >> mounted/in.txt; rm old/b.txt run.sh; echo n > new.txt`, []string{
		`file 644 "a.txt" 10 "host\nmore\n"`, `file 644 "mounted/in.txt" 9 "there\nin\n"`, `gone 0 "old/b.txt"`, `gone 0 "run.sh"`, `file 644 "new.txt" 2 "n\n"`,
	}...)
	if _, o := h.capture(t, `python3 -c 0`, 0); o.ExitCode != 0 {
		t.Skip("there is no python3 here")
	}
	h.captures(t, writesByMapping+`a.txt mounted/in.txt`, `file 644 "a.txt" 5 "Host\n"`, `file 644 "mounted/in.txt" 6 "There\n"`)
}
