package patch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// chains returns every way to give each chunk one of its places so that they
// rise, as slowly and plainly as can be.
func chains(chunks [][]stand) (all [][]int) {
	var extend func(way []int, at int)
	extend = func(way []int, at int) {
		if len(way) == len(chunks) {
			all = append(all, append([]int(nil), way...))
			return
		}
		for j, p := range chunks[len(way)] {
			if p.begin >= at {
				extend(append(way, j), max(at, p.end))
			}
		}
	}
	extend(nil, -1)
	return all
}

// genStands draws the places of a few chunks of a small text. Places of one
// chunk are of one size; notes reach back over their own lines.
func genStands(t *rapid.T) [][]stand {
	var out [][]stand
	for range rapid.IntRange(1, 5).Draw(t, "chunks") {
		size := rapid.IntRange(0, 3).Draw(t, "lines")
		note := rapid.IntRange(0, 3).Draw(t, "note") == 0
		var places []stand
		for _, at := range rapid.SliceOfNDistinct(rapid.IntRange(0, 12), 0, 5, rapid.ID).Draw(t, "at") {
			switch {
			case note:
				places = append(places, stand{2*(at+size) + 1, 2 * at})
			case size == 0:
				places = append(places, stand{2 * at, 2*at + 1})
			default:
				places = append(places, stand{2*at + 1, 2 * (at + size)})
			}
		}
		out = append(out, places)
	}
	return out
}

// TestRisingIsEveryWay shows that the places left to each chunk are exactly those of all
// possible ways.
func TestRisingIsEveryWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chunks := genStands(t)
		ways := chains(chunks)
		got := rising(chunks)
		if len(ways) == 0 {
			if got != nil {
				t.Fatalf("no way, got %v", got)
			}
			return
		}
		want := make([][]int, len(chunks))
		for i := range chunks {
			for j := range chunks[i] {
				for _, way := range ways {
					if way[i] == j {
						want[i] = append(want[i], j)
						break
					}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("places (-want +got):\n%s", diff)
		}
		one := true
		for _, places := range got {
			one = one && len(places) == 1
		}
		if one != (len(ways) == 1) {
			t.Fatalf("%d ways, got %v", len(ways), got)
		}
	})
}
