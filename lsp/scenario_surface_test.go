package lsp_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"redline/lsp/lsptest"
)

// The acts on what an editor asks for by itself: lenses, hints, documents.
func init() {
	acts["look"] = act{"URI", func(s *scenario, a []string) error { return s.editor.OpenVirtual(s.ctx, a[0]) }}
	acts["document"] = act{"URI PART STALE", (*scenario).wantDocument}
	acts["lens"] = act{"PATH TITLE", (*scenario).runLens}
	acts["lenses"] = act{"PATH PART", (*scenario).goldenLenses}
	acts["hints"] = act{"PATH PART", (*scenario).goldenHints}
	acts["refreshed"] = act{"METHOD TIMES", (*scenario).wantRefreshes}
}

// wantDocument awaits that a virtual document that is open has this text, and
// that just these hunks are left out of it; "none" stands for none.
func (s *scenario) wantDocument(a []string) error {
	want, ok := s.part(a[1])
	if !ok {
		return fmt.Errorf("there is no part %q", a[1])
	}
	var stale []string
	if a[2] != "none" {
		stale = strings.Split(a[2], ",")
	}
	is := func(e *lsptest.Editor) bool {
		got := e.Virtual(a[0])
		return got.Text == bytesOf(want) && slices.Equal(got.Stale, stale)
	}
	if err := s.editor.Await(s.ctx, lsptest.Expect(a[0]+" has the text "+a[1], is)); err != nil {
		return fmt.Errorf("%s: (-want +got)\n%s\n%w", a[0], cmp.Diff(lsptest.Virtual{Text: bytesOf(want), Stale: stale}, s.editor.Virtual(a[0])), err)
	}
	return nil
}

// runLens clicks a code lens, which is looked for until it is there.
func (s *scenario) runLens(a []string) error {
	var lens lsptest.Lens
	offered := lsptest.Expect("a lens "+a[1], func(e *lsptest.Editor) bool {
		lenses, err := e.CodeLenses(s.ctx, a[0])
		i := slices.IndexFunc(lenses, func(l lsptest.Lens) bool { return strings.Contains(l.Command.Title, a[1]) })
		if err == nil && i >= 0 {
			lens = lenses[i]
		}
		return err == nil && i >= 0
	})
	if err := s.editor.Await(s.ctx, offered); err != nil {
		return err
	}
	_, err := s.editor.RunLens(s.ctx, lens)
	return err
}

// goldenLenses compares the code lenses of a file: the line of each and its title.
func (s *scenario) goldenLenses(a []string) error {
	lenses, err := s.editor.CodeLenses(s.ctx, a[0])
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, l := range lenses {
		fmt.Fprintf(&b, "%d: %s\n", l.Range.Start.Line, l.Command.Title)
	}
	return s.compare(a[1], b.String())
}

// goldenHints compares the inlay hints of a file: the place of each and its label.
func (s *scenario) goldenHints(a []string) error {
	hints, err := s.editor.InlayHints(s.ctx, a[0], lsptest.Range{End: lsptest.Position{Line: 1 << 20}})
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, h := range hints {
		fmt.Fprintf(&b, "%d:%d %s\n", h.Position.Line, h.Position.Character, h.Label)
	}
	return s.compare(a[1], b.String())
}

// wantRefreshes awaits that the editor was told at least this often to ask again for what
// the method names.
func (s *scenario) wantRefreshes(a []string) error {
	want, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	method := "workspace/" + a[0] + "/refresh"
	return s.editor.Await(s.ctx, lsptest.Expect(a[1]+" times or more "+method, func(e *lsptest.Editor) bool {
		return e.Refreshes(method) >= want
	}))
}
