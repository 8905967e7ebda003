package patch_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"redline/edits/match"
	"redline/edits/patch"
)

// plainLines are lines without a meaning in any form of patch, with and without spaces
// before them.
var plainLines = []string{"func f() {", "\tx := 1", "\treturn x", "}", "", "    y = 2", "  end", "z", "# note", "text <b>"}

// genPlain draws a text of plain lines and a changed version of it.
func genPlain(t *rapid.T) (base, proposed string) {
	lines := rapid.SliceOfN(rapid.SampledFrom(plainLines), 1, 15).Draw(t, "base")
	after := slices.Clone(lines)
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		at := rapid.IntRange(0, len(after)).Draw(t, "at")
		end := min(at+rapid.IntRange(0, 2).Draw(t, "gone"), len(after))
		after = slices.Replace(after, at, end, rapid.SliceOfN(rapid.SampledFrom(append(plainLines, "new", "\tnew", "    new")), 0, 2).Draw(t, "came")...)
	}
	join := func(lines []string) string { return ended(strings.Join(lines, "\n")) }
	return join(lines), join(after)
}

// hunkRows prints a chunk's rows.
func hunkRows(c change) string {
	var b strings.Builder
	for _, row := range c.rows {
		b.WriteString(ended(row))
	}
	return b.String()
}

// damage is a mistake of models in a begin-patch, which has only one meaning or must be
// refused.
type damage struct {
	name  string
	sure  bool // never refused if each chunk is in one place
	apply func(t *rapid.T, base string, chunks []string) string
}

// wrapped makes a patch of chunks, each below a line @@.
func wrapped(chunks []string) string {
	return "*** Begin Patch\n*** Update File: x\n@@\n" + strings.Join(chunks, "@@\n") + "*** End Patch\n"
}

// between inserts a newly drawn text before each chunk.
func between(draw func(t *rapid.T, base string) string) func(*rapid.T, string, []string) string {
	return func(t *rapid.T, base string, chunks []string) string {
		out := "*** Begin Patch\n*** Update File: x\n"
		for _, c := range chunks {
			out += draw(t, base) + "@@\n" + c
		}
		return out + "*** End Patch\n"
	}
}

func aLine(t *rapid.T, base string) string {
	return rapid.SampledFrom(splitRows(base)).Draw(t, "a line")
}

// eachRow changes the rows of chunks that stay.
func eachRow(chunks []string, change func(row string) string) []string {
	out := slices.Clone(chunks)
	for i, c := range chunks {
		var b strings.Builder
		for row := range strings.Lines(c) {
			if row[0] == ' ' {
				row = change(row)
			}
			b.WriteString(row)
		}
		out[i] = b.String()
	}
	return out
}

var damages = []damage{
	{"an empty @@", true, between(func(*rapid.T, string) string { return "@@\n\n" })},
	{"an empty header", true, between(func(t *rapid.T, base string) string { return "@@ " + aLine(t, base) + "\n" })},
	{"context only", true, between(func(t *rapid.T, base string) string { return "@@\n " + aLine(t, base) })},
	{"a header of any line", false, func(t *rapid.T, base string, chunks []string) string {
		return strings.ReplaceAll(wrapped(chunks), "@@\n", "@@ "+aLine(t, base))
	}},
	{"no marks", false, func(_ *rapid.T, _ string, chunks []string) string {
		return wrapped(eachRow(chunks, func(row string) string { return row[1:] }))
	}},
	{"some marks", false, func(t *rapid.T, _ string, chunks []string) string {
		return wrapped(eachRow(chunks, func(row string) string {
			if rapid.Bool().Draw(t, "marked") {
				return row
			}
			return row[1:]
		}))
	}},
	{"a blank row at the end", false, func(_ *rapid.T, _ string, chunks []string) string {
		out := slices.Clone(chunks)
		for i := range out {
			out[i] += " \n"
		}
		return wrapped(out)
	}},
	{"a blank row at the start", false, func(_ *rapid.T, _ string, chunks []string) string {
		out := slices.Clone(chunks)
		for i := range out {
			out[i] = " \n" + out[i]
		}
		return wrapped(out)
	}},
	{"two blanks before lines that stay", false, func(_ *rapid.T, _ string, chunks []string) string {
		return wrapped(eachRow(chunks, func(row string) string { return " " + row }))
	}},
	{"blanks before the file's name", true, func(_ *rapid.T, _ string, chunks []string) string {
		return strings.Replace(wrapped(chunks), "*** Update", "  *** Update", 1)
	}},
	{"blanks before all", true, func(_ *rapid.T, _ string, chunks []string) string {
		return "   " + strings.ReplaceAll(strings.TrimSuffix(wrapped(chunks), "\n"), "\n", "\n   ") + "\n"
	}},
	{"wrong counts, no line end", false, func(t *rapid.T, _ string, chunks []string) string {
		out := "--- a/x\n+++ b/x\n"
		for _, c := range chunks {
			out += fmt.Sprintf("@@ -990,%d +990,%d @@\n", rapid.IntRange(1, 9).Draw(t, "old"), rapid.IntRange(1, 9).Draw(t, "new")) + c
		}
		return strings.TrimSuffix(out, "\n")
	}},
}

// TestDamagedPatchesMeanTheSame shows that a patch with forgivable damage has the same
// effect as before, or is refused, and that it is never refused if the damage leaves no
// doubt.
func TestDamagedPatchesMeanTheSame(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				base, proposed := genPlain(t)
				if base == proposed {
					return
				}
				var chunks []string
				for _, c := range changes(base, proposed) {
					if c.old == "" {
						return
					}
					chunks = append(chunks, hunkRows(c))
				}
				if whole, _, err := apply(tree{"x": base}, wrapped(chunks)); err != nil || whole["x"] != proposed {
					return // chunks that reach into one another
				}
				text := d.apply(t, base, chunks)
				got, _, err := apply(tree{"x": base}, text)
				switch {
				case err != nil && d.sure:
					t.Fatalf("refused: %v\n%q\n%s", err, base, text)
				case err == nil && got["x"] != proposed:
					t.Fatalf("got %q, want %q\n%q\n%s", got["x"], proposed, base, text)
				}
			})
		})
	}
}

// TestDamagedBlocksMeanTheSame is the same for words, dots and tags around blocks.
func TestDamagedBlocksMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, proposed := genPlain(t)
		var blocks []string
		for _, c := range changes(base, proposed) {
			if c.old == "" {
				return
			}
			blocks = append(blocks, "<<<<<<< SEARCH\n"+ended(c.old)+"=======\n"+c.new+">>>>>>> REPLACE\n")
		}
		text := "dir/x\n<source>\n"
		for i, block := range blocks {
			if i > 0 {
				text += rapid.SampledFrom([]string{"", "\n...\n\n", "Now the next one:\n", "</source>\n\nand\n<source>\n"}).Draw(t, "between")
			}
			text += block
		}
		if len(blocks) == 0 {
			return
		}
		before, after := tree{"dir/x": base}, tree{"dir/x": proposed}
		got, _, err := apply(before, text)
		if errors.Is(err, patch.ErrInTurn) {
			return
		}
		if err != nil {
			if r, ok := errors.AsType[*match.Refusal](err); !ok || r.Reason != match.ReasonSeveral {
				t.Fatalf("refused: %v\n%s", err, text)
			}
			return
		}
		if !maps.Equal(got, after) {
			t.Fatalf("(-want +got):\n%s\n%s", cmp.Diff(after, got), text)
		}
	})
}
