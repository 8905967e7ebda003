package edits_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"redline/edits"
)

func TestMoves(t *testing.T) {
	sum := []string{"func sum(all []int) int {", "	n := 0", "	for _, one := range all {", "		n += one", "	}", "	return n", "}"}
	braces := []string{"	}", "}", "", "	}"}
	for _, c := range []struct {
		name           string
		removed, added [][]string
		want           []edits.Move
	}{
		{"a function", [][]string{{"x"}, sum}, [][]string{slices.Concat([]string{"y"}, sum, []string{"z"})},
			[]edits.Move{{From: edits.MovePlace{Run: 1}, To: edits.MovePlace{Line: 1}, Lines: 7}}},
		{"a function that differs in one line", [][]string{sum}, [][]string{slices.Concat(sum[:3], []string{"		n -= one"}, sum[4:])},
			[]edits.Move{{Lines: 3}}},
		{"two lines", [][]string{sum[:2]}, [][]string{sum[:2]}, nil},
		{"braces", [][]string{braces}, [][]string{braces}, nil},
		{"two copies of one", [][]string{sum}, [][]string{sum, sum}, []edits.Move{{Lines: 7}}},
		{"the longest", [][]string{sum[:3], sum}, [][]string{sum}, []edits.Move{{From: edits.MovePlace{Run: 1}, Lines: 7}}},
		{"another indentation", [][]string{{"alpha one", "beta two", "gamma three"}}, [][]string{{" alpha one", " beta two", " gamma three"}}, nil},
		{"nothing", nil, [][]string{sum}, nil},
	} {
		if got := edits.Moves(c.removed, c.added); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A move has equal lines on both sides, and no line is part of two.
func TestMovesAreMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{"alpha beta", "gamma delta", "epsilon", "}", ""}), 0, 12), 0, 5)
		checkMoves(t, runs.Draw(t, "removed"), runs.Draw(t, "added"))
	})
}

func checkMoves(t interface{ Fatalf(string, ...any) }, removed, added [][]string) {
	seen := map[string]bool{}
	for _, m := range edits.Moves(removed, added) {
		if m.Lines < 3 {
			t.Fatalf("%+v is short", m)
		}
		for i := range m.Lines {
			if removed[m.From.Run][m.From.Line+i] != added[m.To.Run][m.To.Line+i] {
				t.Fatalf("%+v: line %d differs", m, i)
			}
			for _, place := range []string{fmt.Sprint("from", m.From.Run, m.From.Line+i), fmt.Sprint("to", m.To.Run, m.To.Line+i)} {
				if seen[place] {
					t.Fatalf("%+v: %s is in two moves", m, place)
				}
				seen[place] = true
			}
		}
	}
}

func FuzzMoves(f *testing.F) {
	f.Add("alpha beta\ngamma delta\nepsilon\n", "x\n\nalpha beta\ngamma delta\nepsilon\n")
	f.Fuzz(func(t *testing.T, removed, added string) {
		runs := func(text string) (all [][]string) {
			for run := range strings.SplitSeq(text, "\n\n") {
				all = append(all, strings.Split(run, "\n"))
			}
			return all
		}
		checkMoves(t, runs(removed), runs(added))
	})
}

func BenchmarkMoves(b *testing.B) {
	var removed, added [][]string
	for i := range 2000 {
		var lines []string
		for k := range 10 {
			lines = append(lines, fmt.Sprintf("line %d of the block %d", k, i%50)) // 40 blocks of each kind
		}
		removed, added = append(removed, lines), append(added, lines)
	}
	slices.Reverse(added)
	for b.Loop() {
		edits.Moves(removed, added)
	}
}
