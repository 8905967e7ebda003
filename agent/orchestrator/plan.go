package orchestrator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	agentplan "redline/agent/plan"
	"redline/internal/phrase"
)

// Plan says who works on a request, in which order, and on what.
type Plan struct {
	Work         []Assignment
	Alone        bool                       // its one specialist does the turn alone, with the conversation instead of RefinedTask
	RefinedTask  string                     // the request, in the planner's words
	Context      map[string]json.RawMessage // what must be used exactly as written: addresses, names, numbers
	Instructions map[string]string          // by specialist
	By           string                     // who made the plan: [ByModel] or [ByRules]
	Notes        []string                   // which parts of the planner's answer were ignored, one sentence each
}

// Who makes a plan.
const (
	ByModel = "model"
	ByRules = "rules"
)

// Assignment is one specialist's part.
type Assignment struct {
	Specialist string
	After      []int // indices of the assignments that must finish before it
	Level      int   // from 0; assignments of one level run at the same time
}

// maxTask is how many bytes the task and the context of a plan may have, each.
const maxTask = 16 << 10

// answer is the planner's answer.
type answer struct {
	One              json.RawMessage   `json:"one"`
	PriorityOrder    []json.RawMessage `json:"priorityOrder"`
	RefinedTask      string            `json:"refinedTask"`
	ExtractedContext extracted         `json:"extractedContext"`
	Instructions     map[string]string `json:"instructions"`
}

// extracted has the values that the planner has taken out of the request, by name.
type extracted map[string]json.RawMessage

// unnamed is the name of values that the planner has given none.
const unnamed = "values"

// UnmarshalJSON reads an object; anything else, such as a text or a list, is one entry.
func (e *extracted) UnmarshalJSON(raw []byte) error {
	raw = bytes.TrimSpace(raw)
	switch string(raw) {
	case "null", `""`, "[]":
		return nil
	}
	if raw[0] != '{' {
		*e = extracted{unnamed: slices.Clone(json.RawMessage(raw))}
		return nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	*e = members
	return nil
}

// ParsePlan reads a planner's answer, as [ReadAnswer] returns it. It leaves out unknown
// specialists and all but the first most assignments, and replaces a circular order by that of
// the list; the plan's notes say so. The error is one sentence for the planner.
func ParsePlan(object string, r *Registry, most int) (*Plan, error) {
	raw := []byte(object)
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("the answer cannot be read: %w", err)
	}
	if err := agentplan.CheckArgs(raw); err != nil {
		return nil, err
	}
	p := &Plan{By: ByModel, RefinedTask: strings.TrimSpace(a.RefinedTask), Context: a.ExtractedContext}
	size := 0
	for name, value := range a.ExtractedContext {
		size += len(name) + len(value)
	}
	if len(p.RefinedTask) > maxTask || size > maxTask {
		return nil, fmt.Errorf("refinedTask and extractedContext may have %d KiB each", maxTask>>10)
	}
	enough, err := a.takeOne()
	if err != nil {
		return nil, err
	}
	b := &orderParser{plan: p, registry: r}
	for _, raw := range a.PriorityOrder {
		if err := b.item(raw); err != nil {
			return nil, err
		}
	}
	if len(p.Work) == 0 {
		return nil, fmt.Errorf("priorityOrder names none of the specialists %s", strings.Join(r.ids(), ", "))
	}
	p.Alone = len(p.Work) == 1 && (enough || p.RefinedTask == "")
	b.cut(most)
	b.resolve()
	p.arrange()
	if err := p.instruct(raw, a.Instructions, r); err != nil {
		return nil, err
	}
	return p, nil
}

// takeOne reads an answer with only one specialist, {"one": "ID"}, as an order of that one.
// enough is true for such an answer; {"one": true} and {"one": "ID"} may also stand beside an
// order of one.
func (a *answer) takeOne() (enough bool, err error) {
	var id string
	var isTrue bool
	switch {
	case a.One == nil:
		return false, nil
	case json.Unmarshal(a.One, &id) == nil && id != "" && len(a.PriorityOrder) == 0:
		a.PriorityOrder = []json.RawMessage{a.One}
	case json.Unmarshal(a.One, &isTrue) == nil && (!isTrue || len(a.PriorityOrder) == 1):
		return isTrue, nil
	case id != "" && len(a.PriorityOrder) == 1 && bytes.Equal(a.PriorityOrder[0], a.One):
	default:
		return false, errors.New(`"one" is the id of the only specialist, without a priorityOrder`)
	}
	return true, nil
}

func (p *Plan) note(format string, args ...any) {
	p.Notes = append(p.Notes, fmt.Sprintf(format, args...))
}

