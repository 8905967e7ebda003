package orchestrator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/agent/recall"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
)

// ReadAnswer returns the one JSON object in a planner's answer, which may have other words
// around it. Among other words, an object counts only if it is a plan or a question, and does
// not occur in what the planner was shown, since then it is a quotation. The error is one
// sentence for the planner: there is no such object, or there are several different ones.
func ReadAnswer(answer string, shown ...string) (string, error) {
	whole := fence.Unwrap(answer)
	switch {
	case whole == "":
		return "", errors.New("the answer is empty")
	case strings.HasPrefix(whole, "{") && json.Valid([]byte(whole)):
		return whole, nil
	}
	var found, compact string
	for _, object := range objectsIn(whole) {
		quoted := func(text string) bool { return strings.Contains(text, object) }
		if !isAnswer(object) || slices.ContainsFunc(shown, quoted) {
			continue
		}
		var b bytes.Buffer
		_ = json.Compact(&b, []byte(object)) // it is valid
		if found != "" && compact != b.String() {
			return "", errors.New("the answer has several different plans")
		}
		found, compact = object, b.String()
	}
	if err := json.Unmarshal([]byte(whole), new(struct{})); found == "" && strings.HasPrefix(whole, "{") {
		return "", fmt.Errorf("the answer cannot be read: %w", err)
	}
	if found == "" {
		return "", errors.New("the answer has no JSON object that is a plan")
	}
	return found, nil
}

// objectsIn returns the JSON objects in a text, but not those within others. It reads each byte
// once: after a brace it skips all that could be JSON, so that it takes nothing from the middle
// of an object that is damaged or cut off.
func objectsIn(text string) []string {
	var out []string
	for {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			return out
		}
		text = text[at:]
		d := json.NewDecoder(strings.NewReader(text))
		var raw json.RawMessage
		err := d.Decode(&raw)
		wrong, isSyntax := errors.AsType[*json.SyntaxError](err)
		switch {
		case err == nil:
			out, text = append(out, string(raw)), text[d.InputOffset():]
		case isSyntax:
			text = text[min(len(text), max(1, int(wrong.Offset)-1)):] // the byte that is not JSON may begin an object
		default: // cut off
			return out
		}
	}
}

// isAnswer reports whether a JSON object has a member of the planner's plans or questions.
func isAnswer(object string) bool {
	var a struct {
		One           json.RawMessage `json:"one"`
		PriorityOrder json.RawMessage `json:"priorityOrder"`
		Question      json.RawMessage `json:"question"`
		Questions     json.RawMessage `json:"questions"`
	}
	return json.Unmarshal([]byte(object), &a) == nil && (a.One != nil || a.PriorityOrder != nil || a.Question != nil || a.Questions != nil)
}

// isFlat matches a member at the top level of a planner's answer that has the instructions for
// one specialist: instructionsForGeneral, instructions_for_general.
var isFlat = lazyregexp.New(`(?i)^instructions[-_ ]?for[-_ ]?([a-z].*)$`)

// instruct sets the instructions of a plan: those of the member "instructions", by id, and those
// of members like "instructionsForGeneral" beside it. An id may differ in case and in the marks
// between its words, as long as it can only mean one specialist. It leaves out texts that are
// empty or too long. The error is one sentence for the planner.
func (p *Plan) instruct(object []byte, nested map[string]string, r *Registry) error {
	p.Instructions = map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(nested)) {
		if s := r.meant(id); s != nil {
			p.addInstruction(s.ID, nested[id])
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(object, &members); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		flat := isFlat().FindStringSubmatch(name)
		if flat == nil {
			continue
		}
		var text string
		if err := json.Unmarshal(members[name], &text); err != nil {
			return fmt.Errorf("%s is no text", quoted(name))
		}
		if s := r.meant(flat[1]); s != nil {
			p.addInstruction(s.ID, text)
		} else if strings.TrimSpace(text) != "" {
			p.note("The planner's %s names no specialist; it was left out.", quoted(name))
		}
	}
	return nil
}

// addInstruction gives a specialist one more instruction, unless it has that one already.
func (p *Plan) addInstruction(id, text string) {
	text = strings.TrimSpace(text)
	had := p.Instructions[id]
	if text == "" || strings.Contains(had, text) {
		return
	}
	if had != "" {
		text = had + "\n" + text
	}
	if len(text) <= maxTask {
		p.Instructions[id] = text
	}
}

// meant returns the specialist that a name means: the one with this id, else the only one whose
// id differs in nothing but case and marks; nil for none.
func (r *Registry) meant(name string) *Specialist {
	if s := r.Find(name); s != nil {
		return s
	}
	var found *Specialist
	for _, s := range r.list {
		if plainID(s.ID) != plainID(name) {
			continue
		}
		if found != nil {
			return nil
		}
		found = s
	}
	return found
}

// plainID returns an id in lower case without marks.
func plainID(id string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(id))
}

// preciseName is the name in the context under which words are added that the planner left out.
const preciseName = "also in the request"

// maxPrecise is how many words of one request are kept.
const maxPrecise = 200

// AddPrecise finds the precise words of a request, such as addresses, names and numbers, that
// occur nowhere in the plan, adds them to the context and returns them.
func (p *Plan) AddPrecise(request string) []string {
	var all strings.Builder
	all.WriteString(p.RefinedTask)
	for _, value := range p.Context {
		all.WriteString("\n" + plainOf(value))
	}
	var lost []string
	for _, word := range recall.Words(request, maxPrecise) {
		if !recall.HasWord(all.String(), word) {
			lost = append(lost, word)
		}
	}
	if lost == nil {
		return nil
	}
	var kept []string
	_ = json.Unmarshal(p.Context[preciseName], &kept) // those of the earlier plan, if it has a list of them
	raw, err := json.Marshal(append(kept, lost...))
	if err != nil {
		return nil // strings always marshal
	}
	p.Context = maps.Clone(p.Context) // the earlier plan may share it
	if p.Context == nil {
		p.Context = map[string]json.RawMessage{}
	}
	p.Context[preciseName] = raw
	return lost
}

// plainOf returns a JSON value as text, with addresses as they were written.
func plainOf(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v + "\n")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for name, e := range v {
				b.WriteString(name + "\n")
				walk(e)
			}
		}
	}
	walk(v)
	return b.String() + string(raw)
}
