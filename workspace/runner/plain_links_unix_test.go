//go:build unix

package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/internal/leash"
	"redline/workspace/world"
)

// Whatever way a link of the workspace takes, and whatever name of the workspace a command writes, it
// leads to the copy.
func TestPlainCopyLeadsToItself(t *testing.T) {
	for i, c := range []struct{ link, to, line string }{
		{"c", "a.txt", `echo x >> c`},
		{"c", "%s/a.txt", `echo x >> c`},
		{"c", "out/back/a.txt", `echo x >> c`},
		{"c", "out/../work space/a.txt", `echo x >> c`},
		{"c", "../elsewhere/back/a.txt", `echo x >> c`},
		{"c", "../elsewhere/back", `echo x >> c/a.txt`},
		{"c", "..", `echo x >> 'c/work space/a.txt'`},
		{"c", "../../", `find -L c -name a.txt -exec sh -c 'echo x >> "$1"' - {} \;`},
		{"", "", `echo x >> '%s/a.txt'`},
		{"", "", `echo x >> '%[1]s/old/../a.txt' && test -e '%[1]s-other'`}, // another folder keeps its name
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			h := newPlainHouseOf(t, func(h *plainHouse) {
				elsewhere := filepath.Join(filepath.Dir(h.dir), "elsewhere")
				links := [][2]string{{h.dir, filepath.Join(elsewhere, "back")}, {elsewhere, filepath.Join(h.dir, "out")}}
				if to := c.to; c.link != "" {
					if strings.Contains(to, "%s") {
						to = fmt.Sprintf(to, h.dir)
					}
					links = append(links, [2]string{to, filepath.Join(h.dir, c.link)})
				}
				for _, dir := range []string{elsewhere, h.dir + "-other"} {
					if err := os.Mkdir(dir, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				for _, l := range links {
					if err := os.Symlink(l[0], l[1]); err != nil {
						t.Fatal(err)
					}
				}
			})
			line := c.line
			if strings.Contains(line, "%") {
				line = fmt.Sprintf(line, h.dir)
			}
			h.leaves(t, line, `file "a.txt" "one\nx\n"`)
			if got, err := os.ReadFile(filepath.Join(h.dir, "a.txt")); err != nil || string(got) != "one\n" {
				t.Errorf("the workspace has %q, %v", got, err)
			}
		})
	}
}

// What a command prints has the names of the workspace, as the user knows them.
func TestPlainCopyPrints(t *testing.T) {
	h := newPlainHouse(t)
	var told strings.Builder
	o, err := Run(t.Context(), Command{Line: `pwd; pwd >&2; cat`, Input: []byte("see " + h.dir + "/a.txt, not " + h.dir + "x"), Dir: mustIn(h), Plain: h.plain}, func(_ Stream, text string) { told.WriteString(text) })
	if err != nil {
		t.Fatal(err)
	}
	want := h.dir + "\nsee " + h.dir + "/a.txt, not " + h.dir + "x"
	if o.Stdout != want || o.Stderr != h.dir+"\n" || !strings.Contains(told.String(), "see "+h.dir+"/a.txt") {
		t.Errorf("%q %q %q", o.Stdout, o.Stderr, told.String())
	}
}

// A hard link to a file outside of the workspace is a file of its own in the copy.
func TestPlainCopyOfAHardLink(t *testing.T) {
	outside := ""
	h := newPlainHouseOf(t, func(h *plainHouse) {
		outside = filepath.Join(filepath.Dir(h.dir), "outside")
		if err := os.WriteFile(outside, []byte("out\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(outside, filepath.Join(h.dir, "hard")); err != nil {
			t.Skip(err)
		}
	})
	h.leaves(t, `echo x >> hard`, `file "hard" "out\nx\n"`)
	if got, err := os.ReadFile(outside); err != nil || string(got) != "out\n" {
		t.Errorf("the file outside has %q, %v", got, err)
	}
}

// The copy has the times and permissions of the workspace, so that nothing is built again.
func TestPlainCopyKeepsTimesAndModes(t *testing.T) {
	then := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	modes := map[string]os.FileMode{"a.txt": 0o444, "run.sh": 0o777, "old/b.txt": 0o660, "line\nbreak": 0o600}
	h := newPlainHouseOf(t, func(h *plainHouse) {
		for name, mode := range modes {
			if err := os.Chmod(filepath.Join(h.dir, name), mode); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"a.txt", "run.sh", "old/b.txt", "line\nbreak", "old"} {
			if err := os.Chtimes(filepath.Join(h.dir, name), then, then); err != nil {
				t.Fatal(err)
			}
		}
	}, world.Change{Path: "old/new.txt", Text: []byte("new\n")})
	modes["old"] = 0
	for name, mode := range modes {
		info, err := os.Lstat(filepath.Join(mustIn(h), name))
		if err != nil || !info.ModTime().Equal(then) || mode != 0 && info.Mode().Perm() != mode {
			t.Errorf("%q has %v, %v", name, info, err)
		}
	}
	h.leaves(t, `chmod u+w a.txt && chmod u-w a.txt`)
}

// A process that has left the command's session and lost its parents is ended before the copy is read.
func TestPlainCopyIsReadWhenAllHasEnded(t *testing.T) {
	for _, way := range []leash.Way{"", leash.Supports().Else} {
		if way == leash.Group {
			continue // such a process goes on
		}
		h := newPlainHouse(t)
		o, err := Run(t.Context(), Command{
			Line: `(setsid sh -c 'while :; do echo again >> loop; done' >/dev/null 2>&1 &); while [ ! -s loop ]; do :; done`,
			Dir:  mustIn(h), Plain: h.plain, way: way, Capture: func(left []world.Entry) []int { return []int{0} },
		}, nil)
		if err != nil || o.NotCaptured != nil || len(o.Left) != 1 {
			t.Fatalf("%v %+v", err, o)
		}
		if now, err := os.ReadFile(filepath.Join(mustIn(h), "loop")); err != nil || string(now) != string(o.Left[0].Text) {
			t.Errorf("%s: %d bytes were read, and now there are %d, %v", way, len(o.Left[0].Text), len(now), err)
		}
	}
}
