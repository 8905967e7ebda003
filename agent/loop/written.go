package loop

import (
	"fmt"
	"strings"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/written"
)

// inText holds the calls that an answer without tool calls asks for in its text.
type inText struct {
	calls  []model.Call
	plan   bool   // they are a plan, which the user should not read
	said   string // with a plan: the rest of the reply
	ends   bool   // the run ends if each call has staged something
	answer string // the text for the user in that case
	again  string // a message to the model about what cannot be read; without calls, instead of all this
}

// written finds the calls that an answer asks for in its text.
func (r *run) written(reply model.Reply) inText {
	if len(r.tools) == 0 {
		return inText{}
	}
	held := r.filter.Rest()
	plan, verdict := r.reader(reply).Read(reply.Text)
	if verdict == written.Broken && r.broken < maxBroken {
		r.broken++
		return inText{plan: true, again: "error: " + unreadable}
	}
	if verdict == written.Found {
		r.broken = 0
		return r.planned(plan)
	}
	if verdict == written.Quoted && r.hooks.Notice != nil {
		r.hooks.Notice("The reply quotes calls of tools. They were not made, since they are not the model's own.")
	}
	r.show(held)
	return r.edits(reply)
}

// maxBroken is how often in a turn a model is asked to rewrite an unreadable plan.
const maxBroken = 2

// unreadable is the message to the model about such a plan.
const unreadable = "the JSON array in your reply cannot be read, so nothing of it was done. " +
	`Write the whole array again, in one fence, with every bracket closed; in strings a line break is \n, a quote is \" and a backslash is \\.`

// reader returns a reader of replies to the latest request.
func (r *run) reader(reply model.Reply) written.Reader {
	return written.Reader{
		Asked: reply.ToolsInText, Shown: r.shown(func(m model.Message) bool { return true }),
		Known: func(name string) bool { _, ok := tool.Find(r.tools, name); return ok },
	}
}

// shown returns what the model was shown: the initial messages for which counts is true, and
// the answers of tools.
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

// planned makes calls of a plan. An answer in the plan is the turn's if all calls are staged,
// or if there are none; if calls have results, the model answers again after reading them.
func (r *run) planned(p written.Plan) inText {
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
		in.calls = append(in.calls, call)
		if r.hooks.Called != nil {
			r.hooks.Called(call, strings.TrimSpace(c.Note))
		}
	}
	return in
}
