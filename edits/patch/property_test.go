package patch_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits/match"
	"redline/edits/patch"
)

// pieces are the parts of hostile texts: lines that repeat, that look like lines of a patch, that
// end in every way, and bytes that are not UTF-8.
var pieces = []string{
	"a\n", "b\n", "}\n", "\n", "\tx := 1\n", " \n", "  a\n", "a \n", "é𝄞\n", "\xff\n", "c\r\n", "\r\n", "\r", "d", "\ufeff",
	"-- a/x\n", "++ b/x\n", "@@ -1 +1 @@\n", "+\n", "-\n", "\\ No newline at end of file\n", "--- a/x\n", "+++ b/x\n",
	"*** End Patch\n", "*** Update File: x\n", "diff --git a/x b/x\n", "```\n", "\u201cq\u201d\n", "\"q\"\n", "EOF\n", "-- \n2.39.5\n",
}

func genText(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, most).Draw(t, "pieces"), "")
	})
}

// genChange generates a text and a version of it with some lines replaced.
func genChange(t *rapid.T, path string) (base, proposed string) {
	base = genText(30).Draw(t, "base of "+path)
	lines := strings.SplitAfter(base, "\n")
	for range rapid.IntRange(0, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		end := min(at+rapid.IntRange(0, 3).Draw(t, "lines"), len(lines))
		lines = slices.Replace(lines, at, end, genText(3).Draw(t, "new"))
	}
	return base, strings.Join(lines, "")
}

// genTrees generates files before and after a change, in which files are created and deleted.
func genTrees(t *rapid.T) (before, after tree) {
	before, after = tree{}, tree{}
	for i := range rapid.IntRange(1, 4).Draw(t, "files") {
		path := []string{"x", "dir/y.go", "a/b c", `q"uote`}[i]
		base, proposed := genChange(t, path)
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			after[path] = proposed
		case 1:
			before[path] = base
		default:
			before[path], after[path] = base, proposed
		}
	}
	return before, after
}

// each calls print for every file that differs between the trees, by path.
func each(before, after tree, print func(path string, base, proposed *string) string) string {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(all)) {
		var base, proposed *string
		if text, ok := before[path]; ok {
			base = &text
		}
		if text, ok := after[path]; ok {
			proposed = &text
		}
		if base == nil || proposed == nil || *base != *proposed {
			b.WriteString(print(path, base, proposed))
		}
	}
	return b.String()
}

// kindOfEnds returns which line ends a text has.
func kindOfEnds(text string) string {
	switch all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n"); {
	case all == 0:
		return "none"
	case crlf == 0:
		return "LF"
	case crlf == all:
		return "CRLF"
	}
	return "mixed"
}

// lf returns a text with one kind of line ends.
func lf(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// meant reports whether a patch determines the line ends of a change: its form states the end of
// each line, or, if it does not, the file has one kind and new lines get that kind.
func meant(base, proposed string, tells bool) bool {
	was, is := kindOfEnds(base), kindOfEnds(proposed)
	if was == "none" {
		return tells && !strings.Contains(base, "\r")
	}
	return was == is && was != "mixed" || was == "mixed" && tells
}

// leads fails unless the patch leads from one tree to the other: byte for byte, except for line
// ends that the patch does not determine.
func leads(t *rapid.T, before, after tree, text string, tells bool) {
	t.Helper()
	if text == "" {
		return
	}
	got, _, err := apply(before, text)
	if err != nil {
		t.Fatalf("refused: %v\n%s", err, text)
	}
	after = maps.Clone(after)
	for path, is := range after {
		if base, ok := before[path]; ok && !meant(base, is, tells) {
			after[path], got[path] = lf(is), lf(got[path])
		}
	}
	if diff := cmp.Diff(after, got); diff != "" {
		t.Fatalf("files (-want +got):\n%s\n%s", diff, text)
	}
}

// A unified diff leads to the proposed text, byte for byte.
func TestUnifiedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := genTrees(t)
		context := rapid.IntRange(1, 4).Draw(t, "context")
		leads(t, before, after, each(before, after, func(path string, base, proposed *string) string {
			return unified(path, base, proposed, context)
		}), true)
	})
}

var numbers = regexp.MustCompile(`(?m)^@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@$`)

