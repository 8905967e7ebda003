package lsp

import (
	"errors"
	"strings"
	"testing"

	"redline/edits"
	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// ignoring returns editors that apply an edit at its line numbers even if the text has
// changed. They report it as the edits, as one change from the first to the last
// difference, or as the whole text.
func ignoring() []lsptest.Profile {
	plain, merged := lsptest.Honest(), lsptest.Honest()
	plain.Name, plain.Versions = "ignores versions", lsptest.CheckNever
	merged.Name, merged.Versions, merged.MergedChanges = "ignores versions and merges", lsptest.CheckNever, true
	return []lsptest.Profile{plain, merged, lsptest.KakouneLike(), lsptest.KateLike()}
}

// typeBefore makes the user type while the first requests that edit a file are on their way
// to the editor.
func (c *connected) typeBefore(path string, times int, typed func()) (requests *int) {
	requests = new(int)
	c.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
		if uris := e.URIs(); len(uris) == 1 && uris[0] == c.URI(path) {
			if *requests++; *requests <= times {
				typed()
			}
		}
		return lsptest.Answer{}, false
	})
	return requests
}

// The user types a line above while an edit is on its way to an editor that ignores
// versions: the misplaced edit is reverted, and the change is made in the right lines.
func TestMisplacedEditsAreTakenBackAndMadeAgain(t *testing.T) {
	for _, profile := range ignoring() {
		for name, request := range map[string]string{
			"replaced": `replace "apple" with "pear"`,
			"inserted": `insert "pears\n" before "three" in a.txt`,
			"taken":    `replace "two\n" with "" then replace "an apple" with "a pear" in b.txt`,
		} {
			t.Run(profile.Name+" "+name, func(t *testing.T) {
				files := map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"}
				c := connect(t, profile, files)
				c.must(c.Open("a.txt"))
				c.must(c.Open("b.txt"))
				c.plan(request)
				want := connect(t, lsptest.Honest(), files)
				want.must(want.Open("a.txt"))
				want.plan(request)
				_, err := want.approve()
				want.must(err)

				requests := c.typeBefore("a.txt", 1, func() { c.must(c.Insert("a.txt", 0, 0, "top\n")) })
				r, err := c.approve()
				if err != nil || r.State != "completed" {
					t.Errorf("the plan is %s: %v", r.State, err)
				}
				c.wantFile("a.txt", "top\n"+want.Text("a.txt"))
				c.wantFile("b.txt", want.Text("b.txt"))
				if *requests != 3 {
					t.Errorf("it took %d requests, want 3: there, back, there", *requests)
				}
				if _, err := c.decide(command.Undo, 1); err != nil {
					t.Errorf("undone: %v", err)
				}
				c.wantFile("a.txt", "top\n"+twoFruits)
			})
		}
	}
}

// A misplaced undo is corrected, too.
func TestMisplacedUndo(t *testing.T) {
	c := connect(t, lsptest.KakouneLike(), map[string]string{"a.txt": twoFruits})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	_, err := c.approve()
	c.must(err)
	c.typeBefore("a.txt", 1, func() { c.must(c.Insert("a.txt", 0, 0, "top\n")) })
	if r, err := c.decide(command.Undo, 1); err != nil || r.State != "awaiting_approval" {
		t.Errorf("%+v, %v", r, err)
	}
	c.wantFile("a.txt", "top\n"+twoFruits)
}

// The user continues to type during the correction: the edit that reverts is misplaced as well, and
// so is the one that reverts that.
func TestMisplacedAgainAndAgain(t *testing.T) {
	for _, times := range []int{2, 3} {
		c := connect(t, lsptest.KakouneLike(), map[string]string{"a.txt": twoFruits})
		c.must(c.Open("a.txt"))
		c.plan(`replace "apple" with "pear"`)
		c.typeBefore("a.txt", times, func() { c.must(c.Insert("a.txt", 0, 0, "top\n")) })
		r, err := c.approve()
		if err != nil || r.State != "completed" {
			t.Errorf("%d times: the plan is %s: %v", times, r.State, err)
		}
		c.wantFile("a.txt", strings.Repeat("top\n", times)+strings.ReplaceAll(twoFruits, "apple", "pear"))
	}
}

