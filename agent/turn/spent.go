package turn

import (
	"fmt"
	"strings"

	"redline/agent/model"
	"redline/agent/state"
)

// modelReport says which models answer and how many tokens they have used in this session.
func (ts *Turns) modelReport() string {
	m := ts.ModelState()
	text := fmt.Sprintf("The model is %s (%s).", m.Name, m.Provider)
	var others []string
	for _, of := range []struct {
		purpose model.Purpose
		what    string
	}{{model.Planning, "plans in words"}, {model.Editing, "edits"}, {model.Classifying, "classification"}, {model.Summarising, "summaries"}} {
		if name := model.For(ts.model, of.purpose).Info().Name; name != m.Name {
			others = append(others, name+" for "+of.what)
		}
	}
	if others != nil {
		text += " Set for a purpose: " + strings.Join(others, ", ") + "."
	}
	spent := ts.conversations.Used()
	if spent == (state.Usage{}) {
		return text
	}
	text += fmt.Sprintf(" In this session %d tokens were sent and %d received", spent.Prompt, spent.Completion)
	if spent.Cost > 0 {
		text += fmt.Sprintf(", which cost %.4f", spent.Cost)
	}
	return text + "."
}

func asUsage(u model.Usage) state.Usage {
	return state.Usage{Prompt: u.Prompt, Completion: u.Completion, Cost: u.Cost}
}
