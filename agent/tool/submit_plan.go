package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/internal/phrase"
)

// SubmitPlan is the name of the tool that submits the steps of a plan.
const SubmitPlan = "submit_plan"

// Bounds of a submitted plan.
const (
	maxGoal  = 200 // bytes
	maxSteps = 15  // the default; the user's limits can set another
)

var submitPlan = define(Tool{
	Name:     SubmitPlan,
	Buffered: true,
	params: params{
		{name: "goal", kind: stringKind, required: true, also: []string{"title"}, about: "In one line."},
		{name: "steps", kind: listKind, required: true, items: stepSchema},
		{name: "report", kind: booleanKind, about: "You report to the user once its commands have run."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		fail := func(err error) Result { return failure(c.tool, err) }
		if env.Fixed {
			return fail(errors.New("the steps of this plan are given; do your own part"))
		}
		goal := phrase.ClipBytes(phrase.OneLine(edits.Visible(c.text("goal"))), maxGoal)
		if goal == "" {
			return fail(errors.New("the goal is empty; say in one line what the plan is for"))
		}
		raw, _ := c.args["steps"].(json.RawMessage)
		steps, err := readSteps(raw)
		if err != nil {
			return fail(err)
		}
		most := env.MaxSteps
		most = cmp.Or(most, maxSteps)
		switch {
		case len(steps) == 0:
			return fail(errors.New("the plan has no steps; give one at least"))
		case len(steps) > most:
			return fail(fmt.Errorf("the plan has %d steps, and %d is the limit for one plan; put some together, a step may hold many operations", len(steps), most))
		}
		if err := plan.CheckSteps(steps); err != nil {
			return fail(err)
		}
		note, err := env.Draft.Submit(draft.Submission{Goal: goal, Steps: steps, Report: c.flag("report")})
		if err != nil {
			return fail(err)
		}
		env.current = ""
		r := Result{
			Text: fmt.Sprintf("submitted: %s. Now stage what each step does, and name the step in each call (step: %q). To change the steps submit them all again.",
				phrase.Count(len(steps), "step"), steps[0].ID),
			Summary: "plan of " + phrase.Count(len(steps), "step") + ": " + goal, Submitted: true,
		}
		if note != "" {
			r.Text += "\n" + note
		}
		return r
	},
})

// stepSchema is the JSON Schema of a step.
var stepSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"id":          about("Like s1."),
		"description": about(""),
		"tool":        about(""),
		"rationale":   about("Why."),
		"risk":        about("What could go wrong."),
		"depends_on": map[string]any{"type": "array", "items": map[string]any{"type": "string"},
			"description": "Ids of earlier steps."},
		"parallel": map[string]any{"type": "boolean",
			"description": "It can run beside other parallel steps."},
		"when": map[string]any{
			"type":        "object",
			"description": "The step is carried out only if this holds.",
			"properties": map[string]any{
				"step":           about("Its id."),
				"outcome":        map[string]any{"type": "string", "enum": []string{"succeeded", "failed"}, "description": "Of its commands."},
				"output_matches": about("RE2 that their output must match too."),
			},
			"required": []string{"step", "outcome"},
		},
	},
	"required": []string{"id", "description"},
}

func about(text string) map[string]any {
	if text == "" {
		return map[string]any{"type": "string"}
	}
	return map[string]any{"type": "string", "description": text}
}

// readSteps reads the steps in any form that models write.
func readSteps(raw json.RawMessage) ([]plan.Step, error) {
	var given []struct {
		ID          word  `json:"id"`
		Description word  `json:"description"`
		Tool        word  `json:"tool"`
		Rationale   word  `json:"rationale"`
		Risk        word  `json:"risk"`
		DependsOn   words `json:"depends_on"`
		Parallel    bool  `json:"parallel"`
		When        *struct {
			Step          word `json:"step"`
			Outcome       word `json:"outcome"`
			OutputMatches word `json:"output_matches"`
		} `json:"when"`
	}
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, errors.New(`the steps cannot be read; give them as [{"id": "s1", "description": "…"}, …], with the members that the schema has`)
	}
	var steps []plan.Step
	for _, g := range given {
		s := plan.Step{ID: string(g.ID), Description: string(g.Description), Tool: string(g.Tool), Rationale: string(g.Rationale), Risk: string(g.Risk), DependsOn: g.DependsOn, Parallel: g.Parallel}
		if w := g.When; w != nil {
			s.When = &plan.Condition{Step: string(w.Step), Outcome: plan.Outcome(w.Outcome), OutputMatches: string(w.OutputMatches)}
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// word is a string; a number is accepted too.
type word string

func (w *word) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err == nil {
		*w = word(s)
		return nil
	}
	var n json.Number
	err := json.Unmarshal(raw, &n)
	*w = word(n)
	return err
}

// words is a list of strings; one string is accepted too.
type words []string

func (w *words) UnmarshalJSON(raw []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		raw = fmt.Appendf(nil, "[%s]", raw)
	}
	var all []word
	if err := json.Unmarshal(raw, &all); err != nil {
		return err
	}
	for _, one := range all {
		if one != "" {
			*w = append(*w, string(one))
		}
	}
	return nil
}
