package patch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// genBody draws the lines of a function's body: some repeat, some are not further
// in than the function itself.
func genBody(t *rapid.T) (lines []string) {
	for range rapid.IntRange(1, 5).Draw(t, "pieces") {
		switch rapid.IntRange(0, 6).Draw(t, "piece") {
		case 0:
			lines = append(lines, "\ts := `", "text", "}", "`")
		case 1:
			lines = append(lines, "retry:", "\trun()")
		case 2:
			lines = append(lines, "#ifdef X", "\trun()", "#endif")
		case 3:
			lines = append(lines, "\tif x {", "\t\trun()", "\t}")
		case 4:
			lines = append(lines, "", "// note")
		default:
			lines = append(lines, rapid.SampledFrom([]string{"\trun()", "\tstop()"}).Draw(t, "line"))
		}
	}
	return lines
}

// TestHeadersTellFunctionsApart shows that a line of a function, given below the
// function's header, is changed in that function or nowhere; that it is changed if
// the function has it once; and that it is refused if the function has it twice.
func TestHeadersTellFunctionsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		var first, after []int // of each body
		for i := range rapid.IntRange(1, 4).Draw(t, "functions") {
			lines = append(lines, fmt.Sprintf("func f%d() {", i))
			first = append(first, len(lines))
			lines = append(lines, genBody(t)...)
			after = append(after, len(lines))
			lines = append(lines, "}", "")
		}
		k := rapid.IntRange(0, len(first)-1).Draw(t, "function")
		at := rapid.IntRange(first[k], after[k]-1).Draw(t, "line")
		line := lines[at]
		count := 0
		for _, other := range lines[first[k]:after[k]] {
			if other == line {
				count++
			}
		}
		text := strings.Join(lines, "\n") + "\n"
		want := strings.Join(slices.Replace(slices.Clone(lines), at, at+1, "new"), "\n") + "\n"
		got, _, err := apply(tree{"x": text}, fmt.Sprintf("*** Begin Patch\n*** Update File: x\n@@ func f%d() {\n-%s\n+new\n*** End Patch\n", k, line))
		switch {
		case err == nil && got["x"] != want:
			t.Fatalf("%q in f%d: got %q\n%s", line, k, got["x"], text)
		case err != nil && count == 1 && line != "}":
			t.Fatalf("%q in f%d: refused: %v\n%s", line, k, err, text)
		}
	})
}

// TestHeadingsTellPlacesApart shows that a diff with the heading that git gives a
// hunk, the last line above it that begins with a letter, changes the line that is
// meant or none, whatever its numbers say.
func TestHeadingsTellPlacesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lines []string
		for i := range rapid.IntRange(1, 4).Draw(t, "functions") {
			lines = append(lines, fmt.Sprintf("func f%d() {", i))
			lines = append(lines, genBody(t)...)
			lines = append(lines, "}", "", "// note")
		}
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		from := max(0, at-rapid.IntRange(0, 2).Draw(t, "context"))
		heading := ""
		for _, line := range lines[:from] {
			if line != "" && (line[0] >= 'a' && line[0] <= 'z') {
				heading = line
			}
		}
		text := strings.Join(lines, "\n") + "\n"
		want := strings.Join(slices.Replace(slices.Clone(lines), at, at+1, "new"), "\n") + "\n"
		hunk := "--- a/x\n+++ b/x\n@@ -990,9 +990,9 @@ " + heading + "\n"
		for _, line := range lines[from:at] {
			hunk += " " + line + "\n"
		}
		got, _, err := apply(tree{"x": text}, hunk+"-"+lines[at]+"\n+new\n")
		if err == nil && got["x"] != want {
			t.Fatalf("line %d below %q: got %q\n%s", at+1, heading, got["x"], text)
		}
	})
}
