package specialists

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/internal/fence"
)

// ReadAnswer returns the one JSON object that a planner's answer consists of, or has among other
// words. In words only an object that is a plan or a question counts, and none that stands so in
// what the planner was shown: it only quotes that. The error is one sentence for the planner:
// there is no such object, or there are several different ones.
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

// objectsIn returns the JSON objects of a text, without those within others. It looks at each
// byte once: what follows a brace is skipped as far as it could be JSON, so nothing is taken out
// of the middle of an object that is damaged or cut off.
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
			text = text[min(len(text), max(1, int(wrong.Offset)-1)):] // the byte that is no JSON may begin an object
		default: // cut off
			return out
		}
	}
}

// isAnswer reports whether a JSON object has the member by which a plan or a question of the
// planner is known.
func isAnswer(object string) bool {
	var a struct {
		One           json.RawMessage `json:"one"`
		PriorityOrder json.RawMessage `json:"priorityOrder"`
		Question      json.RawMessage `json:"question"`
		Questions     json.RawMessage `json:"questions"`
	}
	return json.Unmarshal([]byte(object), &a) == nil && (a.One != nil || a.PriorityOrder != nil || a.Question != nil || a.Questions != nil)
}