// orderParser reads the priorityOrder of a planner's answer into a plan.
type orderParser struct {
	plan     *Plan
	registry *Registry
	before   []int      // indices of the previous item's assignments
	afters   [][]string // by assignment: the specialists in its "after"; nil if it has none
}

// item reads one item of the order: "a", {"parallel": ["a", "b"]}, or {"specialist": "a",
// "after": ["b"]}. Without "after" it follows the previous item.
func (b *orderParser) item(raw json.RawMessage) error {
	var id string
	if json.Unmarshal(raw, &id) == nil {
		b.add([]string{id}, nil)
		return nil
	}
	var object struct {
		Parallel   []string  `json:"parallel"`
		Specialist string    `json:"specialist"`
		After      *[]string `json:"after"`
	}
	if err := json.Unmarshal(raw, &object); err != nil || (object.Specialist == "") == (len(object.Parallel) == 0) {
		return errors.New(`each member of priorityOrder is "ID", {"parallel": ["ID", …]} or {"specialist": "ID", "after": ["ID", …]}`)
	}
	if object.Specialist != "" {
		object.Parallel = []string{object.Specialist}
	}
	var after []string
	if object.After != nil {
		after = append([]string{}, *object.After...)
	}
	b.add(object.Parallel, after)
	return nil
}

func (b *orderParser) add(ids, after []string) {
	var added []int
	for i, id := range ids {
		switch {
		case b.registry.Find(id) == nil:
			b.plan.note("There is no specialist %s; it was left out.", quoted(id))
			continue
		case slices.Contains(ids[:i], id):
			continue
		}
		added = append(added, len(b.plan.Work))
		b.plan.Work = append(b.plan.Work, Assignment{Specialist: id, After: b.before})
		b.afters = append(b.afters, after)
	}
	if added != nil {
		b.before = added
	}
}

// cut keeps the first most assignments.
func (b *orderParser) cut(most int) {
	if left := len(b.plan.Work) - most; left > 0 {
		b.plan.note("The planner wanted %d specialists; only the first %d work, which is the limit of steps.", len(b.plan.Work), most)
		b.plan.Work, b.afters = b.plan.Work[:most], b.afters[:most]
	}
}

// resolve replaces the names in afters by assignments.
func (b *orderParser) resolve() {
	for i, names := range b.afters {
		if names == nil {
			continue
		}
		b.plan.Work[i].After = nil
		for _, name := range names {
			if at := b.find(i, name); at >= 0 {
				b.plan.Work[i].After = append(b.plan.Work[i].After, at)
			} else {
				b.plan.note("%s was to come after %s, which does not work on this.", b.plan.Work[i].Specialist, quoted(name))
			}
		}
	}
}

// find returns the assignment to which a specialist's name in the "after" of assignment i
// refers: the nearest before i, else the first from i on; -1 for none.
func (b *orderParser) find(i int, name string) int {
	found := -1
	for k, w := range b.plan.Work {
		if w.Specialist == name && (k < i || found < 0) {
			found = k
		}
	}
	return found
}

// arrange sets the level of each assignment. It breaks circles.
func (p *Plan) arrange() {
	done := make([]bool, len(p.Work))
	for level, left := 0, len(p.Work); left > 0; level++ {
		var ready []int
		for i := range p.Work {
			if !done[i] && !slices.ContainsFunc(p.Work[i].After, func(k int) bool { return !done[k] }) {
				ready = append(ready, i)
			}
		}
		if ready == nil {
			p.note("The order went in a circle; the specialists work one after the other as they were listed.")
			p.queue()
			return
		}
		for _, i := range ready {
			p.Work[i].Level, done[i] = level, true
		}
		left -= len(ready)
	}
}

// queue makes the assignments run one after the other, in the order of the list.
func (p *Plan) queue() {
	for i := range p.Work {
		p.Work[i].Level, p.Work[i].After = i, nil
		if i > 0 {
			p.Work[i].After = []int{i - 1}
		}
	}
}

// Levels returns the indices of the assignments, level by level.
func (p *Plan) Levels() [][]int {
	var levels [][]int
	for i, w := range p.Work {
		for len(levels) <= w.Level {
			levels = append(levels, nil)
		}
		levels[w.Level] = append(levels[w.Level], i)
	}
	return levels
}

// Route describes who works in which order: "code, then tests and docs at the same time".
func (p *Plan) Route() string {
	var levels []string
	for _, level := range p.Levels() {
		var ids []string
		for _, i := range level {
			ids = append(ids, p.Work[i].Specialist)
		}
		who := phrase.And(ids)
		if len(ids) > 1 {
			who += " at the same time"
		}
		levels = append(levels, who)
	}
	return strings.Join(levels, ", then ")
}

func (r *Registry) ids() []string {
	var ids []string
	for _, s := range r.list {
		ids = append(ids, s.ID)
	}
	return ids
}
