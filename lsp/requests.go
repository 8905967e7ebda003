package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/internal/wire"
	"redline/lsp/backend"
	"redline/lsp/codeaction"
	"redline/lsp/diagnostics"
	"redline/lsp/pages"
	"redline/lsp/position"
	"redline/lsp/summary"
	"redline/lsp/window"
	"redline/workspace"
)

// codeActionParams are CodeActionParams with the URI as the client spells it,
// and diagnostics of other servers unread.
type codeActionParams struct {
	TextDocument position.TextDocument `json:"textDocument"`
	Range        protocol.Range        `json:"range"`
	Context      struct {
		Diagnostics []jsontext.Value `json:"diagnostics"`
		Only        []string         `json:"only"`
	} `json:"context"`
}

// codeAction lists what the user can do here (LSP 3.18, "Code Action Request"). Clients
// ask whenever the cursor moves, so it only reads the snapshot; an action that is no
// longer valid is refused when it runs. While Redline reads the plans of earlier sessions
// it waits for a moment, since a user who has restarted the server looks for a plan.
// Every action contains its command: some clients (Kate) do not resolve actions, and some
// (Helix) freeze while they do.
func (s *session) codeAction(_ context.Context, p *codeActionParams) (wire.Run, error) {
	recovered := s.backend.Recovering()
	if recovered == nil {
		return s.actions(p), nil
	}
	return func(ctx context.Context) (any, error) {
		select {
		case <-recovered:
		case <-time.After(s.timeouts.Starting):
		case <-ctx.Done():
		}
		return s.actions(p)(ctx)
	}, nil
}

// actions lists what the user can do now.
func (s *session) actions(p *codeActionParams) wire.Run {
	r := codeaction.Request{
		Location: s.locations.Find(p.TextDocument.URI, p.Range), Diagnostics: p.Context.Diagnostics, Only: p.Context.Only,
		Trials: s.backend.TrialStanding, Checks: s.backend.TrialChecksKnown, Draft: s.drafts.has(p.TextDocument.URI),
	}
	return func(context.Context) (any, error) { return codeaction.List(s.client.actions, s.workspace, r) }
}

type executeCommandParams struct {
	Command   string           `json:"command"`
	Arguments []jsontext.Value `json:"arguments"`
}

// completion completes the message in the chat file (LSP 3.18, "Completion Request"). In other
// documents it answers null at once, never an empty list, which some editors would show
// instead of another server's list.
func (s *session) completion(_ context.Context, p *positionParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{Start: p.Position, End: p.Position})
	if at.Own != pages.ChatFile || at.Buffer == nil || s.backend.Agent() == nil {
		return nothing, nil
	}
	return func(ctx context.Context) (any, error) {
		lines := at.Buffer.Lines
		c, ok := chat.CompletingAt(lines.Text(), at.Span(lines, at.Selection).Start)
		if !ok {
			return nil, nil
		}
		items := s.completer.Complete(ctx, c, at.Range(lines, c.Span), at.Snapshot)
		return &protocol.CompletionList{IsIncomplete: c.What == chat.MentionedName, Items: items}, nil
	}, nil
}

// nothing answers a request with null.
func nothing(context.Context) (any, error) { return nil, nil }

// textDocumentContentParams are TextDocumentContentParams with the URI as the client spells it,
// which a refresh must repeat.
type textDocumentContentParams struct {
	URI string `json:"uri"`
}

// textDocumentContent returns the text of a virtual document (LSP 3.18, "Text Document Content
// Request"). One refresh follows when it is out of date: a client that still shows it asks
// again.
func (s *session) textDocumentContent(_ context.Context, p *textDocumentContentParams) (wire.Run, error) {
	name, ok := pages.ParseVirtual(p.URI)
	if !ok {
		return nil, backend.InvalidParams(fmt.Sprintf("There is no document %.200q: use redline:/plan/N/proposed/PATH, redline:/plan/N/base/PATH or redline:/plan/N/rM/PATH.", p.URI))
	}
	return func(ctx context.Context) (any, error) {
		if _, err := s.backend.Ready(ctx); err != nil {
			return nil, backend.Error(err)
		}
		made, text, err := s.virtual.Text(ctx, name)
		if err != nil {
			return nil, backend.Error(err)
		}
		s.refresher.Gave(p.URI, made)
		raw, err := json.Marshal(text)
		return json.RawMessage(raw), err
	}, nil
}

// maxHover is how many hunks one hover shows.
const maxHover = 3

// hover shows the diff of each undecided hunk under the cursor (LSP 3.18, "Hover Request"), or in a
// preview what was tried on its plan. It answers null if there is neither.
func (s *session) hover(_ context.Context, p *positionParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{Start: p.Position, End: p.Position})
	markdown := s.client.markdown
	return func(context.Context) (any, error) {
		parts, where := s.hunksAt(at, markdown)
		if len(parts) == 0 {
			text, section, ok := s.triedAt(at, markdown)
			if !ok {
				return nil, nil
			}
			parts, where = []string{text}, section
		}
		kind, between := protocol.MarkupKindPlainText, "\n\n"
		if markdown {
			kind, between = protocol.MarkupKindMarkdown, "\n\n---\n\n"
		}
		return &protocol.Hover{
			Contents: &protocol.MarkupContent{Kind: kind, Value: strings.Join(parts, between)},
			Range:    &where,
		}, nil
	}, nil
}

