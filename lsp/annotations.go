package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/agent/chat"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/wire"
	"redline/lsp/command"
	"redline/lsp/diagnostics"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/summary"
	"redline/workspace"
)

// maxLensHunks is how many undecided hunks of a document have lenses, since editors draw all
// the lenses they get. As those hunks are decided, the next ones get lenses. All hunks have
// code actions.
const maxLensHunks = 200

// lensesOfHunk is the approximate size of a hunk's lenses, in bytes.
const lensesOfHunk = 1000

// codeLens offers decisions above each undecided hunk, and decisions on the plan above the
// document (LSP 3.18, "Code Lens Request"). The lenses are complete: there is nothing to resolve.
func (s *session) codeLens(_ context.Context, p *documentParams) (wire.Run, error) {
	s.refresher.Asked(diagnostics.RefreshCodeLens)
	if !s.settings.ui().CodeLens {
		return emptyList, nil
	}
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{})
	return func(context.Context) (any, error) {
		l := &lenses{Location: at, on: map[uint32]int{}, of: map[onLine]int{}, list: []byte{'['}}
		for p, f := range at.Files {
			l.addPlan(p, f)
		}
		if p, revision, ok := at.Preview(); ok && revision == p.Revision.Number {
			l.addPlan(p, nil)
		}
		for p, f := range at.Files {
			l.countHunks(p, f)
		}
		l.list = slices.Grow(l.list, min(len(l.on), maxLensHunks)*lensesOfHunk)
		for p, f := range at.Files {
			l.addHunks(p, f)
		}
		return json.RawMessage(append(l.list, ']')), nil
	}, nil
}

// emptyList answers a request for a list with an empty one.
func emptyList(context.Context) (any, error) { return json.RawMessage("[]"), nil }

// lenses collects the lenses of a document as JSON, since a client asks for hundreds of them
// after each character that the user types.
type lenses struct {
	position.Location
	list  []byte         // the list so far, without its closing bracket
	hunks int            // number of undecided hunks with lenses
	on    map[uint32]int // the number of undecided hunks by the line on which they begin,
	of    map[onLine]int // and the hunks of one plan without lenses so far
}

// onLine is the line that a hunk begins on, and its plan.
type onLine struct {
	line uint32
	plan int
}

// add adds a lens with an encoded argument to a line. Titles are short and name their
// hunk or plan, since some editors list them in a menu.
func (l *lenses) add(at uint32, title, command string, argument []byte) {
	if argument == nil {
		return
	}
	if len(l.list) > 1 {
		l.list = append(l.list, ',')
	}
	l.list = append(l.list, `{"range":{"start":`...)
	l.list = appendLineStart(l.list, at)
	l.list = append(l.list, `,"end":`...)
	l.list = appendLineStart(l.list, at)
	l.list = append(l.list, `},"command":{"title":`...)
	l.list = appendString(l.list, title)
	l.list = append(l.list, `,"command":"`...)
	l.list = append(l.list, command...)
	l.list = append(l.list, `","arguments":[`...)
	l.list = append(l.list, argument...)
	l.list = append(l.list, `]}}`...)
}

// appendLineStart appends the position at the start of a line as JSON.
func appendLineStart(to []byte, line uint32) []byte {
	to = append(to, `{"line":`...)
	to = strconv.AppendUint(to, uint64(line), 10)
	return append(to, `,"character":0}`...)
}

// asArgument returns the argument of a command as JSON, nil if it cannot be encoded.
func asArgument(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}

