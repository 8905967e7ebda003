package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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

// harmless reports whether a setting may also come from a place that a repository can write: it
// only changes what is shown, but neither where code goes nor what needs an approval. Only the
// user may choose that a question about a plan appears while they type, since the next key may
// approve it, or that requests go to the model which nobody asked for. Switching these off is
// always allowed.
func harmless(name, value string) bool {
	switch name {
	case "ui.ask_when_ready":
		return value == AskNever
	case "ui.report":
		return value == ReportNever
	}
	return strings.HasPrefix(name, "ui.")
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
			if !ok || !harmless(name, fmt.Sprint(entries[entry])) {
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
