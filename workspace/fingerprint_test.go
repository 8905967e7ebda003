package workspace

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func goFiles(path string) bool { return filepath.Ext(path) == ".go" }

// Only another content makes another fingerprint, and a file that was read counts as changed only if it is reported with
// another content: not after a save of the same text, nor with another time.
func TestContentsChange(t *testing.T) {
	names := []string{"a.go", "b.go", "sub/c.go", "d.txt"}
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w := New([]Folder{{Dir: dir}}, Options{})
		var (
			now, known map[string]string // by name; known has what was read, as it was looked at last
			began      time.Time
			changed    bool // since began
		)
		fail := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		now, known = map[string]string{}, map[string]string{}
		sums, byText := map[string]string{}, map[string]string{}
		check := func() {
			sum, err := Fingerprint(t.Context(), w, goFiles)
			fail(err)
			counted := maps.Clone(now)
			delete(counted, "d.txt")
			text := fmt.Sprint(counted)
			if was, had := byText[text]; had && was != sum {
				t.Fatalf("%s has another fingerprint", text)
			}
			if other, had := sums[sum]; had && other != text {
				t.Fatalf("%s and %s have the same fingerprint", text, other)
			}
			sums[sum], byText[text] = text, sum
			known, changed = maps.Clone(now), false
			for began = time.Now(); !time.Now().After(began); { // the clock may be coarse
			}
		}
		check()
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			full := filepath.Join(dir, filepath.FromSlash(name))
			was, exists := now[name]
			text := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "text") // of one size
			act := rapid.SampledFrom([]string{"save", "save the same", "replace", "touch", "remove"}).Draw(t, "act")
			switch {
			case act == "save", !exists:
				fail(os.MkdirAll(filepath.Dir(full), 0o700))
				fail(os.WriteFile(full, []byte(text), 0o600))
				now[name] = text
			case act == "save the same":
				fail(os.WriteFile(full, []byte(was), 0o600))
			case act == "replace":
				fail(os.WriteFile(full+".new", []byte(text), 0o600))
				fail(os.Rename(full+".new", full))
				now[name] = text
			case act == "touch":
				fail(os.Chtimes(full, time.Now(), time.Now().Add(time.Hour)))
			case act == "remove":
				fail(os.Remove(full))
				delete(now, name)
			}
			if rapid.IntRange(0, 3).Draw(t, "reported") > 0 {
				w.ChangedOnDisk([]string{name}, time.Now())
				text, there := now[name]
				before, had := known[name]
				changed = changed || goFiles(name) && (!had || !there || text != before)
				if !there {
					delete(known, name)
				} else if had {
					known[name] = text
				}
			}
			if got := w.ContentChangedAt(goFiles).After(began); got != changed {
				t.Fatalf("after %s of %s: changed %v, want %v", act, name, got, changed)
			}
			if rapid.IntRange(0, 2).Draw(t, "check") == 0 {
				check()
			}
		}
	})
}

// A file that has not changed since it was read is not read again, and one that is too large is known by its times.
func TestFingerprintReadsLittle(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{"a.go": "x", "large.go": "x"})
	must(t, os.Truncate(filepath.Join(dir, "large.go"), maxContent+1))
	first, err := Fingerprint(t.Context(), w, goFiles)
	must(t, err)
	if known := slices.Collect(maps.Keys(w.hashes.paths())); !slices.Equal(known, []string{"a.go"}) {
		t.Errorf("read %v", known)
	}
	had := w.hashes.of["a.go"]
	had.read = had.read.Add(time.Hour) // as if the file had been old when it was read
	had.sum[0]++
	w.hashes.of["a.go"] = had
	again, err := Fingerprint(t.Context(), w, goFiles)
	must(t, err)
	if again == first {
		t.Error("it was read again")
	}
	must(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("x"), 0o600))
	again, err = Fingerprint(t.Context(), w, goFiles)
	must(t, err)
	if again != first {
		t.Error("it was not read again")
	}
	must(t, os.Chtimes(filepath.Join(dir, "large.go"), time.Now(), time.Now().Add(time.Hour)))
	if again, err = Fingerprint(t.Context(), w, goFiles); err != nil || again == first {
		t.Errorf("the times of the large file do not count (%v)", err)
	}
}
