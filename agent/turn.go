package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"redline/agent/chat"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/edits"
)

// routes of a turn.
const (
	routeTools = "tools" // the model may stage edits
	routeAsk   = "ask"   // reading tools only
)

// runTurn takes a message through the model to an answer or a plan.
func (a *Agent) runTurn(ctx context.Context, t *turn) error {
	if err := a.fresh(ctx); err != nil {
		return err
	}
	route, err := routeOf(t.message)
	if err != nil {
		return err
	}
	a.notify(Event{Kind: Routed, Turn: t.id, Conversation: t.conv.id, Route: route})

	revised, err := a.beginRevision(t, route)
	if err != nil {
		return err
	}
	defer a.endRevision(revised)
	d, err := a.draftFor(ctx, revised)
	if err != nil {
		return err
	}
	before := len(d.Operations())
	outcome, runErr := a.runModel(ctx, t, route, d, revised)
	a.update(func() {
		t.answer = outcome.Text
		t.usage = Usage{Prompt: outcome.Usage.Prompt, Completion: outcome.Usage.Completion}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	staged := len(d.Operations()) > before
	if err := a.conclusion(ctx, t, d, staged, revised, outcome, runErr); err != nil {
		return err
	}
	return runErr
}

// routeOf decides which way a message goes.
func routeOf(m Message) (string, error) {
	switch m.Mode {
	case "", "auto", "plan":
		return routeTools, nil
	case "ask":
		return routeAsk, nil
	case "text", "heap":
		return "", refuse(NotAllowed, "The mode %q is not in this version: use plan or ask.", m.Mode)
	}
	return "", refuse(Invalid, "There is no mode %q: use auto, plan or ask.", m.Mode)
}

// beginRevision opens the conversation's undecided plan for a new revision. It
// returns nil when the message starts a plan of its own.
func (a *Agent) beginRevision(t *turn, route string) (*heldPlan, error) {
	if route != routeTools || t.message.Mode == "plan" {
		return nil, nil
	}
	a.deciding.Lock()
	defer a.deciding.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.plans[cmp.Or(t.message.revise, t.conv.plan)]
	if h == nil || !h.plan.State.Open() {
		return nil, nil
	}
	if err := h.ready(plan.RequestRevision); err != nil {
		return nil, err
	}
	next := h.plan.Clone()
	if err := next.Apply(plan.RequestRevision); err != nil {
		return nil, err
	}
	h.before, h.plan = h.plan.State, next
	a.changed(h)
	return h, nil
}

// endRevision puts a plan back into the state that it had before a turn which
// made no new revision of it. Drafting is never stored: a crash does the same.
func (a *Agent) endRevision(h *heldPlan) {
	if h == nil {
		return
	}
	a.deciding.Lock()
	a.mu.Lock()
	drafting := h.plan.State == plan.Drafting
	if drafting {
		next := h.plan.Clone()
		next.State = h.before
		h.plan = next
		a.changed(h)
	}
	a.mu.Unlock()
	a.deciding.Unlock()
	if drafting {
		a.announce(h, "")
	}
}

// draftFor makes the draft of a turn: empty, or what the plan proposes less
// what the user rejected of it.
func (a *Agent) draftFor(ctx context.Context, h *heldPlan) (*draft.Draft, error) {
	if h == nil {
		return draft.New(a.ws), nil
	}
	a.mu.Lock()
	p := h.plan
	a.mu.Unlock()
	return draft.Resume(a.ws, p, func(b plan.Blob) (string, error) { return a.store.Text(ctx, b) })
}

// runModel has the model work on the message with the tools of the route.
func (a *Agent) runModel(ctx context.Context, t *turn, route string, d *draft.Draft, revised *heldPlan) (loop.Outcome, error) {
	a.mu.Lock()
	said := append(history(nil), t.conv.history...)
	a.mu.Unlock()
	messages := []model.Message{{Role: model.RoleSystem, Content: a.system(route, revised)}}
	messages = append(messages, said...)
	messages = append(messages, userMessage(t.message))
	tools := tool.All()
	if route == routeAsk {
		tools = tool.Reading()
	}
	env := &tool.Env{Draft: d, Workspace: a.ws, Named: namedIn(t.message.Text), Step: onlyStep}
	return loop.Run(ctx, a.model, messages, tools, env, a.limits, loop.Hooks{
		Text: func(s string) {
			a.notify(Event{Kind: TokenArrived, Turn: t.id, Conversation: t.conv.id, Text: s})
		},
		Tool: func(name, summary string) {
			a.notify(Event{Kind: ToolCalled, Turn: t.id, Conversation: t.conv.id, Name: name, Summary: summary})
		},
		Staged: func(s draft.Staged) {
			a.notify(Event{Kind: HunkStaged, Turn: t.id, Conversation: t.conv.id, Path: s.Path})
		},
	})
}

// system is the system prompt of a route, with the plan that is being reworked.
func (a *Agent) system(route string, revised *heldPlan) string {
	if route == routeAsk {
		return prompt("ask")
	}
	if revised == nil {
		return prompt("system")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	b.WriteString(prompt("system") + "\n" + prompt("rework") + "\n")
	fmt.Fprintf(&b, "Goal: %s\n\n%s\n", revised.plan.Goal, revised.revision.Description)
	for _, f := range revised.files {
		for _, hunk := range f.change.Hunks {
			if m := revised.plan.Progress.Hunk(hunk.ID); m.Status == plan.HunkRejected {
				fmt.Fprintf(&b, "\nThe user rejected this change to %s", f.change.Path)
				if m.Reason != "" {
					fmt.Fprintf(&b, " (%s)", m.Reason)
				}
				fmt.Fprintf(&b, "; it is not staged any more:\n%s", fenced(f.proposed[hunk.New.Start:hunk.New.End]))
			}
		}
	}
	return b.String()
}

// namedIn tells which files the user's own words name: files that hold
// secrets are read only then.
func namedIn(text string) func(path string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"“”‘’()<>,;:@", r) })
	return func(path string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return path == strings.TrimPrefix(strings.TrimRight(w, ".?!"), "./")
		})
	}
}

