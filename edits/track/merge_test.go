package track

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
	"redline/edits/internal/linetext"
)

// lineChange replaces lines from..to of a base by others.
type lineChange struct {
	from, to int
	lines    []string
}

// changesOf computes a difference without the package: from the longest common subsequence, with at
// least one common line between two changes.
func changesOf(a, b []string) []lineChange {
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = max(common[i][j], common[i+1][j+1]+1)
			}
		}
	}
	var out []lineChange
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		c := lineChange{from: i}
		start := j
		for i < len(a) || j < len(b) {
			if i < len(a) && j < len(b) && a[i] == b[j] {
				break
			}
			if j < len(b) && (i == len(a) || common[i][j+1] >= common[i+1][j]) {
				j++
			} else {
				i++
			}
		}
		c.to, c.lines = i, b[start:j]
		out = append(out, c)
	}
	return out
}

// merge is a three-way merge of lines, slow and simple. The rules, where the two
// sides meet:
//
//   - The same lines replaced by the same are made already; so is the same
//     insertion in the same place, and several of mine next to each other that
//     theirs has as one.
//   - Mine has no place if theirs changes one of its lines, or puts lines between
//     two of them. What theirs puts before its first or after its last line does
//     not matter.
//   - An insertion of mine has no place if theirs changes the lines on both sides
//     of it in one go, or has taken away those right before it which mine has
//     not. Of two insertions in one place mine comes first.
func merge(base []string, mine, theirs []lineChange) (out []string, made, conflicts []int) {
	state := make([]string, len(mine))
	for i := range mine {
		for j := i + 1; j <= len(mine) && (j == i+1 || mine[j-1].from == mine[j-2].to); j++ {
			var lines []string
			for _, m := range mine[i:j] {
				lines = append(lines, m.lines...)
			}
			for _, c := range theirs {
				if c.from == mine[i].from && c.to == mine[j-1].to && slices.Equal(c.lines, lines) {
					for k := i; k < j; k++ {
						state[k] = "made"
					}
				}
			}
		}
	}
	for i, m := range mine {
		follows := i > 0 && state[i-1] == "made" && mine[i-1].to == m.from
		for _, c := range theirs {
			switch {
			case state[i] != "":
			case m.from == m.to && (c.from < m.from && m.from < c.to || c.from < m.from && c.to == m.from && len(c.lines) == 0 && !follows):
				state[i] = "conflict"
			case m.from < m.to && (c.from < m.to && m.from < c.to):
				state[i] = "conflict"
			}
		}
		switch state[i] {
		case "made":
			made = append(made, i)
		case "conflict":
			conflicts = append(conflicts, i)
		}
	}
	gone := make([]bool, len(base)+1)
	at := func(changes []lineChange, i int, insertions bool, skip func(int) bool) {
		for k, c := range changes {
			if c.from != i || (c.from == c.to) != insertions || skip(k) {
				continue
			}
			out = append(out, c.lines...)
			for l := c.from; l < c.to; l++ {
				gone[l] = true
			}
		}
	}
	notMine := func(k int) bool { return state[k] != "" }
	never := func(int) bool { return false }
	for i := range len(base) + 1 {
		at(mine, i, true, notMine)
		at(theirs, i, true, never)
		at(theirs, i, false, never)
		at(mine, i, false, notMine)
		if i < len(base) && !gone[i] {
			out = append(out, base[i])
		}
	}
	return out, made, conflicts
}

func TestMergeTable(t *testing.T) {
	split := func(s string) []string { return strings.SplitAfter(strings.TrimSuffix(s, " "), " ") }
	for _, c := range []struct{ mine, theirs, want string }{
		{"a B c d ", "a b c D ", "a B c D "},
		{"a X b c d ", "a b Y c d ", "a X b Y c d "},
		{"a B c d ", "a B c D ", "a B c D "},
		{"a B c d ", "a bb c D ", "a bb c D "},
		{"a X b c d ", "a Y b c d ", "a X Y b c d "},
	} {
		base := split("a b c d ")
		got, _, _ := merge(base, changesOf(base, split(c.mine)), changesOf(base, split(c.theirs)))
		if d := strings.Join(got, ""); strings.TrimSpace(d) != strings.TrimSpace(c.want) {
			t.Errorf("%q with %q is %q, want %q", c.mine, c.theirs, d, c.want)
		}
	}
}

