package placeholder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// someLines are lines of a text with few words, so that many occur several times, and placeholders
// among them.
var someLines = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "}", "", "  x", "import a", "import b", "// ...", "// rest of the file unchanged"}), 0, 12)

func text(lines []string) string { return joined(lines) }

// TestWhatIsThereIsNeverRefused checks texts whose placeholders all occur in the old text, at least
// as often.
func TestWhatIsThereIsNeverRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := someLines.Draw(t, "old")
		lines := rapid.Permutation(old).Draw(t, "lines")
		lines = lines[:rapid.IntRange(0, len(lines)).Draw(t, "n")]
		for range rapid.IntRange(0, 3).Draw(t, "added") {
			lines = slices.Insert(slices.Clone(lines), rapid.IntRange(0, len(lines)).Draw(t, "at"), rapid.SampledFrom([]string{"new", "// new", "x...", "..."}).Draw(t, "line"))
		}
		form := rapid.SampledFrom([]Form{Whole, Part, Rows}).Draw(t, "form")
		got, restored, err := Resolve("a.py", text(old), text(lines), form)
		if err != nil || got != text(lines) || len(restored) > 0 {
			t.Fatalf("it came to %q, %v, %v", got, restored, err)
		}
	})
}

// TestRestoredAsByTheReference compares with a slow search for the code that a placeholder stands
// for: it tries all stretches of the old text.
func TestRestoredAsByTheReference(t *testing.T) {
	taken := 0
	check := func(t *rapid.T) {
		old := someLines.Draw(t, "old")
		lines := slices.Clone(old)
		for range rapid.IntRange(1, 2).Draw(t, "placeholders") { // leave a stretch out
			from := rapid.IntRange(0, len(lines)).Draw(t, "from")
			to := rapid.IntRange(from, len(lines)).Draw(t, "to")
			put := rapid.SampledFrom([]string{"// ... existing code ...", "  // ... more code ...", "# rest of the file unchanged"}).Draw(t, "put")
			lines = slices.Concat(lines[:from], []string{put}, lines[to:])
		}
		if rapid.Bool().Draw(t, "changed") && len(lines) > 0 {
			lines[rapid.IntRange(0, len(lines)-1).Draw(t, "line")] = rapid.SampledFrom([]string{"new", "a", "}"}).Draw(t, "to")
		}
		if rapid.Bool().Draw(t, "imports") {
			at := rapid.IntRange(0, len(lines)).Draw(t, "at")
			lines = slices.Insert(lines, at, rapid.SampledFrom([][]string{{"import c"}, {"import b"}, {"import c", "import d"}, {"import c", "x"}}).Draw(t, "new")...)
		}
		form := rapid.SampledFrom([]Form{Whole, Part}).Draw(t, "form")
		found := Find("a.py", text(old), text(lines))
		if len(found) == 0 || form == Whole && strings.TrimSpace(text(old)) == "" {
			return // a new file may have any line
		}
		got, _, err := Resolve("a.py", text(old), text(lines), form)
		want, ok := reference(old, lines, found, form)
		if ok != (err == nil) || ok && got != text(want) {
			t.Fatalf("old %q, new %q: it came to %q, %v, want %q, %v", old, lines, got, err, want, ok)
		}
		if ok {
			taken++
		}
	}
	rapid.Check(t, check)
	t.Logf("%d cases were restored", taken) // few in a short run, or none: each commit draws other cases
}

// reference returns the result for lines: for each placeholder it tries all stretches of old, and
// exactly one may be between the same lines.
func reference(old, lines []string, found []Placeholder, form Form) ([]string, bool) {
	once := func(line string) bool {
		n := func(lines []string) (n int) {
			for _, l := range lines {
				if l == line {
					n++
				}
			}
			return n
		}
		return line != "" && n(old) == 1 && n(lines) == 1
	}
	last := -1
	for _, line := range lines {
		if once(line) {
			if i := slices.Index(old, line); i < last {
				return nil, false
			} else {
				last = i
			}
		}
	}
	isMark := func(i int) bool {
		return slices.ContainsFunc(found, func(p Placeholder) bool { return p.Line == i+1 })
	}
	// ends reports whether the lines above i in lines, up to one that occurs once in both texts,
	// equal those above first in old, or are new imports; begins does the same for the lines below.
	imports := func(line string) bool { return strings.HasPrefix(line, "import ") }
	ends := func(i, first int) bool {
		if i == 0 {
			return form == Whole && first == 0
		}
		for k := i - 1; k >= 0 && first > 0; k-- { // or new imports below the existing ones
			if !isMark(k) && k < i-1 && imports(lines[k]) && lines[k] == old[first-1] && once(lines[k]) && (first == len(old) || old[first] == "") {
				rest := slices.DeleteFunc(slices.Clone(old[first:]), func(l string) bool { return l == "" })
				return len(rest) > 0 && !imports(rest[0])
			}
			if isMark(k) || !imports(lines[k]) || slices.Contains(old, lines[k]) {
				break
			}
		}
		for k, j := i-1, first-1; k >= 0 && j >= 0 && !isMark(k) && lines[k] == old[j]; k, j = k-1, j-1 {
			if once(lines[k]) {
				return true
			}
		}
		return false
	}
	begins := func(i, after int) bool {
		if i == len(lines) {
			return form == Whole && after == len(old)
		}
		for k, j := i, after; k < len(lines) && j < len(old) && !isMark(k) && lines[k] == old[j]; k, j = k+1, j+1 {
			if once(lines[k]) {
				return true
			}
		}
		return false
	}
	var out []string
	at := 0
	for _, p := range found {
		if slices.ContainsFunc(old, func(l string) bool { return strings.TrimSpace(l) == p.Text }) {
			return nil, false
		}
		from, to := p.Line-1, p.Line
		for from > 0 && lines[from-1] == "" {
			from--
		}
		for to < len(lines) && lines[to] == "" {
			to++
		}
		var places [][2]int
		for first := range len(old) + 1 {
			for after := first; after <= len(old); after++ {
				if ends(from, first) && begins(to, after) && strings.Join(old[first:after], "") != "" {
					places = append(places, [2]int{first, after})
				}
			}
		}
		if len(places) != 1 {
			return nil, false
		}
		out = slices.Concat(out, lines[at:from], old[places[0][0]:places[0][1]])
		at = to
	}
	return append(out, lines[at:]...), true
}

// TestAnythingIsResolved resolves arbitrary texts: the result has only lines of the two
// texts, and Resolve never panics.
func TestAnythingIsResolved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\n", "\r\n", "// ...", "...", "…", "/*", "*/", "(rest of methods ...)", "<!-- unchanged -->", "{ ... }", "\t", "```"}))
		draw := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, name), "") }
		old, text := draw("old"), draw("text")
		path := rapid.SampledFrom([]string{"a.go", "a.py", "README.md", "x"}).Draw(t, "path")
		got, restored, err := Resolve(path, old, text, rapid.SampledFrom([]Form{Whole, Part, Rows}).Draw(t, "form"))
		switch {
		case err != nil && got == "" && strings.Contains(err.Error(), "Nothing was changed"):
		case err == nil && len(restored) == 0 && got == text:
		case err == nil && len(restored) > 0:
			known := append(splitLines(old), splitLines(text)...)
			for _, line := range splitLines(got) {
				if !slices.Contains(known, line) {
					t.Fatalf("the line %q is of no text", line)
				}
			}
		default:
			t.Fatal(fmt.Sprintf("%q %v %v", got, restored, err))
		}
	})
}
