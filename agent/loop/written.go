package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/edits"
	"redline/internal/phrase"
)

// inText has the calls that are written in the text of an answer without tool calls.
type inText struct {
	calls  []model.Call
	plan   bool   // the calls are a plan, whose text the user should not read
	said   string // with a plan: the rest of the reply
	ends   bool   // the run ends if each call has staged something
	answer string // the text for the user in that case
	again  string // a message to the model about an unreadable plan; without calls, instead of all this
}

// written finds the calls that are written in the text of an answer.
func (r *run) written(reply model.Reply) inText {
	if len(r.tools) == 0 {
		return inText{}
	}
	held := r.filter.Rest()
	plan, verdict := r.reader(reply).Read(reply.Text)
	if verdict == Broken && r.broken < maxBroken {
		r.broken++
		return inText{plan: true, again: "error: " + unreadableIn(reply)}
	}
	if verdict == Found && plan.Within && r.shows(plan) {
		verdict = Prose
	}
	if verdict == Found {
		r.broken = 0
		return r.planned(plan)
	}
	if verdict == Quoted {
		r.notice("The reply quotes calls of tools. They were not made, since they are not the model's own.")
	}
	r.show(held)
	return r.edits(reply, verdict == Quoted)
}

// onlyExample is the notice about a plan in the answer to a question.
const onlyExample = "The answer contains tool calls, but you only asked a question, so Redline made none of them. To have the change staged, ask for it."

// shows reports whether a plan within other text is only an example: in the answer to a
// question, unless the plan only reads, and after calls, which an answer may repeat.
func (r *run) shows(p WrittenPlan) bool {
	stages := func(c WrittenCall) bool { t, known := tool.Find(r.tools, c.Tool); return known && t.Stages() }
	if r.env.Asks && slices.ContainsFunc(p.Calls, stages) {
		if !r.staged {
			r.notice(onlyExample)
		}
		return true
	}
	made := map[string]bool{}
	for _, m := range r.out.Messages {
		for _, c := range m.Calls {
			made[called(r.tools, c.Name, c.Arguments)] = true
		}
	}
	return slices.ContainsFunc(p.Calls, func(c WrittenCall) bool { return made[called(r.tools, c.Tool, string(c.Args))] })
}

// called returns a call in one form, whatever the tool's alias and the order of the arguments.
func called(tools []tool.Tool, name, arguments string) string {
	if t, known := tool.Find(tools, name); known {
		name = t.Name
	}
	return name + " " + canonical(arguments)
}

// maxBroken is how often in a turn a model is asked to rewrite an unreadable plan.
const maxBroken = 2

// unreadable is the message to the model about such a plan.
const unreadable = "the JSON array in your reply cannot be read, so nothing of it was done. " +
	`Write the whole array again, in one fence, with every bracket closed; in strings a line break is \n, a quote is \" and a backslash is \\.`

// reader returns a reader of replies to the latest request.
func (r *run) reader(reply model.Reply) WrittenReader {
	return WrittenReader{
		Asked: reply.ToolsInText, Shown: r.shown(func(m model.Message) bool { return true }),
		Known: func(name string) bool { _, ok := tool.Find(r.tools, name); return ok },
	}
}

// shown returns what the model was shown: the initial messages for which counts is true, and the
// tools' answers.
func (r *run) shown(counts func(model.Message) bool) []string {
	given := len(r.request.Messages) - len(r.out.Messages)
	var shown []string
	for i, m := range r.request.Messages {
		if i < given && counts(m) || m.Role == model.RoleTool {
			shown = append(shown, m.Content)
		}
	}
	return shown
}

// planned converts a plan to calls. The note of each call that stages something is recorded as
// its reason, and each is a step of the plan. An answer in the plan becomes the turn's if all
// calls are staged, or if there are none. If calls have results, the model answers again after
// reading them.
func (r *run) planned(p WrittenPlan) inText {
	in := inText{plan: true, said: p.Prose, ends: p.Final}
	if in.answer = p.Answer; in.answer == "" {
		in.answer = p.Prose
	}
	if len(p.Calls) == 0 {
		in.said = in.answer
		r.show(p.Answer)
	}
	for i, c := range p.Calls {
		call := model.Call{ID: fmt.Sprintf("written%d_%d", r.out.Requests, i+1), Name: c.Tool, Arguments: string(c.Args)}
		if t, known := tool.Find(r.tools, c.Tool); known && t.Stages() {
			call.Arguments = string(t.Noted(c.Args, c.Note))
			call.Step = stepFor(t, c)
		}
		in.calls = append(in.calls, call)
		if r.hooks.Called != nil {
			r.hooks.Called(call, strings.TrimSpace(c.Note))
		}
	}
	return in
}

// stepFor describes a call as a step of its plan: the tool and the reason for the call, or else
// its target.
func stepFor(t tool.Tool, c WrittenCall) string {
	why := strings.TrimSpace(edits.Visible(c.Note))
	if why == "" {
		var args struct{ Path, Command string }
		_ = json.Unmarshal(c.Args, &args) // without them the tool's name is enough
		why = edits.Visible(cmp.Or(args.Path, args.Command))
	}
	return phrase.FirstLine(strings.TrimSuffix(t.Name+": "+why, ": "), maxStep)
}

// maxStep is how many bytes the description of such a step may have.
const maxStep = 200