// hunksAt returns the text of each undecided hunk at a location, and the range of the first.
func (s *session) hunksAt(at position.Location, markdown bool) (parts []string, where protocol.Range) {
	for p, f := range at.Files {
		for i, h := range at.Hunks(f, view.Hunk.Undecided) {
			switch len(parts) {
			case maxHover:
				return parts, where
			case 0:
				where = at.Range(f.Live, h.Span)
			}
			parts = append(parts, hunkText(p, f, i, h, view.Problems(s.workspace, p), markdown))
		}
	}
	return parts, where
}

// maxHoverProblems is how many problems of a hunk a hover shows.
const maxHoverProblems = 5

// problemsText returns the problems that lie in a hunk, one on a line: "adds an error: undefined: x (compiler)".
func problemsText(within []plan.Problem) (text string) {
	for _, one := range within[:min(len(within), maxHoverProblems)] {
		by := ""
		if one.Source != "" {
			by = " (" + one.Source + ")"
		}
		text += fmt.Sprintf("%s: %s%s\n\n", one.Adds(), edits.Visible(one.Message), edits.Visible(by))
	}
	if more := len(within) - maxHoverProblems; more > 0 {
		text += phrase.Count(more, "more problem") + "\n\n"
	}
	return text
}

// hunkText returns a hunk for a hover: its name, the lines that it removes and adds, without those
// around it, which stand beside the hover, and last the plan's goal. A hover may have few lines. reported is what
// language servers report about the plan, nil if it is not known.
func hunkText(p *view.Plan, f *view.File, i int, h view.Hunk, reported *plan.Problems, markdown bool) string {
	head := "Redline " + diagnostics.ChangeName(p, f, i) + ": " + diagnostics.Summary(f, h)
	if h.Match != "" {
		head += " (match: " + h.Match + ")"
	}
	var problems string
	if h.Reason != "" {
		problems = fmt.Sprintf("%s: %s\n\n", h.Status, h.Reason)
	}
	if why := f.Unparsed(); why != "" {
		problems += "As proposed, the file does not parse: " + edits.Visible(why) + "\n\n"
	}
	problems += problemsText(f.ProblemsIn(i, reported))
	goal, _ := window.Excerpt(p.Plan.Goal)
	goal = edits.Visible(goal)
	diff := edits.ExpandTabs(edits.Visible(edits.UnifiedHunk(edits.Hunk{
		Old: h.Old, New: h.New, OldText: h.OldText, NewText: h.NewText, Added: h.Added, Removed: h.Removed,
	}, f.Base, 0)), len("+"))
	_, diff, _ = strings.Cut(diff, "\n") // the first line has only numbers
	if !markdown {
		return head + "\n" + problems + diff + "\n" + goal + "\n"
	}
	marks := fence.Around(diff)
	return "**" + head + "**\n\n" + escapeMarkdown(problems) + marks + "diff\n" + strings.TrimSuffix(diff, "\n") + "\n" + marks + "\n\n" + escapeMarkdown(goal)
}

