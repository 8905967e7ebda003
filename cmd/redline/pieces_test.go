package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// fourPieces are pieces of a plan: the third one can be split.
func fourPieces() []piece {
	one := func(id string) piece { return piece{path: id + ".go", hunks: []string{id}, diff: "+" + id + "\n"} }
	split := one("c")
	split.hunks = []string{"c1", "c2"}
	split.parts = []piece{one("c1"), one("c2")}
	moved := one("d")
	moved.whole = true
	return []piece{one("a"), one("b"), split, moved}
}

func named(pieces []piece) string {
	var names []string
	for _, p := range pieces {
		names = append(names, p.hunks...)
	}
	return strings.Join(names, " ")
}

func TestByHunk(t *testing.T) {
	for _, tt := range []struct{ answers, approved, rejected, left string }{
		{"y n y n", "a c1 c2", "b d", ""},
		{"yes No YES no", "a c1 c2", "b d", ""},
		{"y a", "a b c1 c2 d", "", ""},
		{"y d", "a", "b c1 c2 d", ""},
		{"y q", "a", "", "b c1 c2 d"},
		{"j j j j", "", "", "a b c1 c2 d"},
		{"y y k n k k n a", "b c1 c2 d", "a", ""},
		{"n n s y n y", "c1 d", "a b c2", ""},
		{"s ? x y q", "a", "", "b c1 c2 d"},
		{"y", "a", "", "b c1 c2 d"}, // the input ends
		{"y y y e y", "a b c1 c2 d", "", ""},
		{"y n e n q", "a", "b e", "d"},
	} {
		t.Run(tt.answers, func(t *testing.T) {
			var out bytes.Buffer
			c := &console{streams: streams{out: &out, err: &out}}
			answers := strings.Fields(tt.answers)
			ask := func(string) (string, bool, error) {
				if len(answers) == 0 {
					return "", true, nil
				}
				answer := answers[0]
				answers = answers[1:]
				return answer, false, nil
			}
			edit := func(p piece) ([]piece, error) {
				all := fourPieces()
				all[2] = piece{path: "c.go", hunks: []string{"e"}, diff: "+edited\n"}
				return all, nil
			}
			v, err := c.byHunk(fourPieces(), ask, edit)
			if err != nil || named(v.approved) != tt.approved || named(v.rejected) != tt.rejected || named(v.left) != tt.left {
				t.Errorf("approved %q, rejected %q, left %q, %v", named(v.approved), named(v.rejected), named(v.left), err)
			}
			if len(answers) > 0 {
				t.Errorf("%q is not read", answers)
			}
		})
	}
}

// The user's decision on a hunk does not apply to a hunk that now has another text.
func TestEditedHunkIsAskedAboutAgain(t *testing.T) {
	var out bytes.Buffer
	c := &console{streams: streams{out: &out, err: &out}}
	answers := []string{"j", "y", "k", "e", "k", "a"} // "all that follow" does not include pieces that nobody has seen
	ask := func(string) (string, bool, error) {
		if len(answers) == 0 {
			return "", false, context.Canceled
		}
		answer := answers[0]
		answers = answers[1:]
		return answer, false, nil
	}
	edit := func(p piece) ([]piece, error) {
		all := fourPieces()
		all[1].diff = "+b edited\n"
		all[3].diff = "+d edited\n"
		return all, nil
	}
	_, err := c.byHunk(fourPieces(), ask, edit)
	if !errors.Is(err, context.Canceled) || !strings.HasSuffix(out.String(), "\n+b edited\n\n+a\n\n+d edited\n") {
		t.Errorf("after the edit it shows %q, %v", out.String(), err)
	}
}

func TestBlockWith(t *testing.T) {
	rows := strings.SplitAfter("# Plan 1, revision 1\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@ h1 h2 (line)\n-a\n+b\n@@ -9 +9 @@ h10\n-c\n+d\n```\n", "\n")
	for hunk, want := range map[string]string{
		"h2":  "@@ -1 +1 @@ h1 h2 (line)\n-a\n+b\n",
		"h10": "@@ -9 +9 @@ h10\n-c\n+d\n",
		"h3":  "",
	} {
		from, to := blockWith(rows, hunk)
		if got := strings.Join(rows[from:to], ""); got != want {
			t.Errorf("%s: got %q, want %q", hunk, got, want)
		}
	}
	if got := withoutComments("@@ -1 +1 @@ h1\n-# a\n+#b\n#\n# help\n"); got != "@@ -1 +1 @@ h1\n-# a\n+#b\n" {
		t.Errorf("got %q", got)
	}
}
