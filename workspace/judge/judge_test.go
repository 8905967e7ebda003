package judge_test

import (
	"testing"

	"redline/edits"
	"redline/workspace/judge"
)

// An edit that seems to be missing is sent again only if the text shows no sign of it
// elsewhere.
func TestExplained(t *testing.T) {
	const before = "a\nb\nc\nnew\n"
	replace := []edits.Edit{{Span: edits.Span{Start: 2, End: 4}, New: "new\nline\n"}}
	take := []edits.Edit{{Span: edits.Span{Start: 2, End: 4}}}
	for _, x := range []struct {
		edits []edits.Edit
		text  string
		want  bool
	}{
		{replace, "typed\n" + before, true},
		{replace, "typed new line\n" + before, true},
		{replace, "b\nc\nnew\n", true},
		{replace, "typed\nnew\nline\nb\nc\nnew\n", false},
		{replace, "typed\nline\nb\nc\nnew\n", false},
		{take, "typed\n" + before, true},
		{take, "typed\nb\nc\nnew\n", true},
		{take, "typed\na\nb\nnew\n", false},
	} {
		if s := (&judge.Attempt{Before: before, Edits: x.edits}); s.Explained(x.text) != x.want {
			t.Errorf("%q by %v: want %v", x.text, x.edits, x.want)
		}
	}
}
