package loop

import (
	"encoding/json"
	"fmt"
	"strings"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/agent/written"
	"redline/edits/patch"
)

// inText is what an answer that calls no tool asks for all the same.
type inText struct {
	calls  []model.Call
	plan   bool   // they are a plan, which the user is not to read
	said   string // with a plan: what else is in the reply
	ends   bool   // nothing is left to ask when each call has staged something
	answer string // what the user reads then
	again  string // what the model is told, instead of all this, about a plan that cannot be read
}

// written finds what an answer asks for in its text.
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
	return r.blocks(reply.Text)
}

// maxBroken is how often in a turn a model is asked to write a plan again that
// cannot be read.
const maxBroken = 2

// unreadable is what a model is told about such a plan.
const unreadable = "the JSON array in your reply cannot be read, so nothing of it was done. " +
	`Write the whole array again, in one fence, with every bracket closed; in strings a line break is \n, a quote is \" and a backslash is \\.`

// reader reads replies to what was asked last.
func (r *run) reader(reply model.Reply) written.Reader {
	given := len(r.request.Messages) - len(r.out.Messages)
	var shown []string
	for i, m := range r.request.Messages {
		if i < given || m.Role == model.RoleTool {
			shown = append(shown, m.Content)
		}
	}
	return written.Reader{
		Asked: reply.ToolsInText, Shown: shown,
		Known: func(name string) bool { _, ok := tool.Find(r.tools, name); return ok },
	}
}

// planned makes calls of a plan. An answer in it is the turn's if all calls are
// staged, or if there are none; where there are results the model answers once
// more, in their light.
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

// patchTool is the tool that takes search/replace blocks.
const patchTool = "apply_patch"

// blocks takes search/replace blocks that a model has written into its prose as a
// patch. Once something was staged, blocks only tell of it.
func (r *run) blocks(answer string) inText {
	if _, offered := tool.Find(r.tools, patchTool); !offered || r.staged || !patch.HasBlocks(answer) {
		return inText{}
	}
	arguments, err := json.Marshal(map[string]string{"patch": answer})
	if err != nil {
		return inText{} // no text can fail here
	}
	call := model.Call{ID: fmt.Sprintf("written%d", r.out.Requests), Name: patchTool, Arguments: string(arguments)}
	return inText{calls: []model.Call{call}, ends: true, answer: answer}
}
