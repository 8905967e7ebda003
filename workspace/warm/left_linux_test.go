package warm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What tests leave beside what is built does not stay.
func TestTidy(t *testing.T) {
	c := newCrate(t)
	c.run(ended)
	taken, _, _ := c.take()
	defer taken.Return(ended)
	var names []string
	entries, err := os.ReadDir(taken.Kept().From)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := ".rustc_info.json debug"; err != nil || strings.Join(names, " ") != want {
		t.Errorf("there are %q, %v, want %q", names, err, want)
	}
}

// What tests leave among what is built cannot stay, wherever it is: the next run would find it. What
// was there before, as from tests of the user, may.
func TestLeft(t *testing.T) {
	for name, c := range map[string]struct {
		files []string
		stays bool
	}{
		"cargo's own": {stays: true, files: []string{
			"debug/.cargo-lock", "debug/app.d", "debug/deps/app-0123456789abcdef", "debug/deps/app-0123456789abcdef.1x.rcgu.o", "debug/deps/app.d",
			"debug/deps/libapp.so", "debug/deps/rmetaAbC123/full.rmeta", "debug/incremental/app-1/s-2/dep-graph.bin", "debug/examples/ex-0123456789abcdef",
			"x86_64-unknown-linux-gnu/debug/.fingerprint/f", "x86_64-unknown-linux-gnu/debug/deps/app-0123456789abcdef",
		}},
		"beside the tests":      {files: []string{"debug/deps/state"}},
		"in a folder there":     {files: []string{"debug/deps/data/state.json"}},
		"beside the programs":   {files: []string{"debug/state.json"}},
		"beside the examples":   {files: []string{"debug/examples/state.json"}},
		"of another target":     {files: []string{"x86_64-unknown-linux-gnu/debug/.fingerprint/f", "x86_64-unknown-linux-gnu/debug/deps/state"}},
		"of a build script":     {files: []string{"debug/build/app-1/invoked.timestamp", "debug/build/app-1/out/gen.rs", "debug/build/app-1/root-output"}, stays: true},
		"of one that runs":      {files: []string{"debug/build/app-1/root-output", "debug/build/app-1/invoked.timestamp", "debug/build/app-1/out/gen.rs"}, stays: true},
		"after a build script":  {files: []string{"debug/build/app-1/invoked.timestamp", "debug/build/app-1/root-output", "debug/build/app-1/out/state"}},
		"in a folder for tests": {files: []string{"tmp/state"}, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			made := newCrate(t)
			made.run(ended)
			taken, _, _ := made.take()
			at := time.Now()
			for _, file := range c.files {
				file = filepath.Join(taken.Kept().From, file)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, nil, 0o644); err != nil {
					t.Fatal(err)
				}
				at = at.Add(time.Second)
				if err := os.Chtimes(file, at, at); err != nil {
					t.Fatal(err)
				}
			}
			taken.Return(ended)
			made.want(c.stays, "", ended)
		})
	}
	c := newCrate(t)
	c.write("target/debug/.fingerprint/lib", "built")
	c.write("target/debug/deps/state", "of the user")
	at := time.Now().Add(-time.Hour)
	for _, name := range []string{"target", "target/debug", "target/debug/deps", "target/debug/.fingerprint"} {
		if err := os.Chtimes(c.path(name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	c.build.Slow = true
	taken, _, _ := c.take()
	content := taken.Kept().From
	taken.Return(ended)
	taken, _, _ = c.take()
	if taken.Kept().From != content {
		t.Error("what the user's own tests left is not kept")
	}
	if err := os.WriteFile(filepath.Join(content, "debug/deps/state"), []byte("of a trial"), 0o644); err != nil {
		t.Fatal(err)
	}
	taken.Return(ended)
	if taken, _, _ = c.take(); taken.Kept().From == content {
		t.Error("what a trial has written over it is kept")
	}
	taken.Return(End{})
}
