package lsp_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"redline/edits"
	"redline/lsp/lsptest"
)

// The acts about lenses, hints and documents, which an editor asks for by itself.
func init() {
	acts["look"] = act{"URI", func(s *scenario, a []string) error { return s.editor.OpenVirtual(s.ctx, a[0]) }}
	acts["document"] = act{"URI PART STALE", (*scenario).wantDocument}
	acts["lens"] = act{"PATH LINE TITLE", (*scenario).runLens}
	acts["lenses"] = act{"PATH PART", (*scenario).goldenLenses}
	acts["hints"] = act{"PATH PART", (*scenario).goldenHints}
	acts["complete"] = act{"PATH LINE PART", (*scenario).goldenCompletions}
	acts["links"] = act{"PATH PART", (*scenario).goldenLinks}
	acts["outline"] = act{"PATH PART", (*scenario).goldenOutline}
	acts["no-pages"] = act{"PATH", (*scenario).wantNoPages}
	acts["diagnostic-at"] = act{"PATH CODE LINE SEVERITY", (*scenario).wantDiagnosticAt}
	acts["refreshed"] = act{"METHOD TIMES", (*scenario).wantRefreshes}
}

// wantDocument awaits that an open virtual document has this text and leaves out exactly
// these hunks; "none" means no hunk.
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

// runLens clicks a code lens above a line. It retries until the lens is there.
func (s *scenario) runLens(a []string) error {
	var lens lsptest.Lens
	offered := lsptest.Expect("a lens "+a[2]+" on line "+a[1], func(e *lsptest.Editor) bool {
		lenses, err := e.CodeLenses(s.ctx, a[0])
		i := slices.IndexFunc(lenses, func(l lsptest.Lens) bool {
			return fmt.Sprint(l.Range.Start.Line) == a[1] && strings.Contains(l.Command.Title, a[2])
		})
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

// goldenLenses compares the code lenses of a file: line and title.
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

// goldenHints compares the inlay hints of a file: position and label.
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

// wantDiagnosticAt awaits a diagnostic with this code at a line, counted from 0, with the
// severity "information", "warning" or "error".
func (s *scenario) wantDiagnosticAt(a []string) error {
	return s.editor.Await(s.ctx, lsptest.Expect(strings.Join(a, " "), func(e *lsptest.Editor) bool {
		return slices.ContainsFunc(e.Diagnostics(a[0]), func(d lsptest.Diagnostic) bool {
			severity := []string{"", "error", "warning", "information", "hint"}[d.Severity]
			return d.Code() == a[1] && fmt.Sprint(d.Range.Start.Line) == a[2] && severity == a[3]
		})
	}))
}

// wantRefreshes awaits that the editor got at least this many refresh requests of a method.
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

// goldenCompletions compares the completions at the end of a line: label, detail, and the
// resulting line.
func (s *scenario) goldenCompletions(a []string) error {
	number, err := strconv.Atoi(a[1])
	if err != nil {
		return err
	}
	lines := edits.NewLines(s.editor.Text(a[0]))
	span := lines.Content(number)
	line := lines.Text()[span.Start:span.End]
	at := lsptest.Position(lines.Position(span.End, s.editor.Encoding()))
	items, err := s.editor.Complete(s.ctx, a[0], at)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, item := range items {
		r := item.TextEdit.Range
		if r.Start.Line != number || r.End != at {
			return fmt.Errorf("%q replaces %v", item.Label, r)
		}
		start, err := lines.Offset(edits.Position(r.Start), s.editor.Encoding())
		if err != nil {
			return err
		}
		if written := lines.Text()[start:span.End]; written != "" && !strings.Contains(strings.ToLower(item.FilterText), strings.ToLower(written[1:])) {
			return fmt.Errorf("an editor that filters by %q hides %q, of which %q is written", item.FilterText, item.Label, written)
		}
		fmt.Fprintf(&b, "%s (%s)\n", strings.TrimRight(line[:start-span.Start]+item.TextEdit.NewText, " "), strings.TrimSpace(item.Detail+" "+item.Documentation))
	}
	return s.compare(a[2], b.String())
}

// goldenLinks compares the links of a file: line, text, and target relative to the
// workspace.
func (s *scenario) goldenLinks(a []string) error {
	links, err := s.editor.DocumentLinks(s.ctx, a[0])
	if err != nil {
		return err
	}
	lines := edits.NewLines(s.editor.Text(a[0]))
	var b strings.Builder
	for _, l := range links {
		start, err1 := lines.Offset(edits.Position(l.Range.Start), s.editor.Encoding())
		end, err2 := lines.Offset(edits.Position(l.Range.End), s.editor.Encoding())
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		fmt.Fprintf(&b, "%d: %s -> %s\n", l.Range.Start.Line, lines.Text()[start:end], strings.TrimPrefix(l.Target, s.editor.URI("")+"/"))
	}
	return s.compare(a[1], b.String())
}

// goldenOutline compares the outline of a file and its folding ranges.
func (s *scenario) goldenOutline(a []string) error {
	symbols, err := s.editor.Symbols(s.ctx, a[0])
	if err != nil {
		return err
	}
	folds, err := s.editor.Folds(s.ctx, a[0])
	if err != nil {
		return err
	}
	var b strings.Builder
	var list func(indent string, symbols []lsptest.Symbol)
	list = func(indent string, symbols []lsptest.Symbol) {
		for _, symbol := range symbols {
			fmt.Fprintf(&b, "%s%s\n", indent, strings.TrimSpace(fmt.Sprintf("%d-%d %s: %s", symbol.Range.Start.Line, symbol.Range.End.Line, symbol.Name, symbol.Detail)))
			list(indent+"  ", symbol.Children)
		}
	}
	list("", symbols)
	for _, f := range folds {
		fmt.Fprintf(&b, "fold %d-%d\n", f.StartLine, f.EndLine)
	}
	return s.compare(a[1], b.String())
}

// wantNoPages checks that the answers for a file other than Redline's own are null: an
// empty list could hide the results of other servers.
func (s *scenario) wantNoPages(a []string) error {
	for _, method := range []string{"completion", "documentLink", "documentSymbol", "foldingRange"} {
		raw, err := s.editor.Call(s.ctx, "textDocument/"+method, map[string]any{
			"textDocument": map[string]string{"uri": s.editor.URI(a[0])}, "position": lsptest.Position{},
		})
		if err != nil {
			return err
		}
		if string(raw) != "null" {
			return fmt.Errorf("%s of %s is %s", method, a[0], raw)
		}
	}
	return nil
}