// conclusion turns what a turn staged into a revision, and remembers what was
// said. A turn that failed keeps what it had staged, and says that it is
// incomplete.
func (a *Agent) conclusion(ctx context.Context, t *turn, d *draft.Draft, staged bool, revised *heldPlan, outcome loop.Outcome, runErr error) error {
	if runErr != nil && !staged {
		return nil
	}
	answer := outcome.Text
	if outcome.Stopped != "" {
		answer = strings.TrimSpace(answer + "\n\n" + outcome.Stopped)
	}
	if staged {
		description := answer
		if runErr != nil {
			description = strings.TrimSpace(fmt.Sprintf("%s\n\nIncomplete: %s", answer, sentence(runErr)))
		}
		if err := a.makeRevision(ctx, t, d, revised, description); err != nil {
			return err
		}
	}
	a.update(func() {
		t.answer = answer
		t.conv.history = t.conv.history.add(t.message.Text, answer)
	})
	return nil
}

// removeComment stages the removal of the comment that asked for the plan,
// wherever the draft has it by now: the model may have edited above it, or in
// it, or may have removed it already.
func removeComment(d *draft.Draft, m Message) error {
	text, exists, err := d.Read(m.Path)
	if err != nil || !exists {
		return err
	}
	asked := edits.NewLines(m.textWhenAsked)
	if m.Comment.Last >= asked.Count() {
		return nil
	}
	was := edits.Span{Start: asked.Line(m.Comment.First).Start, End: asked.Line(m.Comment.Last).End}
	now, _ := edits.Place(m.textWhenAsked, []edits.Span{was}, text).At(0)
	lines := edits.NewLines(text)
	for line := lines.LineOf(now.Start); line <= lines.LineOf(max(now.Start, now.End-1)); line++ {
		r, found := chat.FindRequest(lines, line)
		if !found {
			continue
		}
		args, err := json.Marshal(map[string]any{
			"path": m.Path, "old_string": text[r.Remove.Start:r.Remove.End], "new_string": r.Remove.New,
		})
		if err != nil {
			return err
		}
		_, err = d.Splice(m.Path, r.Remove, plan.Operation{Step: onlyStep, Tool: "edit_file", Args: args, Path: m.Path})
		return err
	}
	return nil // the model has removed it itself
}
