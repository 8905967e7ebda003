package orchestrator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/internal/fence"
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
