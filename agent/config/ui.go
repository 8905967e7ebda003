package config

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// UISettings are optional features to show in an editor.
type UISettings struct {
	CodeLens   bool // ui.code_lens: decisions above each hunk
	InlayHints bool // ui.inlay_hints: a note on each hunk at the end of its line

	AskWhenReady string // ui.ask_when_ready: one of the constants below
	Report       string // ui.report: one of the constants below
}

// When the model reports the results of a plan's commands.
const (
	ReportAsked  = "asked" // if the plan says so
	ReportAlways = "always"
	ReportNever  = "never"
)

// Whether Redline asks the user about a plan that is ready, in addition to announcing it.
const (
	AskAuto   = "auto"   // if the question can wait next to the text
	AskAlways = "always" // in every editor that can ask
	AskNever  = "never"
)

// editorKeys are the settings of the table [editor].
var editorKeys = []key{
	{name: "editor.apply_timeout_seconds", kind: seconds(false, 10*time.Second, nil, func(s *Settings) *time.Duration { return &s.ApplyTimeout }),
		about: "how long an editor may take to answer that it applied a change; after that its text is looked at"},
	{name: "editor.review", kind: choice([]string{"auto", "always", "never"}, "auto", nil, func(s *Settings) *string { return &s.Review }),
		about: "whether the editor has a review of its own, in which you tick the changes of a plan: `auto` goes by what it announces, `always` and `never` do not. With `always`, an editor that asks nothing applies the whole plan when you call for a review"},
	{name: "editor.attached", kind: choice([]string{"all", "some"}, "all", nil, func(s *Settings) *string { return &s.Attached }),
		about: "`some`: the editor shows Redline only some of its buffers, as Emacs and Kate do where another server has the code. A file that it does not show may be unsaved there: it is changed only when you say that it is saved, by an action whose title says so, with `/approve N saved`, or with `saved: true`. `redline serve --attached some` says it for one editor"},
}

// uiKeys are the settings of the table [ui]: what your editor shows. An editor may send what changes
// neither where code goes nor what needs an approval, since a repository can write its settings.
// Only the user may choose that a question about a plan appears while they type, since the next
// key may approve it, or that requests go to the model which nobody asked for. Switching these off
// is always allowed.
var uiKeys = []key{
	{name: "ui.code_lens", kind: yes(true, func(s *Settings) *bool { return &s.UI.CodeLens }),
		about: "code lenses: approve, reject and show above each hunk, and for the plan above a file that it changes", see: "lsp.md", editor: anyValue},
	{name: "ui.inlay_hints", kind: yes(false, func(s *Settings) *bool { return &s.UI.InlayHints }),
		about: "inlay hints: what each hunk does, at the end of its line", see: "lsp.md", editor: anyValue},
	{name: "ui.ask_when_ready", kind: choice([]string{AskAuto, AskAlways, AskNever}, AskAuto, nil, func(s *Settings) *string { return &s.UI.AskWhenReady }),
		about: "whether your editor asks *Approve / Review / Reject* when a plan is ready: `always`, if it can; `never`; `auto`, where the question can wait while you type", see: "lsp.md#a-question-when-a-plan-is-ready", editor: only(AskNever)},
	{name: "ui.report", kind: choice([]string{ReportAsked, ReportAlways, ReportNever}, ReportAsked, nil, func(s *Settings) *string { return &s.UI.Report }),
		about: "whether the model reports the results of an approved plan's commands: `asked`, if the plan asks for a report; `always`; `never`", see: "../running.md#get-a-report-on-the-results", editor: only(ReportNever)},
}

func anyValue(string) bool { return true }

func only(word string) func(string) bool {
	return func(value string) bool { return value == word }
}

// Default returns the default settings.
func Default() Settings { return defaults() }

// WithEditor returns the settings with those that the editor sent, as tables of keys. It
// accepts only harmless ones that the user has not set elsewhere, and warns about the rest.
func (s Settings) WithEditor(sent map[string]any) (Settings, []Warning) {
	const from = "the editor's settings"
	var warnings []Warning
	rest := map[string]any{}
	for _, table := range slices.Sorted(maps.Keys(sent)) {
		entries, ok := sent[table].(map[string]any)
		if !ok {
			rest[table] = sent[table]
			continue
		}
		ignored := map[string]any{}
		for _, entry := range slices.Sorted(maps.Keys(entries)) {
			name := table + "." + entry
			k, ok := find(name)
			if !ok || k.editor == nil || !k.editor(fmt.Sprint(entries[entry])) {
				ignored[entry] = entries[entry]
				continue
			}
			if s.origins[name] != "" {
				continue
			}
			if err := k.set(&s, fmt.Sprint(entries[entry])); err != nil {
				warnings = append(warnings, Warning(fmt.Sprintf("%s in %s has no effect: it %s.", name, from, err)))
			}
		}
		if len(ignored) > 0 {
			rest[table] = ignored
		}
	}
	return s, append(warnings, Ignored(from, rest)...)
}
