package orchestrator

import (
	"encoding/json"
	"slices"
	"strings"
)

// Question is a question of the planner to the user.
type Question struct {
	Text    string   `json:"question"`
	Options []string `json:"options"` // answers to choose from, nil for none
}

// UnmarshalJSON reads {"question": "…", "options": ["…"]}, or the text alone.
func (q *Question) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &q.Text) == nil {
		return nil
	}
	type plain Question
	return json.Unmarshal(raw, (*plain)(q))
}

// ParseQuestions reads what the planner asks the user in an answer, as [ReadAnswer] returns it:
// {"question": "…", "options": ["…"]}, or {"questions": [{"question": "…"}, "…"]}. It returns
// nil if the planner asks nothing. planned is true if the answer also has a plan, which waits
// for the answers.
func ParseQuestions(object string) (questions []Question, planned bool) {
	var one Question
	var a struct {
		Questions     []Question        `json:"questions"`
		PriorityOrder []json.RawMessage `json:"priorityOrder"`
	}
	if json.Unmarshal([]byte(object), &one) != nil || json.Unmarshal([]byte(object), &a) != nil {
		return nil, false
	}
	for _, q := range slices.Insert(a.Questions, 0, one) {
		if q.Text = strings.TrimSpace(q.Text); q.Text != "" {
			questions = append(questions, q)
		}
	}
	return questions, len(a.PriorityOrder) > 0
}
