package apply

import (
	"strings"

	"redline/edits"
)

// keepLastEnd rewrites the edits of a text that reach its end so that the line end of
// the last line stays where it is. The result is the same text. Kakoune always has a
// line end there: what replaces it, or comes after it, goes into the line above (tried
// with kak-lsp 22.0).
func keepLastEnd(text string, es []edits.Edit) []edits.Edit {
	end := "\n"
	if strings.HasSuffix(text, "\r\n") {
		end = "\r\n"
	}
	if len(es) == 0 || !strings.HasSuffix(text, end) {
		return es
	}
	last := es[len(es)-1]
	kept := len(text) - len(end)
	content, ends := strings.CutSuffix(last.New, end)
	switch {
	case last.End != len(text) || !ends:
		return es
	case last.Start == len(text):
		last = edits.Edit{Span: edits.Span{Start: kept, End: kept}, New: end + content}
	case last.Start <= kept:
		last = edits.Edit{Span: edits.Span{Start: last.Start, End: kept}, New: content}
	default: // it begins within the line end
		return es
	}
	if len(es) > 1 && es[len(es)-2].End > last.Start {
		return es // they would overlap
	}
	return append(es[:len(es)-1:len(es)-1], last)
}
