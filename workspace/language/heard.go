package language

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/wire"
)

// Bounds of what is kept of a server's reports. A project with more problems is not checked.
const (
	maxReports  = 20_000
	maxReported = 64 << 20 // bytes
	maxMessage  = 2 << 10  // bytes
	maxProgress = 1000
	maxSettings = 1000 // sections of settings that are asked for at once
)

// heard is what a server has reported.
type heard struct {
	folder string

	mu       sync.Mutex
	problems map[string]published
	versions map[string]int32 // of the documents that the last reports are about, by path
	count    int              // of all problems
	size     int              // of all problems, in bytes
	odd      error            // why the reports cannot be trusted, nil if they can
	works    map[string]*work // what it is doing, by token
	done     map[string]int   // how often it has ended, by title
	message  string           // the last error that it has shown
	marked   int32            // the version of the mark that it has reported on last
	broken   string           // why it cannot read the project's settings, "" if it can
	rust     *rustStatus      // the last one
	news     chan struct{}    // closed, and made anew, with each report
	at       time.Time        // of the last report
	over     bool             // it has ended
}

// published is a textDocument/publishDiagnostics.
type published struct {
	size        int // in bytes
	diagnostics []protocol.Diagnostic
}

// work is a work done progress (LSP 3.18).
type work struct{ title, message string }

func (h *heard) init(folder string) {
	h.folder = folder
	h.problems, h.works, h.done = map[string]published{}, map[string]*work{}, map[string]int{}
	h.versions, h.news = map[string]int32{}, make(chan struct{})
}

// tell records a report, and wakes who waits for one.
func (h *heard) tell(record func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	record()
	h.at = time.Now()
	close(h.news)
	h.news = make(chan struct{})
}

func (h *heard) end() { h.tell(func() { h.over = true }) }

// last returns the last error that the server has shown, "" for none.
func (h *heard) last() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.message
}

// errEnded is the error after the server's end.
var errEnded = errors.New("it has ended")