// escapeMarkdown escapes text so that Markdown shows it unchanged: without formatting, HTML,
// pictures and links, including those that clients make of bare addresses.
func escapeMarkdown(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(line, " \t") // four would be a block of code
		digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
		number, rest := line[:digits], markdownEscapes.Replace(line[digits:])
		if rest != "" && strings.Contains("-+=", rest[:1]) || digits > 0 && rest != "" && strings.Contains(".)", rest[:1]) {
			rest = `\` + rest // a list, a heading or a rule
		}
		lines[i] = number + rest
	}
	return strings.Join(lines, "\n")
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "<", `\<`, ">", `\>`, "#", `\#`, "&", `\&`, "~", `\~`, "|", `\|`,
	"://", `:\//`, "www.", `www\.`, "@", `\@`,
)

// triedAt returns what was tried on the plan whose preview the document is, as it is now, if the
// cursor is in a part of the preview that is about the whole plan or its commands. The range is
// that part's lines.
func (s *session) triedAt(at position.Location, markdown bool) (text string, where protocol.Range, ok bool) {
	p, _, ok := at.Preview()
	if !ok || at.Buffer == nil {
		return "", where, false
	}
	first, after, heading := sectionAt(at.Buffer.Lines, int(at.Selection.Start.Line))
	if heading != "" && heading != "## Tried" && heading != "## Commands" {
		return "", where, false
	}
	var parts []string
	for _, t := range view.Trials(s.workspace, p) {
		if t.Shown {
			parts = append(parts, trialText(&t, markdown))
		}
	}
	if len(parts) == 0 {
		return "", where, false
	}
	head := fmt.Sprintf("Redline plan %d, as it was tried", p.Plan.Number)
	if markdown {
		head = "**" + head + "**"
	}
	where = at.Range(at.Buffer.Lines, at.Buffer.Lines.SpanOf(first, after))
	return head + "\n\n" + strings.Join(parts, "\n\n"), where, true
}

// sectionAt returns the lines of the section of a preview around a line, and its heading: "" before
// the first.
func sectionAt(lines *edits.Lines, line int) (first, after int, heading string) {
	after = lines.Count()
	for i := range lines.Count() {
		text := lines.LineText(i)
		switch {
		case !strings.HasPrefix(text, "## "):
		case i <= line:
			first, heading = i, strings.TrimRight(text, " \t\r\n")
		default:
			return first, i, heading
		}
	}
	return first, after, heading
}

// trialText returns a trial for a hover: its command, its result, its output.
func trialText(t *state.Trial, markdown bool) string {
	name, result := summary.CommandName(t.Command, t.Cwd), t.Result+", after "+phrase.Took(t.DurationMS)
	if !t.Current {
		result += ", of an earlier text"
	}
	if t.Problem != "" {
		result += ". " + phrase.OneLine(t.Problem)
	}
	output := strings.TrimRight(edits.ExpandTabs(edits.Visible(t.Output), 0), " \n")
	switch {
	case output == "":
		return name + ": " + result
	case !markdown:
		return name + ": " + result + "\n\n" + output
	}
	marks := fence.Around(output)
	return name + ": " + escapeMarkdown(result) + "\n\n" + marks + "\n" + output + "\n" + marks
}

// documentSymbol lists the sections of a page (LSP 3.18, "Document Symbols Request"). The
// detail of a chat message is its first line.
func (s *session) documentSymbol(_ context.Context, p *documentParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{})
	headings, ok := headingsOf(s.workspace, at)
	if !ok {
		return nothing, nil
	}
	return func(context.Context) (any, error) {
		lines := at.Buffer.Lines
		var list []protocol.DocumentSymbol
		var inside []*[]protocol.DocumentSymbol // the list that takes symbols of each depth
		depths := []int{}
		for _, h := range headings() {
			name := edits.ExpandTabs(edits.Visible(h.Name), 0)
			if name == "" {
				continue // some clients refuse a symbol without a name
			}
			first := lines.Content(h.Line - 1)
			whole := edits.Span{Start: first.Start, End: lines.Content(min(h.End, lines.Count()) - 1).End}
			symbol := protocol.DocumentSymbol{
				Name: name, Kind: protocol.SymbolKindString,
				Range: at.Range(lines, whole), SelectionRange: at.Range(lines, first),
			}
			if said, _ := window.Excerpt(lines.Text()[first.End:whole.End]); at.Own == pages.ChatFile && h.Depth == 1 && said != "" {
				said = edits.Visible(said)
				symbol.Detail = &said
			}
			for len(depths) > 0 && depths[len(depths)-1] >= h.Depth {
				depths, inside = depths[:len(depths)-1], inside[:len(inside)-1]
			}
			into := &list
			if len(inside) > 0 {
				into = inside[len(inside)-1]
			}
			*into = append(*into, symbol)
			depths = append(depths, h.Depth)
			inside = append(inside, &(*into)[len(*into)-1].Children)
		}
		return wire.EncodeList(list)
	}, nil
}

// foldingRange folds the sections of a page and the fences in them (LSP 3.18, "Folding
// Range Request").
func (s *session) foldingRange(_ context.Context, p *documentParams) (wire.Run, error) {
	at := s.locations.Find(p.TextDocument.URI, protocol.Range{})
	headings, ok := headingsOf(s.workspace, at)
	if !ok {
		return nothing, nil
	}
	return func(context.Context) (any, error) {
		var list []protocol.FoldingRange
		fold := func(first, last int) {
			if last > first {
				list = append(list, protocol.FoldingRange{StartLine: position.Clamp(first), EndLine: position.Clamp(last)})
			}
		}
		for _, h := range headings() {
			fold(h.Line-1, h.End-1)
		}
		open, fence := -1, ""
		lines := at.Buffer.Lines
		for i := range lines.Count() {
			c := lines.Content(i)
			line := strings.TrimLeft(lines.Text()[c.Start:c.End], " \t")
			switch run := len(line) - len(strings.TrimLeft(line, "`")); {
			case open < 0 && run >= 3:
				open, fence = i, line[:run]
			case open >= 0 && run >= len(fence) && strings.TrimRight(line[run:], " \t") == "":
				fold(open, i)
				open = -1
			}
		}
		return wire.EncodeList(list)
	}, nil
}

// headingsOf returns a function that finds the headings of the chat file, a preview or a trace; call
// it off the read loop. ok is false for other documents: the answer is then null, since an
// empty list would replace what an editor finds by itself.
func headingsOf(w *workspace.Workspace, at position.Location) (headings func() []workspace.Symbol, ok bool) {
	_, _, isPreview := view.PreviewOf(at.Own)
	if at.Buffer == nil || !isPreview && at.Own != pages.ChatFile && at.Own != conversation.TracePage {
		return nil, false
	}
	return func() []workspace.Symbol { return w.Outline(at.Own, at.Buffer.Lines.Text()) }, true
}
