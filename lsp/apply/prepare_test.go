package apply_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"redline/edits"
)

// What must not be sent is refused before anything is sent.
func TestPrepareRefuses(t *testing.T) {
	files := map[string]string{"f": "a\nb\n", "g": "g\n"}
	for name, c := range map[string]edits.Change{
		"creation over a file":          {Path: "f", Kind: edits.Create, Text: "x"},
		"a move over a file":            {Path: "f", Kind: edits.Rename, NewPath: "g", Base: "a\nb\n"},
		"a file that is gone":           {Path: "no", Base: "a\n", Edits: []edits.Edit{{New: "x\n"}}},
		"deletion of a changed file":    {Path: "f", Kind: edits.Delete, Base: "a\n"},
		"an edit whose lines are gone":  {Path: "f", Base: "a\nz\n", Edits: []edits.Edit{{Span: edits.Span{Start: 2, End: 4}, New: "y\n"}}},
		"a path outside the workspace":  {Path: "../f", Kind: edits.Create, Text: "x"},
		"a path in the repository data": {Path: ".git/config", Kind: edits.Create, Text: "x"},
	} {
		t.Run(name, func(t *testing.T) {
			results, err := newHarness(t, everything, files).Apply(t.Context(), []edits.Change{c}, nil)
			if err != nil || len(results) != 1 || results[0].Status != edits.Refused || results[0].Reason == "" {
				t.Errorf("not refused: %+v, %v", results, err)
			}
		})
	}
}

// A change between the approval and the request is found before anything is sent.
func TestPrepareLooksAgain(t *testing.T) {
	files := map[string]string{"a": "a\n", "taken": "mine\n", "dir/in": "mine\n", "open": "", "read": "base\n"}
	create := func(path string) edits.Change { return edits.Change{Path: path, Kind: edits.Create, Text: "t"} }
	move := func(path string) edits.Change {
		return edits.Change{Path: "a", Kind: edits.Rename, NewPath: path, Base: "a\n"}
	}
	for name, x := range map[string]struct {
		change edits.Change
		want   string
	}{
		"a creation over a file":       {create("taken"), "taken now exists"},
		"a creation over a buffer":     {create("buffer"), "buffer now exists"},
		"a creation over a folder":     {create("dir"), "dir is a folder"},
		"a creation below a file":      {create("taken/in"), "a part of its path is a file"},
		"a move over a file":           {move("taken"), "taken now exists"},
		"a move over a buffer":         {move("buffer"), "buffer now exists"},
		"a move over a folder":         {move("dir"), "dir now exists"},
		"a move below a file":          {move("taken/in"), "a part of its path is a file"},
		"a move of what is gone":       {edits.Change{Path: "gone", Kind: edits.Rename, NewPath: "b"}, "gone does not exist any more"},
		"a deletion of what is gone":   {edits.Change{Path: "gone", Kind: edits.Delete}, "gone does not exist any more"},
		"a deletion of what was typed": {edits.Change{Path: "read", Kind: edits.Delete, Base: "other\n"}, "read was changed since it was read"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, everything, files)
			h.open("buffer", 1, "unsaved")
			outcomes, err := h.Apply(t.Context(), []edits.Change{x.change}, nil)
			if err != nil || len(outcomes) != 1 || outcomes[0].Status != edits.Refused || !strings.Contains(outcomes[0].Reason, x.want) {
				t.Errorf("%+v, %v; want it refused with %q", outcomes, err, x.want)
			}
		})
	}
}

// The server makes a new file with permissions of its own: a client would give it the
// usual ones. If a buffer shows the file, it is refused.
func TestNewFilesWithPermissions(t *testing.T) {
	run := edits.Change{Path: "bin/run", Kind: edits.Create, Text: "echo\n", Mode: 0o755}
	h := newHarness(t, everything, nil)
	if _, left := h.Preview([]edits.Change{run}); len(left) != 1 || !strings.Contains(left[0].Reason, "Redline creates this file itself") {
		t.Errorf("the preview leaves out %+v", left)
	}
	outcomes, err := h.Apply(t.Context(), []edits.Change{run}, nil)
	if err != nil || len(outcomes) != 1 || outcomes[0].Status != edits.Done {
		t.Fatalf("%+v, %v", outcomes, err)
	}
	info, err := os.Stat(filepath.Join(h.dir, "bin/run"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	usual := run
	usual.Path, usual.Mode = "usual", 0o644
	if _, left := h.Preview([]edits.Change{usual}); len(left) != 0 {
		t.Errorf("the preview leaves out %+v", left)
	}
	run.Path = "open"
	h.open("open", 1, "")
	outcomes, err = h.Apply(t.Context(), []edits.Change{run}, nil)
	if err != nil || len(outcomes) != 1 || !strings.Contains(outcomes[0].Reason, "open is to be executable") {
		t.Errorf("over a buffer: %+v, %v", outcomes, err)
	}
}
