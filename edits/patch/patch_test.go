package patch_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"redline/edits"
	"redline/edits/patch"
)

// tree is some files by their paths.
type tree map[string]string

// apply applies a patch to a copy of a tree, all of it or nothing. It is a minimal
// version of a draft.
func apply(before tree, text string) (tree, []patch.File, error) {
	files, err := patch.Parse(text)
	if err == nil {
		files, err = patch.Join(files)
	}
	if err != nil {
		return nil, nil, err
	}
	after := tree{}
	maps.Copy(after, before)
	put, gone := tree{}, map[string]bool{}
	for _, f := range files {
		gone[f.Path] = gone[f.Path] || f.Kind == edits.Delete
	}
	for _, f := range files {
		was, exists := before[f.Path]
		switch {
		case f.Kind == edits.Create && (!exists || gone[f.Path]):
			put[f.Path] = f.Text
			continue
		case f.New() && !exists:
			put[f.Path] = f.Chunks[0].New
			continue
		case !exists:
			return nil, files, fmt.Errorf("%s does not exist", f.Path)
		case f.Kind == edits.Create:
			return nil, files, fmt.Errorf("%s exists", f.Path)
		}
		es, steps, err := f.Edits(was, true)
		if err != nil {
			return nil, files, err
		}
		if len(es) != len(steps) {
			return nil, files, fmt.Errorf("%d edits have %d steps", len(es), len(steps))
		}
		is, err := edits.Apply(was, es)
		if err != nil {
			return nil, files, err
		}
		delete(after, f.Path)
		switch f.Kind {
		case edits.Update:
			put[f.Path] = is
		case edits.Rename:
			put[f.NewPath] = is
		}
	}
	maps.Copy(after, put)
	return after, files, nil
}

// TestPatches plays testdata/*.txtar: a patch, the files before it (in/…) and after it (out/…), or,
// instead of these, the text of the refusal, each line of it a part. "\r" at the end of a line
// stands for a carriage return, "\s" for a space; "\c" on the last line removes its line end.
func TestPatches(t *testing.T) {
	names, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(names) < 60 {
		t.Fatalf("%d stories: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), "testdata/"), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			before, want := tree{}, tree{}
			var text, refusal string
			for _, f := range txtar.Parse(data).Files {
				content := unescape(string(f.Data))
				if path, ok := strings.CutPrefix(f.Name, "in/"); ok {
					before[path] = content
				} else if path, ok := strings.CutPrefix(f.Name, "out/"); ok {
					want[path] = content
				} else if f.Name == "patch" {
					text = content
				} else if f.Name == "refused" {
					refusal = content
				} else {
					t.Fatalf("there is no part %s", f.Name)
				}
			}
			got, _, err := apply(before, text)
			switch {
			case refusal == "" && err != nil:
				t.Errorf("refused: %v", err)
			case refusal == "":
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("files (-want +got):\n%s", diff)
				}
			case err == nil:
				t.Errorf("not refused, but gives %q", got)
			default:
				for part := range strings.Lines(refusal) {
					if !strings.Contains(err.Error(), strings.TrimSuffix(part, "\n")) {
						t.Errorf("the refusal does not say %q:\n%v", part, err)
					}
				}
			}
		})
	}
}

// unescape replaces escapes by the characters that an editor would lose.
func unescape(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		for _, e := range []struct{ from, to string }{{"\\r\n", "\r\n"}, {"\\s\n", " \n"}, {"\\c\n", ""}} {
			if before, ok := strings.CutSuffix(line, e.from); ok {
				line = before + e.to
			}
		}
		lines[i] = line
	}
	return strings.Join(lines, "")
}