// addPlan adds the decisions on a plan, and on the file f if the plan has more than one.
func (l *lenses) addPlan(p *view.Plan, f *view.File) {
	e, n := summary.ExtentOf(p.Files...), p.Plan.Number
	if !p.Plan.State.Decidable() || e.Files == 0 && !p.Revision.TextOnly {
		return
	}
	const top = 0
	approval := command.DecisionOn(p)
	if f != nil && e.Files > 1 {
		in := approval
		in.Path = &f.Change.Path
		if mine := summary.ExtentOf(f); mine.Files > 0 && mine.Stale == 0 {
			l.add(top, fmt.Sprintf("Approve all in this file (plan %d)", n), command.Approve, asArgument(in))
		}
	}
	switch {
	case p.Revision.TextOnly:
		l.add(top, fmt.Sprintf("Approve plan %d (in words)", n), command.Approve, asArgument(approval))
	case e.Stale == 0:
		l.add(top, fmt.Sprintf("Approve plan %d (%s)", n, e), command.Approve, asArgument(approval))
	case e.Pending:
		approval.SkipStale = true
		l.add(top, fmt.Sprintf("Approve the rest of plan %d, without %s", n, phrase.Count(e.Stale, "stale change")), command.Approve, asArgument(approval))
	}
	l.add(top, fmt.Sprintf("Reject plan %d", n), command.Reject, asArgument(command.DecisionOn(p)))
	if f != nil {
		l.add(top, fmt.Sprintf("Show plan %d", n), command.Show, asArgument(command.ShowPlan(p)))
	}
}

// countHunks counts the undecided hunks of a file by the line that they begin on.
func (l *lenses) countHunks(p *view.Plan, f *view.File) {
	if !p.Plan.State.Decidable() {
		return
	}
	for _, h := range f.Undecided {
		line := l.Range(f.Live, h.Span).Start.Line
		l.on[line]++
		l.of[onLine{line, p.Plan.Number}]++
	}
}

// addHunks adds the decisions on the undecided hunks of a file. A stale hunk cannot be approved.
// A title names its hunk if another hunk begins on the same line.
func (l *lenses) addHunks(p *view.Plan, f *view.File) {
	if !p.Plan.State.Decidable() {
		return
	}
	decision := command.DecisionOn(p)
	decision.Path = &f.Change.Path
	argument, end := argumentOfHunk(decision)
	show, showTitle := asArgument(command.ShowPlan(p)), fmt.Sprintf("Show plan %d", p.Plan.Number)
	for _, h := range f.Undecided {
		if l.hunks == maxLensHunks {
			return
		}
		l.hunks++
		line := l.Range(f.Live, h.Span).Start.Line
		argument = append(appendString(argument[:end], h.ID), '}')
		name := "change"
		if l.on[line] > 1 {
			name = fmt.Sprintf("change %d.%s", p.Plan.Number, h.ID)
		}
		if h.Status == plan.HunkPending {
			l.add(line, "Approve "+name, command.Approve, argument)
		} else {
			name = "stale " + name
		}
		l.add(line, "Reject "+name, command.Reject, argument)
		here := onLine{line, p.Plan.Number}
		if l.of[here]--; line > 0 && l.of[here] == 0 { // on the first line the plan's own lenses are
			l.add(line, showTitle, command.Show, show)
		}
	}
}

// argumentOfHunk returns a decision on a hunk as JSON up to the hunk's id; the caller appends
// the id and the end of the object.
func argumentOfHunk(d command.DecideArgs) (argument []byte, end int) {
	none := ""
	d.Hunk = &none
	argument = bytes.TrimSuffix(asArgument(d), []byte(`""}`))
	return argument, len(argument)
}

// appendString appends a string as JSON.
func appendString(to []byte, s string) []byte {
	to, _ = jsontext.AppendQuote(to, s) // its error: what is not UTF-8 is replaced
	return to
}

// maxHints is the largest number of hints in one answer. Most editors ask only for the part of
// the document on the screen.
const maxHints = 200

type inlayHintParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Range        protocol.Range        `json:"range"`
}

// inlayHint shows what each undecided hunk does, at the end of its first line (LSP 3.18, "Inlay
// Hint Request"), if the user has turned that on.
func (s *session) inlayHint(_ context.Context, p *inlayHintParams) (wire.Run, error) {
	s.refresher.Asked(diagnostics.RefreshInlayHint)
	if !s.settings.ui().InlayHints {
		return emptyList, nil
	}
	at := s.locations.Find(p.TextDocument.URI, p.Range)
	return func(context.Context) (any, error) {
		return wire.EncodeList(hintsOf(at))
	}, nil
}

