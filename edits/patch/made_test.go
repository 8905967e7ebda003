package patch_test

import (
	"testing"

	"redline/edits/patch"
)

func TestStandingTable(t *testing.T) {
	const unknown = "\x00"
	for _, c := range []struct {
		name, before, now, old, new string
		want                        patch.Standing
	}{
		{"not made", unknown, "a\nb\nc\n", "b\n", "B\n", patch.Open},
		{"made", unknown, "a\nB\nc\n", "b\n", "B\n", patch.Made},
		{"made, indented as the file is", unknown, "if x {\n\t\tB()\n}\n", "  b()\n", "  B()\n", patch.Made},
		{"made, with the line ends of the file", unknown, "a\r\nB\r\nC\r\n", "b\n", "B\nC\n", patch.Made},
		{"new lines are only a part of others", unknown, "a\nBee()\nc\n", "b\n", "Bee\n", patch.Gone},
		{"neither is there", unknown, "a\nc\n", "b\n", "B\n", patch.Gone},
		{"both are there", unknown, "b\nB\n", "b\n", "B\n", patch.Open},
		{"several places", unknown, "b\na\nb\n", "b\n", "B\n", patch.Ambiguous},
		{"several places, and the new lines", unknown, "b\nB\nb\n", "b\n", "B\n", patch.Ambiguous},
		{"several places, and new lines that were not there", "b\nb\nb\n", "b\nB\nb\n", "b\n", "B\n", patch.Made},
		{"lines added, not yet", unknown, "a\nb\n", "a\n", "a\nnew\n", patch.Open},
		{"lines added", unknown, "a\nnew\nb\n", "a\n", "a\nnew\n", patch.Made},
		{"lines added that were there", "a\nnew\nb\n", "a\nnew\nb\n", "a\n", "a\nnew\n", patch.Open},
		{"lines added beside a place that is there twice", "a\na\n", "a\nnew\na\n", "a\n", "a\nnew\n", patch.Made},
		{"lines removed, not yet", "a\nb\nc\n", "a\nb\nc\n", "b\n", "", patch.Open},
		{"lines removed", "a\nb\nc\n", "a\nc\n", "b\n", "", patch.Gone},
		{"new lines that were there before", "a\nB\n", "a\nB\n", "b\n", "B\n", patch.Gone},
		{"indentation only, not yet", unknown, "x\ny\n", "x\n", "\tx\n", patch.Open},
		{"indentation only", unknown, "\tx\ny\n", "x\n", "\tx\n", patch.Made},
		{"nothing to find", unknown, "a\n", "", "new\n", patch.Gone},
		{"nothing to find, and there", unknown, "a\nnew\n", "", "new\n", patch.Made},
		{"an empty file", unknown, "", "a\n", "b\n", patch.Gone},
	} {
		var now, before patch.Text
		now.Set(c.now)
		known := &before
		if c.before == unknown {
			known = nil
		} else {
			before.Set(c.before)
		}
		if got := (&patch.Chunk{Old: c.old, New: c.new}).Standing(&now, known); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
