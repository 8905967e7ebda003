package preview

import (
	"cmp"
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// nthForm matches what tells an item from others with the same text.
var nthForm = lazyregexp.New(`, \d+ of \d+$`)

// endForm matches all at the end of a text that [labels] or a status could have added.
var endForm = lazyregexp.New(`(?:[ \t]|, \d+ of \d+|` + statusWords + `)+$`)

// labels are the names of the steps and operations of a revision on its page, for people: "step 2",
// "command 1", "edit a.go (+1 −1)".
type labels struct {
	steps      map[string]string // by id
	operations map[string]string // by id; each once
}

// labels returns the names in a layout. Earlier versions of Redline named by ids.
func (w *writer) labels() *labels {
	if w.names != nil {
		return w.names
	}
	r := w.revision
	n := &labels{steps: map[string]string{}, operations: map[string]string{}}
	w.names = n
	for i := range r.Steps {
		id := r.Steps[i].ID
		if n.steps[id] == "" { // if two steps have the same name, the first has the operations
			n.steps[id] = fmt.Sprintf("step %d", i+1)
		}
	}
	commands, times := 0, map[string]int{}
	name := func(o *plan.Operation) string {
		return cmp.Or(verbs[o.Tool], phrase.OneLine(o.Tool)) + " " + w.target(o)
	}
	for i := range r.Operations {
		if o := &r.Operations[i]; o.IsCommand() {
			commands++
			n.operations[o.ID] = fmt.Sprintf("command %d", commands)
		} else {
			times[base(name(o))]++
		}
	}
	nth := map[string]int{}
	for i := range r.Operations {
		o := &r.Operations[i]
		if o.IsCommand() {
			continue
		}
		text := name(o)
		if key := base(text); times[key] > 1 {
			nth[key]++
			text += fmt.Sprintf(", %d of %d", nth[key], times[key])
		}
		n.operations[o.ID] = text
	}
	return n
}

// base returns the text of an item without all that it could share with another one: a file may be
// named like the mark of an item, or like a status.
func base(text string) string {
	return endForm().ReplaceAllString(text, "")
}

// stepName names a step in a note.
func (w *writer) stepName(id string) string {
	if w.layout.byID() {
		return phrase.OneLine(id)
	}
	return cmp.Or(w.labels().steps[id], "step "+phrase.OneLine(id))
}

// stepNames names steps in a note.
func (w *writer) stepNames(ids []string) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = w.stepName(id)
	}
	return strings.Join(names, ", ")
}

// operationNames names operations in a note, the first few of them.
func (w *writer) operationNames(ids []string) []string {
	if w.layout.byID() {
		return ids
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = w.labels().operations[id]
	}
	return names
}

// itemName names an item in a sentence about the page.
func (w *writer) itemName(e entry) string {
	if e.operation < 0 {
		if w.layout.byID() {
			return "step " + phrase.OneLine(w.revision.Steps[e.step].ID)
		}
		return fmt.Sprintf("step %d", e.step+1)
	}
	return w.operationName(w.revision.Operations[e.operation].ID)
}

// head returns what the text of an item begins with, whatever else of it was changed.
func (w *writer) head(e entry) string {
	switch {
	case w.layout.byID() && e.operation < 0:
		return phrase.OneLine(w.revision.Steps[e.step].ID)
	case w.layout.byID():
		return w.revision.Operations[e.operation].ID
	case e.operation < 0:
		return fmt.Sprintf("Step %d:", e.step+1)
	}
	o := &w.revision.Operations[e.operation]
	if o.IsCommand() {
		return capital(w.operationName(o.ID))
	}
	text, _, _ := strings.Cut(w.operationName(o.ID), " (")
	return nthForm().ReplaceAllString(text, "")
}

// begins reports whether the changed text of an item is that of e.
func (w *writer) begins(text string, e entry) bool {
	rest, ok := strings.CutPrefix(text, w.head(e))
	return ok && (rest == "" || strings.ContainsAny(rest[:1], " ,"))
}

// operationName names an operation in a sentence about the page.
func (w *writer) operationName(id string) string {
	if w.layout.byID() {
		return id
	}
	return cmp.Or(w.labels().operations[id], id)
}

// inWords returns a sentence of package plan about the order or the conditions of operations with the
// names of the page in the place of ids.
func (w *writer) inWords(sentence string) string {
	if w.layout.byID() {
		return sentence
	}
	words := strings.Split(sentence, " ")
	for i, word := range words {
		id := strings.TrimRight(word, ",:")
		switch _, isOperation := w.revision.Operation(id); {
		case i > 0 && words[i-1] == "step" && w.labels().steps[id] != "":
			words[i] = strings.TrimPrefix(w.labels().steps[id], "step ") + word[len(id):]
		case isOperation && (i == 0 || words[i-1] == "before"):
			words[i] = w.operationName(id) + word[len(id):]
		}
	}
	return strings.Join(words, " ")
}

// capital begins a name with a capital letter.
func capital(name string) string {
	return strings.ToUpper(name[:1]) + name[1:]
}