// TestParse checks what Parse reads from a patch besides its effect on a text.
func TestParse(t *testing.T) {
	files, err := patch.Parse("diff --git a/run b/run\nnew file mode 100755\n--- /dev/null\n+++ b/run\n@@ -0,0 +1 @@\n+echo\n" +
		"diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -3,2 +3,2 @@ func f() {\n a\n-b\n+c\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []patch.File{
		{Path: "run", Kind: edits.Create, Text: "echo\n", Mode: 0o755},
		{Path: "x", NewPath: "y", Kind: edits.Rename, Chunks: []patch.Chunk{{Old: "a\nb\n", New: "a\nc\n", Line: 3, Heading: "func f() {"}}},
	}
	if diff := cmp.Diff(want, files, cmpopts.IgnoreUnexported(patch.Chunk{})); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// The program diff with -N gives a file that is not there the time 0, in the zone of its user.
func TestTimesOfNoFile(t *testing.T) {
	const now, gone = "2026-11-27 10:11:12.123456789 +0100", "@@ -1,2 +0,0 @@\n-a\n-b\n"
	header := func(from, to string) string {
		return "diff -ruN a/d/x b/d/x\n--- a/d/x\t" + from + "\n+++ b/d/x\t" + to + "\n"
	}
	for _, c := range []struct {
		text string
		want edits.Kind
	}{
		{header(now, "1970-01-01 00:00:00.000000000 +0000") + gone, edits.Delete},
		{header(now, "1970-01-01 01:00:00.000000000 +0100") + gone, edits.Delete},
		{header(now, "1969-12-31 18:30:00.000000000 -0530") + gone, edits.Delete},
		{header(now, "1970-01-01 00:00:00") + gone, edits.Delete},
		{strings.ReplaceAll(header(now, "1970-01-01 00:00:00 +0000"), "\t", " ") + gone, edits.Delete},
		{header("1970-01-01 05:45:00.000000000 +0545", now) + "@@ -0,0 +1,2 @@\n+a\n+b\n", edits.Create},
		{header(now, "1970-01-01 00:00:00.000000000 +0100") + gone, edits.Update}, // an hour before
		{header(now, "1970-01-01 00:00:00.000000001 +0000") + gone, edits.Update},
		{header(now, now) + gone, edits.Update},
		{header(now, "1970-01-01 00:00:00.000000000 +0000") + "@@ -1,2 +1 @@\n-a\n b\n", edits.Update}, // a file with that time
		{header("1970-01-01 00:00:00 +0000", now) + "@@ -1,2 +1 @@\n-a\n b\n", edits.Update},
	} {
		files, err := patch.Parse(c.text)
		if err != nil || len(files) != 1 || files[0].Kind != c.want || files[0].Path != "d/x" {
			t.Errorf("%s%+v, %v, want %v", c.text, files, err, c.want)
		}
	}
	if diff, err := exec.LookPath("diff"); err == nil { // as the program writes it here
		dir := t.TempDir()
		for name, text := range map[string]string{"a/gone.txt": "a\nb\n", "a/kept": "", "b/new.txt": "c\n", "b/kept": ""} {
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		for _, zone := range []string{"UTC", "XXX-05:45", "XXX+09:30"} {
			cmd := exec.Command(diff, "-ruN", "a", "b")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "TZ="+zone, "LC_ALL=C")
			out, _ := cmd.Output() // it exits with 1, since they differ
			files, err := patch.Parse(string(out))
			if err != nil || len(files) != 2 || files[0].Kind != edits.Delete || files[1].Kind != edits.Create {
				t.Errorf("%s%+v, %v", out, files, err)
			}
		}
	}
}

// TestLimits shows that the refusal of a too large patch names what is too large.
func TestLimits(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"bytes", "--- a/x\n+++ b/x\n@@ @@\n-" + strings.Repeat("x", patch.MaxBytes), "larger than 8 MiB"},
		{"files", strings.Repeat("*** Delete File: x\n", patch.MaxFiles+1), "more than 1000 files"},
		{"chunks", "*** Update File: x\n" + strings.Repeat("@@\n-a\n", patch.MaxChunks+1), "more than 10000 chunks"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := patch.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
