package patch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However a reply is cut into pieces, the same part of it is shown, and the rest is known at the
// end.
func TestStream(t *testing.T) {
	for _, tt := range []struct{ name, reply, shown, rest string }{
		{"words", "One.\n\nTwo.", "One.\n\nTwo.", ""},
		{"a fence", "See:\n```go\nx := 1\n```\nSo.", "See:\n```go\nx := 1\n```\nSo.", ""},
		{"marks that are none", "a <b> -- c\n--- d\n*** e\n``x``\n", "a <b> -- c\n--- d\n*** e\n``x``\n", ""},
		{"a block", "I turn it:\n\nsum.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\nDone.", "I turn it:\n\nsum.py\n", "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\nDone."},
		{"a block in a fence", "sum.py\n```python\n<<<<<<< SEARCH\na\n", "sum.py\n", "```python\n<<<<<<< SEARCH\na\n"},
		{"a block after fences in one", "````md\n```\nx\n```\n````\nsum.py\n```python\n<<<<<<< SEARCH\na\n", "````md\n```\nx\n```\n````\nsum.py\n", "```python\n<<<<<<< SEARCH\na\n"},
		{"a diff", "So:\n```diff\n-a\n+b\n```", "So:\n", "```diff\n-a\n+b\n```"},
		{"a patch", "*** Begin Patch\n", "", "*** Begin Patch\n"},
		{"an end that is not decided", "So\n---", "So\n", "---"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var s Stream
				var got strings.Builder
				for left := tt.reply; left != ""; {
					n := rapid.IntRange(1, len(left)).Draw(t, "piece")
					text, _ := s.Next(left[:n])
					got.WriteString(text)
					left = left[n:]
				}
				if got.String() != tt.shown {
					t.Fatalf("shown is %q, want %q", got.String(), tt.shown)
				}
				if rest, again := s.Rest(tt.reply); rest != tt.rest || again {
					t.Fatalf("the rest is %q, %v, want %q", rest, again, tt.rest)
				}
			})
		})
	}
}

// Another reply starts from the beginning, and an answer that does not continue the shown text is
// shown whole.
func TestStreamOfReplies(t *testing.T) {
	var s Stream
	s.Next("I look first.")
	s.End()
	if text, first := s.Next("\n Done."); text != "Done." || !first {
		t.Errorf("got %q, %v", text, first)
	}
	if rest, again := s.Rest("Done."); rest != "" || again {
		t.Errorf("the rest is %q, %v", rest, again)
	}
	if rest, again := s.Rest("Another"); rest != "Another" || !again {
		t.Errorf("the rest is %q, %v", rest, again)
	}
}

func TestWithoutEdits(t *testing.T) {
	for answer, want := range map[string]string{
		"Just words.": "Just words.",
		"I turn it:\n\nsum.py\n```python\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n\nThen it adds.": "I turn it:\n\nsum.py\n\nThen it adds.",
		"So:\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n\nThen it adds.":                           "So:\n\nThen it adds.",
	} {
		if got := WithoutEdits(answer); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
