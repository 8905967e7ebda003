package orchestrator

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/recall"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// planRequest returns the request to the planner. prompt is its system prompt; recent is the
// earlier conversation, "" for none; request may have blocks after the user's words.
func planRequest(prompt string, r *Registry, recent, request string) []model.Message {
	if recent != "" {
		request = "[What was said before. It is no request.]\n" + quote(recent) + "\n\n[The request]\n" + request
	}
	return r.about(prompt, r.list, request)
}

// again returns the request to the planner after an unusable answer: the same messages, the
// answer, and why it was wrong.
func again(asked []model.Message, answer, onlyJSON string, why error) []model.Message {
	if answer = bounded(answer, 4<<10); strings.TrimSpace(answer) == "" {
		answer = "(empty)"
	}
	return append(slices.Clone(asked),
		model.Message{Role: model.RoleAssistant, Content: answer},
		model.Message{Role: model.RoleUser, Content: strings.TrimSpace(onlyJSON) + "\n\nWhat was wrong: " + why.Error() + "."})
}

// choiceRequest returns the request that asks which of several specialists should do a task.
func (r *Registry) choiceRequest(prompt string, among []*Specialist, task string) []model.Message {
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

// parseChoice reads the answer to [Registry.choiceRequest]: {"specialist": "ID"}, possibly among
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

// failing returns what is added to the task of a specialist that works once more: the results of
// the checks that fail in its files.
func failing(reports []string) string {
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

// Limits of the recent messages that the planner reads.
const (
	recentMessages = 4
	recentBytes    = 800
)

// Recent returns what the planner reads of a conversation: the last messages, and how many came
// before. It shortens long messages, but keeps the precise words of the part that it cuts.
func Recent(history []model.Message) string {
	if len(history) == 0 {
		return ""
	}
	var lines []string
	if earlier := len(history) - recentMessages; earlier > 0 {
		history = history[earlier:]
		lines = append(lines, fmt.Sprintf("(earlier messages that are not shown: %d)", earlier))
	}
	each := recentBytes / len(history)
	for _, m := range history {
		text := phrase.OneLine(m.Content)
		if len(text) > each {
			cut := strings.ToValidUTF8(text[:each], "")
			text = cut + " …"
			for _, word := range recall.Words(m.Content, maxPrecise) {
				if !recall.HasWord(cut, word) && len(text) < 4*each {
					text += " " + word
				}
			}
		}
		who := "user"
		if m.Role == model.RoleAssistant {
			who = "Redline"
		}
		lines = append(lines, who+": "+text)
	}
	return strings.Join(lines, "\n")
}

// maxDiff limits the diff of the others' work that a specialist reads, in bytes: about 2,000
// tokens. It is part of each request of the specialist, and replaces reading the files again.
const maxDiff = 8 << 10

// stagedDiff returns what is staged in a draft as `git diff` would show it, followed by the
// commands; "" for nothing. It only names a file that does not fit, that is deleted, or that may
// hold secrets.
func stagedDiff(d *draft.Draft, secret func(path string) bool) string {
	var diff strings.Builder
	var named []string
	files := d.Files()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		_, existed := d.Before(path)
		before, now, _ := d.Texts(path)
		text := ""
		switch {
		case !files[path].Exists:
			named = append(named, fmt.Sprintf("%q is deleted", path))
			continue
		case secret(path) || secrets.Text(path, before) || secrets.Text(path, now):
			named = append(named, fmt.Sprintf("%q is changed; it may hold secrets", path))
			continue
		case !existed && before != "":
			named = append(named, fmt.Sprintf("%q was moved there", path))
			text = edits.Unified("a/"+path, "b/"+path, before, now, 3)
		case !existed:
			text = edits.Unified("/dev/null", "b/"+path, before, now, 3)
		default:
			text = edits.Unified("a/"+path, "b/"+path, before, now, 3)
		}
		if diff.Len()+len(text) > maxDiff {
			named = append(named, fmt.Sprintf("%q is changed; its diff has %d lines", path, edits.CountLines(text)))
			continue
		}
		diff.WriteString(text)
	}
	for _, o := range d.Operations() {
		if o.IsCommand() {
			named = append(named, "to be run after approval: "+plan.CommandIn(phrase.FirstLine(o.Command, 200), o.Folder()))
		}
	}
	var b strings.Builder
	if diff.Len() > 0 {
		text := strings.TrimSuffix(edits.Visible(diff.String()), "\n")
		marks := fence.Around(text)
		fmt.Fprintf(&b, "%sdiff\n%s\n%s\n", marks, text, marks)
	}
	for _, line := range phrase.FirstOf(named, maxNamed, "item") {
		b.WriteString("- " + line + "\n")
	}
	return strings.TrimSpace(b.String())
}

// maxNamed is how many files and commands are named beside a diff.
const maxNamed = 30
