//go:build unix

package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/workspace/leftover"
	"redline/workspace/world"
)

// plainHouse is a workspace with a plain copy.
type plainHouse struct {
	dir   string
	plain *world.Plain
	temp  string
}

func newPlainHouse(t *testing.T, changes ...world.Change) *plainHouse {
	t.Helper()
	return newPlainHouseOf(t, nil, changes...)
}

// newPlainHouseOf is newPlainHouse for a workspace that prepare has changed.
func newPlainHouseOf(t *testing.T, prepare func(h *plainHouse), changes ...world.Change) *plainHouse {
	t.Helper()
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &plainHouse{dir: filepath.Join(real, "work space"), temp: filepath.Join(real, "temp")}
	t.Setenv("TMPDIR", h.temp)
	for name, text := range map[string]string{"a.txt": "one\n", "old/b.txt": "b\n", "run.sh": "true\n", "line\nbreak": "l\n", "ignored/x": "x\n"} {
		h.write(t, name, text)
	}
	for link, to := range map[string]string{"in": filepath.Join(h.dir, "old"), "up": "../outside", "near": "a.txt"} {
		if err := os.Symlink(to, filepath.Join(h.dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(h.temp, 0o700); err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(h)
	}
	for i := range changes {
		changes[i].Path = filepath.Join(h.dir, changes[i].Path)
	}
	h.plain, err = world.NewPlain(t.Context(), world.PlainFrom{Folders: []string{h.dir}, Changes: changes, Has: func(name string, _ bool) world.Having {
		if filepath.Base(name) == "ignored" {
			return world.HasNot
		}
		return world.Has
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.plain.Remove()
		if left, err := os.ReadDir(h.temp); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	})
	return h
}

func (h *plainHouse) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// leaves runs a command in the copy, and compares what it has left.
func (h *plainHouse) leaves(t *testing.T, line string, want ...string) {
	t.Helper()
	dir, _ := h.plain.In(h.dir)
	o, err := Run(t.Context(), Command{Line: line, Dir: dir, Plain: h.plain, Capture: func(left []world.Entry) (wanted []int) {
		for i, e := range left {
			if e.Kind == world.FileEntry {
				wanted = append(wanted, i)
			}
		}
		return wanted
	}}, nil)
	if err != nil || o.NotCaptured != nil {
		t.Fatalf("%v %v %s", err, o.NotCaptured, o.Output)
	}
	var got []string
	for _, e := range o.Left {
		rel, _ := filepath.Rel(h.dir, string(e.Path))
		got = append(got, fmt.Sprintf("%s %q %q", e.Kind, rel, e.Text))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s left\n%s\nnot\n%s\n%s", line, strings.Join(got, "\n"), strings.Join(want, "\n"), o.Output)
	}
}

func TestPlainCopyCaptures(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		newPlainHouse(t).leaves(t, `cat a.txt in/b.txt near; touch a.txt; cp run.sh x; mv x run.sh; test ! -e ignored`)
	})
	t.Run("texts", func(t *testing.T) {
		h := newPlainHouse(t, world.Change{Path: "a.txt", Text: []byte("typed\n")}, world.Change{Path: "new/n.txt", Text: []byte("n\n")}, world.Change{Path: "run.sh", Gone: true})
		h.leaves(t, `test "$(cat a.txt)" = typed && test ! -e run.sh && echo more >> a.txt && rm new/n.txt`, `file "a.txt" "typed\nmore\n"`, `gone "new/n.txt" ""`)
	})
	t.Run("kinds", func(t *testing.T) {
		newPlainHouse(t).leaves(t, `echo two >> in/b.txt; rm run.sh; mkdir run.sh; echo f > run.sh/f; mkfifo p; ln -sfn / up; printf 'x\n' >> 'line
break'; rm near; echo a > near; mkdir empty`,
			`file "old/b.txt" "b\ntwo\n"`, `gone "run.sh" ""`, `file "run.sh/f" "f\n"`, `other "p" ""`, `link "up" ""`, `file "line\nbreak" "l\nx\n"`, `file "near" "a\n"`)
	})
	t.Run("same size and time", func(t *testing.T) {
		newPlainHouse(t).leaves(t, `touch -r a.txt t; printf 'two\n' > a.txt; touch -r t a.txt; rm t`, `file "a.txt" "two\n"`)
	})
	t.Run("locked", func(t *testing.T) {
		newPlainHouse(t).leaves(t, `echo c > old/c; chmod 0 old/c old`, `file "old/c" "c\n"`)
	})
	t.Run("folder replaced by a link", func(t *testing.T) {
		newPlainHouse(t).leaves(t, `rm -r old; ln -s /etc old`, `link "old" ""`, `gone "old/b.txt" ""`)
	})
}

// What is outside of the copy stays as it is, whatever the command does in it; what runs on is ended.
func TestPlainCopyLeavesTheWorkspace(t *testing.T) {
	h := newPlainHouse(t)
	h.leaves(t, `(while :; do echo again >> loop.txt 2>/dev/null || exit; done) & rm -rf in/* a.txt; echo $PWD > run.sh; sleep 0.05; kill $!; wait; rm -f loop.txt`,
		`gone "a.txt" ""`, `gone "old/b.txt" ""`, `file "run.sh" "`+mustIn(h)+`\n"`)
	for name, want := range map[string]string{"a.txt": "one\n", "old/b.txt": "b\n", "run.sh": "true\n"} {
		if got, err := os.ReadFile(filepath.Join(h.dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

func mustIn(h *plainHouse) string {
	in, _ := h.plain.In(h.dir)
	return in
}

// What a command leaves that its time limit has stopped is known.
func TestPlainCopyOfWhatIsStopped(t *testing.T) {
	h := newPlainHouse(t)
	for limit := 500 * time.Millisecond; ; limit *= 2 { // long enough for what it does first
		o, err := Run(t.Context(), Command{
			Line: `echo more >> a.txt; echo ready; sleep 600`, Dir: mustIn(h), Plain: h.plain, Limits: Limits{Time: limit},
			Capture: func(left []world.Entry) []int {
				return slices.DeleteFunc([]int{0}, func(i int) bool { return i >= len(left) })
			},
		}, nil)
		switch {
		case err != nil:
			t.Fatal(err)
		case !strings.Contains(o.Stdout, "ready"):
		case o.End != TimedOut || o.NotCaptured != nil || len(o.Left) != 1 || !strings.HasSuffix(string(o.Left[0].Text), "more\n"):
			t.Fatalf("%s %v %+v", o.End, o.NotCaptured, o.Left)
		default:
			return
		}
	}
}

// A command that the user stops, or that removes the copy, leaves nothing that is known.
func TestPlainCopyNotCaptured(t *testing.T) {
	h := newPlainHouse(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run := func(ctx context.Context, line string) Outcome {
		o, err := Run(ctx, Command{Line: line, Dir: mustIn(h), Plain: h.plain, Capture: func([]world.Entry) []int {
			t.Error("it was asked")
			return nil
		}}, func(Stream, string) { cancel() })
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := run(ctx, `echo more >> a.txt; echo ready; sleep 600`); o.End != Cancelled || o.NotCaptured == nil || o.Left != nil {
		t.Errorf("%s %v %v", o.End, o.NotCaptured, o.Left)
	}
	if o := run(t.Context(), `cd / && rm -rf "$OLDPWD"`); o.NotCaptured == nil || o.Left != nil {
		t.Errorf("%s %v %v", o.End, o.NotCaptured, o.Left)
	}
}

// What a killed process has left is removed by the next copy.
func TestPlainCopyIsSwept(t *testing.T) {
	h := newPlainHouse(t)
	state := t.TempDir()
	left := filepath.Join(h.temp, leftover.Name(leftover.Folder))
	if err := os.MkdirAll(filepath.Join(left, "locked"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(state, "temporary", "K.list")
	if err := os.MkdirAll(filepath.Dir(list), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, fmt.Appendf(nil, "%q\n", left), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := world.NewPlain(t.Context(), world.PlainFrom{Folders: []string{h.dir}, Has: func(string, bool) world.Having { return world.Has }, Left: leftover.New(state)})
	if err != nil {
		t.Fatal(err)
	}
	p.Remove()
	if _, err := os.Lstat(left); err == nil {
		t.Error("it is still there")
	}
}

// A copy that cannot be made says why, and leaves nothing.
func TestPlainCopyIsRefused(t *testing.T) {
	h := newPlainHouse(t)
	before, _ := os.ReadDir(h.temp)
	big := filepath.Join(h.dir, "big")
	h.write(t, "big", "")
	if err := os.Truncate(big, 5<<30); err != nil {
		t.Skip(err)
	}
	has := func(string, bool) world.Having { return world.Has }
	if p, err := world.NewPlain(t.Context(), world.PlainFrom{Folders: []string{h.dir}, Has: has}); p != nil || err == nil || !strings.Contains(err.Error(), "big alone has 5120 MiB") {
		t.Errorf("%v %v", p, err)
	}
	os.Remove(big)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if p, err := world.NewPlain(cancelled, world.PlainFrom{Folders: []string{h.dir}, Has: has}); p != nil || err == nil {
		t.Errorf("%v %v", p, err)
	}
	if after, _ := os.ReadDir(h.temp); len(after) != len(before) {
		t.Errorf("%v is left", after)
	}
}

// BenchmarkPlainCopy copies 10,000 files and finds that one was changed.
func BenchmarkPlainCopy(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "w")
	for i := range 10_000 {
		name := filepath.Join(dir, fmt.Sprint(i%100), fmt.Sprint(i))
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		if err := os.WriteFile(name, []byte(strings.Repeat("a line of text\n", 200)), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		p, err := world.NewPlain(b.Context(), world.PlainFrom{Folders: []string{dir}, Has: func(string, bool) world.Having { return world.Has }})
		if err != nil {
			b.Fatal(err)
		}
		in, _ := p.In(filepath.Join(dir, "7", "7"))
		if err := os.WriteFile(in, nil, 0o644); err != nil {
			b.Fatal(err)
		}
		if left, err := p.List(b.Context()); err != nil || len(left) != 1 {
			b.Fatal(len(left), err)
		}
		p.Remove()
	}
}