// until waits until is returns true. is is called with the lock held, after each report.
func (h *heard) until(ctx context.Context, is func() bool) error {
	for {
		h.mu.Lock()
		ok, over, news := is(), h.over, h.news
		h.mu.Unlock()
		switch {
		case ok:
			return nil
		case over:
			return errEnded
		}
		select {
		case <-news:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// running returns the last message about work with this title that has not ended, "" for none.
func (h *heard) running(title string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.works {
		if w.title == title {
			return cmp.Or(w.message, title)
		}
	}
	return ""
}

// reports returns the problems of each file in the folder.
func (h *heard) reports() (map[string][]protocol.Diagnostic, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.odd != nil {
		return nil, h.odd
	}
	all := map[string][]protocol.Diagnostic{}
	for path, p := range h.problems {
		all[path] = p.diagnostics
	}
	return all, nil
}

// publish takes the problems of a file. Those of other folders are left out: a module's, a
// library's.
func (h *heard) publish(raw json.RawMessage) {
	var p protocol.PublishDiagnosticsParams
	err := protocol.Unmarshal(raw, &p)
	h.tell(func() {
		if err != nil {
			h.refuse(errors.New("it reports problems in a form that cannot be read"))
		}
		if p.URI == markURI {
			h.marked, _ = p.Version.Get()
		}
		path, ok := pathOf(p.URI)
		if h.odd != nil || !ok || !inFolder(path, h.folder) {
			return
		}
		if version, ok := p.Version.Get(); ok {
			if version < h.versions[path] {
				return
			}
			if len(h.versions) > maxReports {
				h.refuse(fmt.Errorf("it reports about more than %d documents", maxReports))
				return
			}
			h.versions[path] = version
		}
		before, now := h.problems[path], published{len(raw), p.Diagnostics}
		if delete(h.problems, path); len(p.Diagnostics) == 0 {
			now.size = 0
		} else {
			h.problems[path] = now
		}
		h.count += len(now.diagnostics) - len(before.diagnostics)
		h.size += now.size - before.size
		if h.count > maxReports {
			h.refuse(fmt.Errorf("it reports more than %d problems", maxReports))
		} else if h.size > maxReported {
			h.refuse(fmt.Errorf("it reports more than %d MiB of problems", maxReported>>20))
		}
	})
}

// refuse drops all reports: they cannot be trusted.
func (h *heard) refuse(why error) {
	h.odd, h.problems, h.count, h.size = why, map[string]published{}, 0, 0
}

// pathOf returns the absolute name of a file by its URI.
func pathOf(u uri.URI) (path string, ok bool) {
	if !strings.HasPrefix(string(u), "file:///") {
		return "", false
	}
	defer func() { ok = recover() == nil && ok }() // the library panics at a URI that it cannot read
	return filepath.Clean(u.Path()), true
}

func inFolder(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// progress takes a report on what the server is doing.
func (h *heard) progress(p *protocol.ProgressParams) {
	var value struct {
		Kind    string `json:"kind"`
		Title   string `json:"title"`
		Message string `json:"message"`
	}
	token, err := protocol.Marshal(p.Token)
	if err != nil || json.Unmarshal(p.Value, &value) != nil {
		return
	}
	h.tell(func() {
		key := string(token)
		switch w := h.works[key]; value.Kind {
		case "begin":
			if len(h.works) < maxProgress {
				h.works[key] = &work{clip(value.Title), clip(value.Message)}
			}
		case "report":
			if w != nil && value.Message != "" {
				w.message = clip(value.Message)
			}
		case "end":
			if w != nil {
				delete(h.works, key)
				if len(h.done) < maxProgress {
					h.done[w.title]++
				}
			}
		}
	})
}

func clip(text string) string { return phrase.StartBytes(text, maxMessage) }

// routes returns what a server may ask of its client. It is answered, and nothing is done: a
// server's edits and questions are not the user's.
func (c *Client) routes() *wire.Router {
	r := wire.NewRouter()
	h := &c.heard
	wire.HandleNotification(r, protocol.MethodTextDocumentPublishDiagnostics, func(_ context.Context, p *json.RawMessage) error {
		h.publish(bytes.Clone(*p))
		return nil
	})
	wire.HandleNotification(r, protocol.MethodProgress, func(_ context.Context, p *protocol.ProgressParams) error {
		h.progress(p)
		return nil
	})
	for _, method := range []string{protocol.MethodWindowShowMessage, protocol.MethodWindowLogMessage} {
		wire.HandleNotification(r, method, func(_ context.Context, p *protocol.ShowMessageParams) error {
			message := phrase.OneLine(clip(p.Message))
			if p.Type == protocol.MessageTypeError {
				h.tell(func() { h.message = message })
			}
			if c.Adapter.logs != nil {
				h.tell(func() { c.Adapter.logs(h, message) })
			}
			return nil
		})
	}
	for method, hear := range c.Adapter.hears {
		wire.HandleNotification(r, method, func(_ context.Context, p *json.RawMessage) error {
			params := bytes.Clone(*p)
			h.tell(func() { hear(h, params) })
			return nil
		})
	}
	answer := func(method string, of any) {
		wire.HandleRequest(r, method, func(context.Context, *json.RawMessage) (wire.Run, error) {
			return func(context.Context) (any, error) { return of, nil }, nil
		})
	}
	why := "Redline makes its own edits only"
	answer(protocol.MethodWorkspaceApplyEdit, &protocol.ApplyWorkspaceEditResult{FailureReason: &why})
	answer(protocol.MethodWindowShowDocument, &protocol.ShowDocumentResult{})
	answer(protocol.MethodWorkspaceWorkspaceFolders, c.folders())
	for _, method := range []string{
		protocol.MethodClientRegisterCapability, protocol.MethodClientUnregisterCapability, protocol.MethodWindowShowMessageRequest,
		protocol.MethodWindowWorkDoneProgressCreate, protocol.MethodWorkspaceDiagnosticRefresh, protocol.MethodWorkspaceCodeLensRefresh,
		protocol.MethodWorkspaceSemanticTokensRefresh, protocol.MethodWorkspaceInlayHintRefresh, protocol.MethodWorkspaceInlineValueRefresh,
		protocol.MethodWorkspaceFoldingRangeRefresh,
	} {
		answer(method, json.RawMessage(nil))
	}
	wire.HandleRequest(r, protocol.MethodWorkspaceConfiguration, func(_ context.Context, p *protocol.ConfigurationParams) (wire.Run, error) {
		if len(p.Items) > maxSettings {
			return nil, fmt.Errorf("it asks for more than %d sections of settings", maxSettings)
		}
		settings := make([]json.RawMessage, len(p.Items))
		for i, item := range p.Items {
			if settings[i] = json.RawMessage("null"); item.Section != nil {
				settings[i] = c.setting(*item.Section)
			}
		}
		return func(context.Context) (any, error) { return settings, nil }, nil
	})
	return r
}

// setting returns the settings of a section, null for none.
func (c *Client) setting(section string) json.RawMessage {
	of := c.Adapter.Settings[section]
	if c.Adapter.defaults != nil {
		if more := c.Adapter.defaults(c.Folder)[section]; more != nil {
			of = merged(of, more)
		}
	}
	if of == nil {
		return json.RawMessage("null")
	}
	return of
}

// place returns a position in our own terms: the nearest place that the text has.
func (c *Client) place(lines *edits.Lines, p protocol.Position) Place {
	line := min(int(p.Line), lines.Count()-1)
	offset, err := lines.Offset(edits.Position{Line: line, Character: int(p.Character)}, c.encoding)
	if content := lines.Content(line); err != nil || int(p.Line) > line || offset > content.End {
		offset = content.End
	}
	return Place{line, offset - lines.Start(line)}
}

// problem returns a diagnostic in our own terms.
func (c *Client) problem(path string, lines *edits.Lines, d protocol.Diagnostic) Problem {
	source, _ := d.Source.Get()
	return Problem{
		Path: path, Start: c.place(lines, d.Range.Start), End: c.place(lines, d.Range.End), Severity: severityOf(d.Severity),
		Message: clip(messageOf(d.Message)), Source: clip(source), Code: clip(codeOf(d.Code)),
	}
}

// severityOf returns the severity, an error for one that is missing or not known.
func severityOf(s protocol.DiagnosticSeverity) Severity {
	names := []Severity{Error, Warning, Information, Hint}
	if i := slices.Index([]protocol.DiagnosticSeverity{protocol.DiagnosticSeverityError, protocol.DiagnosticSeverityWarning, protocol.DiagnosticSeverityInformation, protocol.DiagnosticSeverityHint}, s); i >= 0 {
		return names[i]
	}
	return Error
}

// messageOf returns the text of a message, which may be Markdown.
func messageOf(m protocol.InlayHintTooltip) string {
	switch m := m.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	}
	return ""
}

func codeOf(code protocol.ProgressToken) string {
	switch code := code.(type) {
	case protocol.String:
		return string(code)
	case protocol.Integer:
		return fmt.Sprint(int(code))
	}
	return ""
}