// Wrong or missing numbers do no harm if the lines occur in one place only, and never lead to
// another text.
func TestNumbersDoNotDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, proposed := genChange(t, "x")
		if base == "" || base == proposed {
			return
		}
		text := unified("x", &base, &proposed, 3)
		shift := rapid.IntRange(1000, 2000).Draw(t, "shift")
		none := rapid.Bool().Draw(t, "no numbers")
		if strings.Contains(base+proposed, "@@") {
			return // a line that looks like one of the patch
		}
		text = numbers.ReplaceAllStringFunc(text, func(line string) string {
			m := numbers.FindStringSubmatch(line)
			if none && !strings.Contains(text, "\n--- ") && !strings.Contains(text, "\n-- ") && !strings.Contains(text, "\n+++ ") {
				return "@@ @@"
			}
			first, _ := strconv.Atoi(m[1])
			return fmt.Sprintf("@@ -%d%s +%d%s @@", first+shift, m[2], first+shift, m[4])
		})
		files, err := patch.Parse(text)
		if err != nil {
			t.Fatalf("refused: %v\n%s", err, text)
		}
		unique := true
		for _, c := range files[0].Chunks {
			_, err := match.Find(ended(base), ended(c.Old), match.Where{Lines: true})
			unique = unique && err == nil
		}
		got, _, err := apply(tree{"x": base}, text)
		switch {
		case err != nil && unique:
			t.Fatalf("refused: %v\n%s", err, text)
		case err == nil && got["x"] != proposed && (meant(base, proposed, true) || lf(got["x"]) != lf(proposed)):
			t.Fatalf("got %q, want %q\n%s", got["x"], proposed, text)
		}
	})
}

// sameEnd reports whether forms that cannot express a missing last line end can express a change.
func sameEnd(base, proposed string) bool {
	if base == "" {
		return strings.HasSuffix(proposed, "\n")
	}
	if strings.HasSuffix(base, "\n") {
		return proposed == "" || strings.HasSuffix(proposed, "\n")
	}
	rows := rowHunks(base, proposed)
	last := rows[len(rows)-1]
	cut := last.after == len(splitRows(base)) && len(last.added) == 0 // the last line is removed
	return !strings.HasSuffix(proposed, "\n") && proposed != "" && !cut
}

// expressible limits a change to what the other forms can express: nothing that depends on a last
// line without a line end, on a lone "\r", or on the end that a line gets among lines with
// different ends.
func expressible(before, after tree) {
	for path, proposed := range maps.Clone(after) {
		base, exists := before[path]
		if exists && base != proposed && !sameEnd(base, proposed) || !exists && proposed != "" && !strings.HasSuffix(proposed, "\n") ||
			!strings.HasSuffix(base, "\n") && strings.Contains(base, "\r\n") || strings.HasSuffix(base, "\r") || strings.HasSuffix(proposed, "\r") {
			delete(before, path)
			delete(after, path)
		}
	}
}

// A "*** Begin Patch" text leads to the proposed text, byte for byte.
func TestBeginPatchIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := genTrees(t)
		expressible(before, after)
		delete(before, `q"uote`) // a name that ends with a quote would lose it
		delete(after, `q"uote`)
		if text := each(before, after, beginPatch); text != "" {
			leads(t, before, after, "*** Begin Patch\n"+text+"*** End Patch\n", false)
		}
	})
}

// repeats reports whether two changes replace the same lines: as blocks, nobody could say which is
// meant where.
func repeats(all []change) bool {
	seen := map[string]bool{}
	for _, c := range all {
		if seen[c.old] {
			return true
		}
		seen[c.old] = true
	}
	return false
}

// Search/replace blocks lead to the proposed text, byte for byte.
func TestBlocksAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := genTrees(t)
		for path := range maps.Clone(before) {
			if _, ok := after[path]; !ok || !strings.Contains(path, "/") || strings.Contains(path, " ") {
				delete(before, path) // a block deletes no file
				delete(after, path)
			}
		}
		for path := range maps.Clone(after) {
			if !strings.Contains(path, "/") || strings.Contains(path, " ") || after[path] == "" && before[path] == "" {
				delete(before, path)
				delete(after, path)
			}
		}
		expressible(before, after)
		for path, base := range maps.Clone(before) {
			if repeats(changes(base, after[path])) {
				delete(before, path)
				delete(after, path)
			}
		}
		text := each(before, after, searchReplace)
		if _, _, err := apply(before, text); errors.Is(err, patch.ErrInTurn) {
			return // each block names the file again: an earlier block may make a later one ambiguous
		}
		leads(t, before, after, text, false)
	})
}

// A patch of git leads to the proposed text, byte for byte.
func TestGitIsExact(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not here to compare with: install it")
	}
	dir := t.TempDir()
	for _, side := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		base, proposed := genChange(t, "x")
		for side, text := range map[string]string{"a": base, "b": proposed} {
			if err := os.WriteFile(filepath.Join(dir, side, "x"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(git, "-c", "core.autocrlf=false", "diff", "--no-index", "--no-prefix", "--text", "--no-color", "--no-ext-diff", "-U"+strconv.Itoa(rapid.IntRange(1, 5).Draw(t, "context")), "a/x", "b/x")
		cmd.Dir = dir
		text, err := cmd.Output()
		if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
			t.Fatal(err)
		}
		leads(t, tree{"x": base}, tree{"x": proposed}, string(text), true)
	})
}
