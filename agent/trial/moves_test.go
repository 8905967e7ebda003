package trial

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"redline/workspace"
)

// A file has moved if most of its lines are in a new one.
func TestMoves(t *testing.T) {
	gone := func(path, text string) CapturedFile {
		return CapturedFile{Path: path, Gone: true, Base: workspace.File{Exists: true, Text: text, Mode: 0o644}}
	}
	made := func(path, text string) CapturedFile { return CapturedFile{Path: path, Text: text} }
	for name, c := range map[string]struct {
		files []CapturedFile
		want  map[string]string
	}{
		"the same text":          {[]CapturedFile{gone("a", "x\n"), made("b", "x\n")}, map[string]string{"b": "a"}},
		"most lines":             {[]CapturedFile{gone("a", "1\n2\n3\n4\n5\n"), made("b", "1\n2\n3\nfour\n5\n")}, map[string]string{"b": "a"}},
		"half of the lines":      {[]CapturedFile{gone("a", "1\n2\n3\n4\n"), made("b", "1\n2\nx\ny\n")}, map[string]string{}},
		"empty files":            {[]CapturedFile{gone("a", ""), made("b", "")}, map[string]string{}},
		"the best":               {[]CapturedFile{gone("a", "1\n2\n3\n4\n5\n"), gone("b", "1\n2\n3\n4\nfive\n"), made("c", "1\n2\n3\n4\nfive\n6\n")}, map[string]string{"c": "b"}},
		"the same before alike":  {[]CapturedFile{gone("a", "1\n2\n3\n4\n5\n"), made("b", "1\n2\n3\n4\n"), made("c", "1\n2\n3\n4\n5\n")}, map[string]string{"c": "a"}},
		"each only once":         {[]CapturedFile{gone("a", "x\n"), made("b", "x\n"), made("c", "x\n")}, map[string]string{"b": "a"}},
		"another that exists":    {[]CapturedFile{gone("a", "x\n"), {Path: "b", Base: workspace.File{Exists: true, Text: "y\n"}, Text: "x\n"}}, map[string]string{}},
		"one that can be run":    {[]CapturedFile{gone("a", "x\n"), {Path: "b", Text: "x\n", Mode: 0o755}}, map[string]string{}},
		"lines that are counted": {[]CapturedFile{gone("a", "1\n2\n3\n"), made("b", "1\n1\n1\n1\n1\n1\n")}, map[string]string{}},
	} {
		if got := Moves(c.files); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Very many lines are compared only where a file has the same name in another folder: to compare all took
// minutes.
func TestMovesOfVeryManyLines(t *testing.T) {
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintln(&lines, i)
	}
	var files []CapturedFile
	move := func(was, now string) {
		files = append(files, CapturedFile{Path: was, Gone: true, Base: workspace.File{Exists: true, Text: lines.String()}})
		files = append(files, CapturedFile{Path: now, Text: lines.String() + now})
	}
	want := map[string]string{}
	for i := range 20 {
		was, now := fmt.Sprintf("old/%d.txt", i), fmt.Sprintf("new/%d.txt", i)
		move(was, now)
		want[now] = was
	}
	move("old/name.txt", "new/another.txt")
	if got := Moves(files); !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	few := files[len(files)-2:]
	if got := Moves(few); !maps.Equal(got, map[string]string{"new/another.txt": "old/name.txt"}) {
		t.Errorf("%v", got)
	}
}
