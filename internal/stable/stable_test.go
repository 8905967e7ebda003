package stable

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSort(t *testing.T) {
	type item struct{ key, at int }
	rapid.Check(t, func(t *rapid.T) {
		var list []item
		for i, key := range rapid.SliceOf(rapid.IntRange(0, 5)).Draw(t, "keys") {
			list = append(list, item{key, i})
		}
		byKey := func(a, b item) int { return a.key - b.key }
		want := slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		if Sort(list, byKey); !slices.Equal(list, want) {
			t.Fatalf("got %v, want %v", list, want)
		}
	})
}
