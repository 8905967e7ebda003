package apply

import (
	"context"
	"strings"

	"redline/edits"
	"redline/workspace"
)

// restoreBOM gives a text its byte order mark again, when the client turns out
// to have had it in its text, and has made the edits of the first line over it
// or before it.
func (a *Applier) restoreBOM(ctx context.Context, t *attempt) {
	file := a.files.changed(t)
	if t.open != nil || !t.bom || file.Buffer == nil || file.BOM || !a.encoder.keepsBOM.Load() {
		return
	}
	want, err := edits.Apply(t.before, t.edits)
	if err != nil || strings.Replace(file.Text, edits.BOM, "", 1) != want {
		return // somebody has typed: how the text begins is theirs to say
	}
	all := edits.Edit{Span: edits.Span{End: len(file.Text)}, New: edits.BOM + want}
	back := &attempt{
		change: edits.Change{Path: t.path()}, uri: file.URI, open: file.Buffer,
		existed: true, before: file.Text, edits: edits.Refine(file.Text, all),
	}
	batch := []*attempt{back}
	answer, err := a.request(ctx, batch, a.encoder.workspaceEdit(batch), a.timeouts.ApplyEdit)
	if err == nil && answer.verdict == accepted {
		ctx, cancel := context.WithTimeout(ctx, a.timeouts.Verify)
		defer cancel()
		a.workspace.AwaitText(ctx, t.path(), func(f workspace.File) bool { return f.BOM })
	}
}
