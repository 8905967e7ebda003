package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// UISettings are what an editor is offered to show beside what it always has.
type UISettings struct {
	CodeLens   bool // ui.code_lens: decisions above each hunk
	InlayHints bool // ui.inlay_hints: what each hunk does, at the end of its line

	AskWhenReady string // ui.ask_when_ready: one of the following
}

// Whether the user is asked about a plan that is ready, besides being told of it.
const (
	AskAuto   = "auto"   // where the question can wait beside the text
	AskAlways = "always" // wherever an editor can put a question
	AskNever  = "never"
)

// harmless reports whether a setting counts also where a repository could have
// put it: it changes what is shown, and neither where code goes nor what needs
// an approval. That a question about a plan comes up where somebody types, and the
// next key may approve it, is for the user alone to choose; that none comes is not.
func harmless(name, value string) bool {
	return strings.HasPrefix(name, "ui.") && (name != "ui.ask_when_ready" || value == AskNever)
}

// Default returns the settings of a user who has set nothing.
func Default() Settings { return defaults() }

// WithEditor returns the settings with those that the editor sent, as tables of
// keys. Only harmless ones count, and none that the user has set in a place of
// their own. The rest is warned about.
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
