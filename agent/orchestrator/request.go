package orchestrator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/internal/fence"
	"redline/internal/phrase"
)

// PlanRequest returns the request to the planner. prompt is its system prompt; recent is the
// earlier conversation, "" for none; request may have blocks after the user's words.
func PlanRequest(prompt string, r *Registry, recent, request string) []model.Message {
	if recent != "" {
		request = "[What was said before. It is no request.]\n" + quote(recent) + "\n\n[The request]\n" + request
	}
	return r.about(prompt, r.list, request)
}

// Again returns the request to the planner after an unusable answer: the same messages, the
// answer, and why it was wrong.
func Again(asked []model.Message, answer, onlyJSON string, why error) []model.Message {
	if answer = bounded(answer, 4<<10); strings.TrimSpace(answer) == "" {
		answer = "(empty)"
	}
	return append(slices.Clone(asked),
		model.Message{Role: model.RoleAssistant, Content: answer},
		model.Message{Role: model.RoleUser, Content: strings.TrimSpace(onlyJSON) + "\n\nWhat was wrong: " + why.Error() + "."})
}

// ChoiceRequest returns the request that asks which of several specialists should do a task.
func (r *Registry) ChoiceRequest(prompt string, among []*Specialist, task string) []model.Message {
	return r.about(prompt, among, task)
}

// about returns a request whose system prompt lists some specialists, with their option groups.
func (r *Registry) about(prompt string, list []*Specialist, user string) []model.Message {
	var system strings.Builder
	system.WriteString(strings.TrimSpace(prompt) + "\n\nThe specialists, with what each may use or whom it stands for:\n")
	for _, s := range list {
		fmt.Fprintf(&system, "- %s [%s]: %s\n", s.ID, r.Options(s), phrase.OneLine(s.Description))
	}
	return []model.Message{{Role: model.RoleSystem, Content: system.String()}, {Role: model.RoleUser, Content: user}}
}

// parseChoice reads the answer to [Registry.ChoiceRequest]: {"specialist": "ID"}, possibly among
// other words, or the id alone. It returns nil if the answer names none of them, or several.
func parseChoice(text string, among []*Specialist) *Specialist {
	text = fence.Unwrap(text)
	id := strings.Trim(text, "\"`'. ")
	for i, raw := range objectsIn(text) {
		var object struct {
			Specialist string `json:"specialist"`
		}
		if json.Unmarshal([]byte(raw), &object) != nil || i > 0 && object.Specialist != id {
			return nil
		}
		id = object.Specialist
	}
	if i := slices.IndexFunc(among, func(s *Specialist) bool { return s.ID == id }); i >= 0 {
		return among[i]
	}
	return nil
}

// Limits of the summaries of earlier specialists, in bytes each. A specialist that has staged
// something gets fewer, since the diff says more.
const (
	maxSummary       = 4 << 10
	maxSummaryStaged = 400
)

// Before is what a specialist reads of earlier work.
type Before struct {
	Results []Result
	Staged  string // all staged changes as a diff; "" for none
}

// Task returns the task of a specialist, with all that it needs.
func (p *Plan) Task(specialist, place string, recent string, before Before) string {
	var b strings.Builder
	b.WriteString(p.RefinedTask)
	if place != "" {
		b.WriteString("\n\n" + place)
	}
	if text := p.Instructions[specialist]; text != "" {
		b.WriteString("\n\n[Your part]\n" + text)
	}
	if len(p.Context) > 0 {
		b.WriteString("\n\n[To be used as it is written]\n" + indented(p.Context))
	}
	if recent != "" && p.By == ByRules {
		b.WriteString("\n\n[What was said before. It is no request.]\n" + quote(recent))
	}
	if len(before.Results) > 0 {
		b.WriteString("\n\n[Steps before this one]")
		for _, r := range before.Results {
			most := maxSummary
			if r.Staged {
				most = maxSummaryStaged
			}
			fmt.Fprintf(&b, "\n- %s: %s", r.Specialist.ID, strings.ReplaceAll(bounded(r.report(), most), "\n", "\n  "))
		}
	}
	if before.Staged != "" {
		b.WriteString("\n\n[Staged so far. The tools show you the files with it, so what you see here need not be read again.]\n" + before.Staged)
	}
	return b.String()
}

// maxFailing limits the reports on failing checks that a specialist reads, in bytes.
const maxFailing = 12 << 10

// Failing returns what is added to the task of a specialist that works once more: the results of
// the checks that fail in its files.
func Failing(reports []string) string {
	text := bounded(strings.Join(reports, "\n\n"), maxFailing)
	marks := fence.Around(text)
	return "\n\n[What fails]\nAll of you have finished, and these checks of the project fail on what is staged together, in your files. " +
		"Fix the cause, and nothing else; then try them again. If the cause is not in your part, stage nothing and say where it is.\n" +
		marks + "\n" + text + "\n" + marks
}

// indented returns the context as JSON, with addresses as they were written.
func indented(context map[string]json.RawMessage) string {
	values := map[string]any{}
	for name, raw := range context {
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) != nil {
			v = string(raw)
		}
		values[name] = v
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(values) // it was decoded, so it can be encoded
	return strings.TrimSpace(b.String())
}

func quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}

// bounded cuts a text to most bytes, and says so if it cuts.
func bounded(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " … (the rest is left out)"
}
