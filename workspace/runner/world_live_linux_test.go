//go:build amd64 || arm64

package runner

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// live runs a line in the world, and calls say with what changes the world and asks the line: ask sends it a
// line and returns its answer.
func (h *house) live(t *testing.T, line string, say func(l *Live, ask func(string) string)) Outcome {
	t.Helper()
	l := NewLive()
	o, err := Run(t.Context(), Command{
		Line: line, Dir: h.workspace, World: &h.world, Limits: Limits{Time: time.Minute}, Live: l,
		Talk: func(_ context.Context, stream io.ReadWriter) error {
			lines := bufio.NewReader(stream)
			say(l, func(question string) string {
				fmt.Fprintln(stream, question)
				answer, err := lines.ReadString('\n')
				if err != nil {
					t.Errorf("no answer to %q: %v", question, err)
				}
				return strings.TrimSpace(answer)
			})
			return nil
		},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// shell answers each line with what it prints, on one line.
const shell = `while read -r line; do eval "$line" 2>&1 | tr '\n' ' '; echo; done`

// What is changed in a world while a command runs there is what the command sees, at once: files
// that it has looked at before, new ones in new folders, and removed ones. The host's files stay.
func TestWorldLive(t *testing.T) {
	h := newHouse(t)
	before := h.files(t)
	at := func(name string) string { return filepath.Join(h.workspace, name) }
	h.live(t, shell, func(l *Live, ask func(string) string) {
		change := func(c ...world.Change) {
			t.Helper()
			if err := l.Change(t.Context(), c); err != nil {
				t.Error(err)
			}
		}
		expect := func(question, want string) {
			t.Helper()
			if got := ask(question); got != want {
				t.Errorf("%s: %q, want %q", question, got, want)
			}
		}
		expect("cat a.txt; ls new; ls old", "host ls: cannot access 'new': No such file or directory b.txt")
		for i := range 50 {
			change(world.Change{Path: at("a.txt"), Text: fmt.Appendf(nil, "text %d\n", i)})
			expect("cat a.txt", fmt.Sprintf("text %d", i))
		}
		change(world.Change{Path: at("new/deep/c.txt"), Text: []byte("c\n")}, world.Change{Path: at("old/b.txt"), Gone: true})
		expect("cat new/deep/c.txt; ls old; ls -A new/deep", "c c.txt")
		change(world.Change{Path: at("old/b.txt"), Text: []byte("again\n")}, world.Change{Path: at("new/deep/c.txt"), Gone: true})
		expect("cat old/b.txt; ls new/deep", "again")
		change(world.Change{Path: at("run.sh"), Text: []byte("#!/bin/sh\necho changed\n")})
		expect("./run.sh", "changed")
		change(world.Change{Path: at(".env"), Text: []byte("SECRET\n")}) // hidden: skipped
		expect("cat .env", "cat: .env: No such file or directory")
	})
	if after := h.files(t); after != before {
		t.Errorf("the host's files changed: %s", after)
	}
}

// What runs in a world can lead no change elsewhere, nor stop the others: by links, folders, FIFOs or
// files of other names.
func TestWorldLiveIsNotLedAstray(t *testing.T) {
	h := newHouse(t)
	at := func(name string) string { return filepath.Join(h.workspace, name) }
	h.live(t, shell, func(l *Live, ask func(string) string) {
		for _, c := range []struct{ make, path, look, want, refused string }{
			{`ln -s old inside`, "inside/x", "cat old/x", "new", ""},
			{`ln -s /tmp away`, "away/x", "cat /tmp/x", "cat: /tmp/x: No such file or directory", "path escapes"},
			{`ln -sf /proc/1/fd out`, "out/4", "echo", "", "path escapes"},
			{`ln -sf /proc/1/fd/4 notices`, "notices", "cat notices", "new", ""},
			{`ln -sf /tmp/x x.txt`, "x.txt", "cat x.txt /tmp/x", "new cat: /tmp/x: No such file or directory", ""},
			{`mkfifo pipe`, "pipe", "cat pipe", "new", ""},
			{`mkdir -p folder/in`, "folder", "ls folder", "in", "a folder is there"},
			{`rm -f a.txt; ln run.sh a.txt`, "a.txt", "cat a.txt; grep -c ran run.sh", "new 1", ""},
			{`rm -rf old; echo > old`, "old/b.txt", "cat old", "", "file exists"},
			{`echo`, "../outside/file", "echo", "", "no folder of the world"},
		} {
			ask(c.make)
			err := l.Change(t.Context(), []world.Change{{Path: h.workspace + "/" + c.path, Text: []byte("new\n")}, {Path: at("after"), Text: []byte(c.path)}})
			if got := ask(c.look); got != c.want {
				t.Errorf("%s: %q, want %q", c.make, got, c.want)
			}
			if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
				t.Errorf("%s: the error is %v, want %q", c.make, err, c.refused)
			}
			if got := ask("cat after"); got != c.path {
				t.Errorf("%s: the next change was not made: %q", c.make, got)
			}
			if left := ask("ls -A | grep redline-live"); left != "" {
				t.Errorf("%s: %s was left", c.make, left)
			}
		}
	})
	if got, _ := os.ReadFile(filepath.Join(h.outside, "file")); string(got) != "outside\n" {
		t.Errorf("a file outside has %q", got)
	}
}

// A change of a world in which nothing runs any more is an error, whenever it is made; one that
// nobody waits for any more too.
func TestWorldLiveEnds(t *testing.T) {
	h := newHouse(t)
	var l *Live
	h.live(t, "exit", func(live *Live, _ func(string) string) {
		l = live
		for t.Context().Err() == nil {
			if err := l.Change(t.Context(), []world.Change{{Path: filepath.Join(h.workspace, "a.txt"), Text: []byte("x")}}); err != nil {
				break // the command has ended; nothing else can fail here
			}
		}
	})
	if err := l.Change(t.Context(), nil); err != errOver {
		t.Errorf("afterwards: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewLive().Change(cancelled, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// Many changes, from several goroutines, all arrive.
func TestWorldLiveInParallel(t *testing.T) {
	h := newHouse(t)
	h.live(t, shell, func(l *Live, ask func(string) string) {
		done := make(chan error)
		for i := range 20 {
			go func() {
				var of []world.Change
				for k := range 20 {
					of = append(of, world.Change{Path: filepath.Join(h.workspace, fmt.Sprintf("d%d/f%d", i, k)), Text: []byte(strings.Repeat("x", 10_000))})
				}
				done <- l.Change(t.Context(), of)
			}()
		}
		var failed []error
		for range 20 {
			failed = append(failed, <-done)
		}
		if slices.ContainsFunc(failed, func(err error) bool { return err != nil }) {
			t.Error(failed)
		}
		if got := ask("cat d*/f* | wc -c"); got != "4000000" {
			t.Errorf("%s bytes arrived", got)
		}
	})
}

// Failures with more text than a pipe holds, from several goroutines, all arrive.
func TestWorldLiveFailsInParallel(t *testing.T) {
	h := newHouse(t)
	h.live(t, shell, func(l *Live, _ func(string) string) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		failed := make(chan error, 20)
		for i := range cap(failed) {
			go func() {
				var of []world.Change
				for k := range 400 {
					of = append(of, world.Change{Path: fmt.Sprintf("/nowhere/%s%d/f%d", strings.Repeat("n", 200), i, k), Text: []byte(strings.Repeat("x", 1000))})
				}
				failed <- l.Change(ctx, of)
			}()
		}
		for range cap(failed) {
			if err := <-failed; err == nil || len(err.Error()) < 400*200 {
				t.Errorf("%v", err)
				return
			}
		}
	})
}

// A command that does not start ends the wait too.
func TestLiveOfNoCommand(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	l := NewLive()
	if _, err := Run(over, Command{Line: "true", Live: l}, nil); err == nil {
		t.Fatal("it ran")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := l.Change(ctx, nil); err != errOver {
		t.Error(err)
	}
}