// Rebase has the same result as the merge above: the same text, the same edits already
// made, the same ones refused. The lines of the base are all different, and so are those
// that each side inserts, since repeated lines allow more than one difference between two
// texts.
func TestRebaseIsTheReferenceMerge(t *testing.T) {
	edittest.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "lines")
		text := edittest.NumberedLines(n)
		base := linetext.Split(text)
		es := touchingEdits(text).Draw(t, "mine")
		l := edits.NewLines(text)
		mine := make([]lineChange, len(es))
		taken := make([]bool, n+2) // lines that theirs leaves alone, since it makes what mine does there
		var theirs []lineChange
		for i := range es {
			if es[i].New != "" {
				es[i].New = "mine " + strconv.Itoa(i) + "\n"
			}
			mine[i] = lineChange{l.LineOf(es[i].Start), l.LineOf(es[i].End), linetext.Split(es[i].New)}
			if rapid.IntRange(0, 2).Draw(t, "theirs too") == 0 {
				theirs = append(theirs, mine[i])
				for line := max(mine[i].from-1, 0); line <= min(mine[i].to+1, n+1); line++ {
					taken[line] = true
				}
			}
		}
		for line := 0; line <= n; line++ {
			c := lineChange{from: line, to: line + rapid.IntRange(0, 2).Draw(t, "length")}
			if c.to > n || slices.Contains(taken[line:c.to+1], true) || rapid.IntRange(0, 2).Draw(t, "changes") > 0 {
				continue
			}
			if c.from == c.to || rapid.Bool().Draw(t, "replaces") {
				c.lines = []string{"theirs " + strconv.Itoa(line) + "\n"}
			}
			theirs = append(theirs, c)
			line = c.to
		}
		slices.SortStableFunc(theirs, func(a, b lineChange) int { return a.from - b.from })
		lines, _, _ := merge(base, nil, theirs)
		live := strings.Join(lines, "")
		merged, made, conflicts := merge(base, mine, changesOf(base, lines))

		out, gotMade, gotConflicts := Rebase(text, es, live)
		if !slices.Equal(gotMade, made) || !slices.Equal(gotConflicts, conflicts) {
			t.Fatalf("%v onto %q: made %v and conflicts %v, want %v and %v", es, live, gotMade, gotConflicts, made, conflicts)
		}
		if got, want := edittest.Apply(t, live, out...), strings.Join(merged, ""); got != want {
			t.Fatalf("%v onto %q is %q, want %q", es, live, got, want)
		}
	})
}

// Of four adjacent changes of mine, the user has made the last two in one go, changed the
// one before in another way, and not touched the first: each counts separately.
func TestRebaseOntoTwoOfFour(t *testing.T) {
	text := edittest.NumberedLines(10)
	l := edits.NewLines(text)
	at := func(from, to int, lines string) edits.Edit {
		return edits.Edit{Span: edits.Span{Start: l.Start(from), End: l.Start(to)}, New: lines}
	}
	mine := []edits.Edit{at(5, 5, "mine\n"), at(6, 8, ""), at(8, 9, ""), at(9, 10, "")}
	live := strings.Join(slices.Delete(slices.Delete(linetext.Split(text), 8, 10), 5, 7), "")
	out, made, conflicts := Rebase(text, mine, live)
	if len(out) != 1 || !slices.Equal(made, []int{2, 3}) || !slices.Equal(conflicts, []int{1}) {
		t.Errorf("made %v, conflicts %v, to make %v", made, conflicts, out)
	}
}