// The user has typed where the edits were misplaced: the damage is reverted, and the hunk
// is refused, as in every editor.
func TestMisplacedOntoWhatTheUserTyped(t *testing.T) {
	c := connect(t, lsptest.KakouneLike(), map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
	c.must(c.Open("a.txt"))
	c.must(c.Open("b.txt"))
	c.plan(`replace "apple" with "pear"`)
	c.typeBefore("a.txt", 1, func() { c.must(c.Replace("a.txt", "one apple", "one big apple")) })
	_, err := c.approve()
	if refusal, ok := errors.AsType[*lsptest.Refusal](err); !ok || !strings.Contains(refusal.Message, "in 1 of the 2 places") {
		t.Errorf("got %v", err)
	}
	c.wantFile("a.txt", strings.Replace(twoFruits, "one apple", "one big apple", 1))
	c.wantFile("b.txt", "an apple\n")
}

// An editor that reports every edit in a notification of its own.
func TestMisplacedOneByOne(t *testing.T) {
	profile := ignoring()[0]
	profile.OneByOne = true
	c := connect(t, profile, map[string]string{"a.txt": twoFruits})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	c.typeBefore("a.txt", 1, func() { c.must(c.Insert("a.txt", 0, 0, "top\n")) })
	if r, err := c.approve(); err != nil || r.State != "completed" {
		t.Errorf("the plan is %s: %v", r.State, err)
	}
	c.wantFile("a.txt", "top\n"+strings.ReplaceAll(twoFruits, "apple", "pear"))
}

// The correction is refused, or the editor reports the edit together with the typing, so
// that its place is unknown: the user gets a message, no further edit is sent, and the
// other files are reverted.
func TestMisplacedAndNotPutRight(t *testing.T) {
	t.Parallel()
	const wrong = "one pear\none apple\ntwo\nfour 😀 pear\nfour 😀 apple\nfive\n"
	for name, x := range map[string]struct {
		together bool
		requests int
		want     string
	}{
		"refused":  {false, 2, "The editor put the change into the wrong lines of a.txt"},
		"together": {true, 1, "the edit may be incomplete or in the wrong lines"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := connect(t, lsptest.KakouneLike(), map[string]string{"a.txt": twoFruits, "b.txt": "an apple\n"})
			c.must(c.Open("a.txt"))
			c.must(c.Open("b.txt"))
			c.plan(`replace "apple" with "pear"`)
			requests := 0
			c.OnApply(func(e lsptest.WorkspaceEdit) (lsptest.Answer, bool) {
				if e.URIs()[0] != c.URI("a.txt") {
					return lsptest.Answer{}, false
				}
				requests++
				switch {
				case x.together:
					c.must(c.Type("a.txt", edits.Edit{Span: edits.Span{End: len(c.Text("a.txt"))}, New: wrong}))
					return lsptest.Answer{Applied: true}, true
				case requests == 1:
					c.must(c.Insert("a.txt", 0, 0, "top\n"))
					return lsptest.Answer{}, false
				}
				return lsptest.Answer{Applied: false, FailureReason: "no"}, true
			})
			_, err := c.approve()
			refusal, ok := errors.AsType[*lsptest.Refusal](err)
			if !ok || refusal.Kind != "apply_failed" || !strings.Contains(refusal.Message, x.want) ||
				!strings.Contains(refusal.Message, "undo") || !strings.Contains(refusal.Message, "other files of this approval are as they were") {
				t.Errorf("got %v", err)
			}
			if requests != x.requests {
				t.Errorf("%d requests were sent for the file, want %d", requests, x.requests)
			}
			c.wantFile("a.txt", wrong)
			c.wantFile("b.txt", "an apple\n")
		})
	}
}