// hintsOf returns the hints in a range of a document.
func hintsOf(at position.Location) (list []protocol.InlayHint) {
	before := true
	for p, f := range at.Files {
		if !p.Plan.State.Decidable() {
			continue
		}
		for _, h := range at.Hunks(f, view.Hunk.Undecided) {
			if len(list) == maxHints {
				return list
			}
			end := f.Live.Content(f.Live.LineOf(h.Span.Start))
			end.Start = end.End
			label := fmt.Sprintf("%d.%s: %s", p.Plan.Number, h.ID, diagnostics.Summary(f, h))
			if h.Status == plan.HunkStale {
				label += " (stale)"
			}
			list = append(list, protocol.InlayHint{
				Position: at.Range(f.Live, end).Start, Label: protocol.String(label), PaddingLeft: &before,
			})
		}
	}
	return list
}

// maxLinks is the largest number of links of each sort in one document.
const maxLinks = 300

// documentLink returns links from the chat file and from previews to plans and files
// (LSP 3.18, "Document Link Request"). Other documents get none.
func (s *session) documentLink(_ context.Context, p *documentParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{})
	if at.Buffer == nil {
		return nothing, nil
	}
	_, _, isPreview := view.PreviewOf(at.Own)
	switch {
	case isPreview:
		return func(context.Context) (any, error) {
			return wire.EncodeList(previewLinks(s.workspace, s.client.virtual, at))
		}, nil
	case at.Own == pages.ChatFile:
		return func(context.Context) (any, error) { return wire.EncodeList(chatLinks(s.workspace, at)) }, nil
	}
	return nothing, nil
}

func link(at position.Location, span edits.Span, target, tooltip string) protocol.DocumentLink {
	to := uri.URI(target)
	l := protocol.DocumentLink{Range: at.Range(at.Buffer.Lines, span), Target: &to}
	if tooltip != "" {
		l.Tooltip = &tooltip
	}
	return l
}

// previewLinks returns links from the files that a preview names to those files and, in a client
// that can show them, from their new names to the proposed texts.
func previewLinks(w *workspace.Workspace, takesVirtual bool, at position.Location) (links []protocol.DocumentLink) {
	shown, revision, ok := at.Preview()
	current := ok && revision == shown.Revision.Number
	for _, h := range preview.Headings(at.Buffer.Lines.Text()) {
		if len(links) >= maxLinks {
			break
		}
		path := h.Path
		var file *view.File
		if current {
			i := slices.IndexFunc(shown.Files, func(f *view.File) bool { return f.Change.Path == path })
			if i >= 0 {
				file = shown.Files[i]
				path = file.Path
			}
		}
		if there, folder, err := w.Stat(path); err == nil && there && !folder {
			links = append(links, link(at, h.Name, w.URI(path), ""))
		}
		if takesVirtual && file != nil && file.Change.Action != plan.Delete && h.New.Len() > 0 {
			name := pages.ProposedName(shown.Plan.Number, file.Change.Path)
			links = append(links, link(at, h.New, name.String(), "the text as it would be"))
		}
	}
	return links
}

// chatLinks returns links to the plans and files that the chat names.
func chatLinks(w *workspace.Workspace, at position.Location) (links []protocol.DocumentLink) {
	for _, l := range chat.Links(at.Buffer.Lines.Text(), maxLinks) {
		switch {
		case l.Page != "":
			if there, _, err := w.Stat(w.Own().Path(l.Page)); err == nil && there {
				links = append(links, link(at, l.Span, w.Own().URI(l.Page), ""))
			}
		case l.Plan > 0:
			if view := at.Snapshot.Plan(l.Plan); view != nil && view.Preview != "" {
				links = append(links, link(at, l.Span, pages.New(w).URI(view.Preview), ""))
			}
		default:
			if path, err := w.Clean(l.Path); err == nil {
				if there, folder, err := w.Stat(path); err == nil && there && !folder {
					links = append(links, link(at, l.Span, w.URI(path), ""))
				}
			}
		}
	}
	return links
}
