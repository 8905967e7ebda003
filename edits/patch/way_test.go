package patch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits/patch"
)

// piece is a chunk of the test: lines that stay, removed lines, an added line, and lines that stay.
type piece struct{ lead, gone, tail, came []string }

func (p piece) old() []string { return slices.Concat(p.lead, p.gone, p.tail) }

func (p piece) rows() string {
	var b strings.Builder
	for _, group := range []struct {
		mark  string
		lines []string
	}{{" ", p.lead}, {"-", p.gone}, {"+", p.came}, {" ", p.tail}} {
		for _, line := range group.lines {
			b.WriteString(group.mark + line + "\n")
		}
	}
	return b.String()
}

// placesOf returns the lines of a text that a piece can start at.
func (p piece) placesOf(lines []string) (out []int) {
	old := p.old()
	for i := 0; i+len(old) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(old)], old) {
			out = append(out, i)
		}
	}
	return out
}

// apart reports whether the changed lines of b, at line j, are below those of a,
// at line i.
func apart(a piece, i int, b piece, j int) bool {
	i, j = i+len(a.lead), j+len(b.lead)
	if len(a.gone) == 0 && len(b.gone) == 0 {
		return i < j
	}
	return i+len(a.gone) <= j
}

// waysOf returns up to two ways to place the pieces, each below the one before.
func waysOf(lines []string, pieces []piece) (ways [][]int) {
	var extend func(way []int)
	extend = func(way []int) {
		n := len(way)
		if n == len(pieces) {
			ways = append(ways, slices.Clone(way))
			return
		}
		for _, at := range pieces[n].placesOf(lines) {
			if len(ways) < 2 && (n == 0 || apart(pieces[n-1], way[n-1], pieces[n], at)) {
				extend(append(way, at))
			}
		}
	}
	extend(nil)
	return ways
}

// wantOf returns the text that the pieces must lead to, if any. Pieces that are each in
// one place may be in any order.
func wantOf(lines []string, pieces []piece) (text string, ok bool) {
	var way []int
	alone := true
	for _, p := range pieces {
		places := p.placesOf(lines)
		if len(places) == 0 {
			return "", false
		}
		alone = alone && len(places) == 1
		way = append(way, places[0])
	}
	if !alone {
		ways := waysOf(lines, pieces)
		if len(ways) != 1 {
			return "", false
		}
		way = ways[0]
	}
	order := make([]int, len(pieces))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if apart(pieces[a], way[a], pieces[b], way[b]) {
			return -1
		}
		return 1
	})
	for k := 1; k < len(order); k++ {
		if a, b := order[k-1], order[k]; !apart(pieces[a], way[a], pieces[b], way[b]) {
			return "", false // they change the same lines
		}
	}
	out := slices.Clone(lines)
	for _, i := range slices.Backward(order) {
		at := way[i] + len(pieces[i].lead)
		out = slices.Replace(out, at, at+len(pieces[i].gone), pieces[i].came...)
	}
	return strings.Join(out, "\n") + "\n", true
}

// genPieces draws a text whose lines repeat, and pieces of it.
func genPieces(t *rapid.T) (lines []string, pieces []piece) {
	lines = rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 12).Draw(t, "lines")
	for k := range rapid.IntRange(1, 4).Draw(t, "pieces") {
		at := rapid.IntRange(0, len(lines)).Draw(t, "at")
		cut := func(name string, most int) []string {
			end := min(len(lines), at+rapid.IntRange(0, most).Draw(t, name))
			defer func() { at = end }()
			return lines[at:end]
		}
		p := piece{lead: cut("lead", 2), gone: cut("gone", 2), tail: cut("tail", 2), came: []string{fmt.Sprint("new", k)}}
		if len(p.old()) > 0 {
			pieces = append(pieces, p)
		}
	}
	return lines, pieces
}

// TestChunksGoTheOnlyWay shows that chunks with several possible places are placed if
// only one way keeps them in ascending order, in begin-patches and in diffs, and are
// refused if there are two ways or none.
func TestChunksGoTheOnlyWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines, pieces := genPieces(t)
		if len(pieces) == 0 {
			return
		}
		head, tail, mark := "*** Begin Patch\n*** Update File: x\n", "*** End Patch\n", "@@\n"
		if rapid.Bool().Draw(t, "unified") {
			head, tail, mark = "--- a/x\n+++ b/x\n", "", "@@ -990,9 +990,9 @@\n"
		}
		text := head
		for _, p := range pieces {
			text += mark + p.rows()
		}
		text += tail
		want, ok := wantOf(lines, pieces)
		got, _, err := apply(tree{"x": strings.Join(lines, "\n") + "\n"}, text)
		if (err == nil) != ok || ok && got["x"] != want {
			t.Fatalf("%q\n%sgot %q, %v\nwant %q, %v", lines, text, got["x"], err, want, ok)
		}
	})
}

// TestPartsAreInNoOrder shows that blocks, and parts that each name the file again, are
// not ordered: each alone must have one place.
func TestPartsAreInNoOrder(t *testing.T) {
	const text = "a\nb\na\n"
	for _, parts := range []string{
		"x.go\n<<<<<<< SEARCH\na\n=======\nA\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n",
		"*** Begin Patch\n*** Update File: x.go\n@@\n-a\n+A\n*** Update File: x.go\n@@\n-b\n+B\n*** End Patch\n",
	} {
		if got, _, err := apply(tree{"x.go": text}, parts); err == nil {
			t.Errorf("got %q\n%s", got, parts)
		}
	}
}

// TestAttemptsNameNoDoubtfulFile shows that a block below words, where the blocks
// before it are of two files, is not given the last of them when it is found in
// an answer.
func TestAttemptsNameNoDoubtfulFile(t *testing.T) {
	block := func(old, new string) string {
		return "<<<<<<< SEARCH\n" + old + "\n=======\n" + new + "\n>>>>>>> REPLACE\n"
	}
	one := "a.go\n" + block("a", "A") + "\nAnd then:\n\n" + block("b", "B")
	if _, err := patch.Parse(patch.JoinText(patch.Attempts(one))); err != nil {
		t.Errorf("one file: %v", err)
	}
	two := "b.go\n" + block("c", "C") + one
	if files, err := patch.Parse(patch.JoinText(patch.Attempts(two))); err == nil {
		t.Errorf("two files: %+v", files)
	}
}

// TestManyPlacesAreBounded shows that a patch of many chunks that could each be nearly
// everywhere gets an answer.
func TestManyPlacesAreBounded(t *testing.T) {
	text := "*** Begin Patch\n*** Update File: x\n" + strings.Repeat("@@\n }\n+x\n", 400) + "*** End Patch\n"
	files, err := patch.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := files[0].Edits(strings.Repeat("}\n", 20000), true); err == nil {
		t.Error("not refused")
	}
}
