// Package loop lets one model work with its tools until it stops ([Run]), within [Limits].
//
// A model may also write its calls into the text of a reply: as a plan ([WrittenReader]), in the
// form of another program's tools ([TextCalls]), or as edits in Markdown.
package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/edits/patch"
	"redline/internal/phrase"
)

// Hooks report what happens in a run as it happens. Run calls them in order, from its own
// goroutine. Any may be nil.
type Hooks struct {
	Text   func(string)               // a piece of a reply
	Tool   func(name, summary string) // an answered call, in one line
	Staged func(draft.Staged)         // a newly staged operation
	Notice func(string)               // a sentence about the model, for the user
	Called func(model.Call, string)   // a call read from a reply's text, with the model's note on it

	// Before is called before each tool call and may give env another draft; its note is put
	// before the call's answer. After is called when all calls of a reply have answers, with the
	// usage so far. An error of either ends the run.
	Before func(context.Context) (note string, err error)
	Typed  func() int // changes when the user types in a file of the turn; called before each call
	After  func(context.Context, model.Usage) error
}

// Outcome is the result of a run.
type Outcome struct {
	Text     string          // the last reply's text
	Messages []model.Message // the messages after the given ones: replies, and an answer to every call
	Usage    model.Usage     // of all requests
	Requests int             // how many requests were sent
	Stopped  string          // why the turn ended before all was done: a limit, or a reply that was cut; "" if the model had finished
	Asked    *tool.Question  // a question to the user before the model can continue, nil for none
	NotRun   []model.Call    // calls that came after that question, in the same reply
	Wants    string          // what the message wants instead of work, by the model's word: one of [tool.Wants]; "" for none
}

// Run asks the model, runs its tool calls in order, and asks again, until the model answers
// without a call, asks the user, or reaches a limit. It also runs the calls of a plan that is
// written into an answer, see [WrittenReader], and treats edits written into an answer as calls
// of apply_patch. If a reply broke off, Run runs its complete calls; if it was cut at its maximum
// length, all but the last. The error is the provider's or ctx's: the staged operations stay in env's draft, and Outcome has the results so
// far.
func Run(ctx context.Context, p model.Provider, messages []model.Message, tools []tool.Tool, env *tool.Env, limits Limits, hooks Hooks) (Outcome, error) {
	r := &run{
		tools: tools, env: env, hooks: hooks, governor: newGovernor(limits),
		request: model.Request{Messages: messages, Tools: offers(tools)},
		touched: map[string]int{}, writes: map[string][]patch.Attempt{},
	}
	r.checked = p.Info().Provider == "builtin" // it could fix nothing
	env.Edits = slices.ContainsFunc(tools, tool.Tool.Edits)
	env.Prepare()
	ctx, cancel := r.governor.clock(ctx)
	defer cancel()
	var err error
	for r.out.Stopped == "" && r.out.Asked == nil && r.out.Wants == "" {
		if r.out.Stopped = r.governor.beforeRequest(ctx, r.out); r.out.Stopped != "" {
			break
		}
		r.filter = WrittenFilter{}
		r.env.Draft.Told()
		var reply model.Reply
		reply, err = p.Complete(ctx, r.request, r.onEvent)
		r.out.Requests++
		if tooLong(err) && r.shorten() {
			err = nil
			continue
		}
		final := err == nil && len(reply.Calls) == 0
		var in inText
		var beside []patch.Attempt
		if final {
			in = r.written(reply)
			reply.Calls = in.calls
			if len(in.calls) == 0 && in.again == "" {
				if in.again = r.remind(); in.again == "" { // both are said once: not both at a time
					in.again = r.unheard(ctx, reply)
				}
			}
		} else {
			beside = r.besideCalls(reply)
			r.show(r.filter.Rest())
		}
		r.heard(reply, in)
		if in.again != "" && len(reply.Calls) == 0 {
			r.say(model.Message{Role: model.RoleUser, Content: in.again})
			continue
		}
		if final && len(reply.Calls) == 0 {
			if strings.TrimSpace(r.out.Text) == "" && !r.staged {
				err = model.Empty(p.Info(), reply)
			} else {
				r.out.Stopped = cutAnswer(reply)
			}
			break
		}
		done, ended := r.answer(ctx, reply, final)
		if err == nil {
			err = ended
		}
		if err != nil {
			if r.out.Stopped = r.governor.outOfTime(ctx); r.out.Stopped != "" {
				err = nil
			}
			break
		}
		r.leaveBeside(beside)
		if !r.sayAfter(ctx, in, done) {
			break // only the answer is missing
		}
		if final && done && in.ends && r.out.Stopped == "" && r.out.Asked == nil && !r.sayUnheard(ctx) {
			r.out.Text = in.answer
			r.out.Stopped = cutAnswer(reply)
			break // edits in the answer itself, and a note on them
		}
	}
	if r.out.Asked == nil {
		r.out.Stopped = r.leftOff(r.out.Stopped)
	}
	return r.out, err
}

// run is one Run.
type run struct {
	tools     []tool.Tool
	env       *tool.Env
	hooks     Hooks
	governor  *governor
	request   model.Request
	staged    bool // this run has staged something
	filter    WrittenFilter
	answering bool // the model was asked to answer, after the calls of a plan
	broken    int  // consecutive plans that could not be read
	cut       cutting
	untold    int  // how often the model was sent the message about edits that are not calls
	checked   bool // the model was sent the errors that its edits add, or there were none

	touched map[string]int             // how often something was staged, by file
	writes  map[string][]patch.Attempt // edits in an answer, by the call made from them
	beside  bool                       // edits beside calls were left since the last reminder
	now     patch.Text                 // the file that isNew examined last, in the draft
	before  patch.Text                 // the same file when the draft first read it
	out     Outcome
}

// offers returns the tools of requests to the model.
func offers(tools []tool.Tool) []model.Tool {
	out := make([]model.Tool, 0, len(tools))
	for _, t := range tools {
		if !t.Unoffered {
			out = append(out, model.Tool{Name: t.Name, Description: t.Description, Parameters: t.Schema, Optional: t.OfServer})
		}
	}
	return out
}

func (r *run) onEvent(e model.Event) {
	if len(r.tools) > 0 {
		e.Text = r.filter.Next(e.Text)
	}
	r.show(e.Text)
	if e.Notice != "" && r.hooks.Notice != nil {
		r.hooks.Notice(e.Notice)
	}
}

// show passes a piece of the reply to the user.
func (r *run) show(text string) {
	if text != "" && r.hooks.Text != nil {
		r.hooks.Text(text)
	}
}

// heard adds a reply to the outcome and to the messages. in is the plan or the edits in its text.
func (r *run) heard(reply model.Reply, in inText) {
	r.out.Usage = r.out.Usage.Plus(reply.Usage)
	if reply.Text == "" && len(reply.Calls) == 0 {
		return
	}
	r.out.Text = reply.Text
	if in.plan {
		r.out.Text = in.said
		if !reply.ToolsInText { // the calls show the model what it has called
			reply.Text = in.said
		}
	}
	r.say(model.Message{Role: model.RoleAssistant, Content: reply.Text, Calls: reply.Calls, Thought: reply.Thought, Extra: reply.Extra})
}

func (r *run) say(m model.Message) {
	r.out.Messages = append(r.out.Messages, m)
	r.request.Messages = append(r.request.Messages[:len(r.request.Messages):len(r.request.Messages)], m)
}

// unheard returns a message to the model, which has finished with a reply, about errors that its edits
// add and that it has not heard of; "" for none. It is sent once, and only if another request is
// within the limits.
func (r *run) unheard(ctx context.Context, reply model.Reply) string {
	out := r.out
	out.Usage = out.Usage.Plus(reply.Usage)
	if !r.staged || r.checked || reply.IsCut() || r.governor.beforeRequest(ctx, out) != "" {
		return ""
	}
	r.checked = true
	return r.env.Unheard(ctx)
}

// sayUnheard sends that message after edits in an answer, and reports whether there is one.
func (r *run) sayUnheard(ctx context.Context) bool {
	errors := r.unheard(ctx, model.Reply{})
	if errors != "" {
		r.say(model.Message{Role: model.RoleUser, Content: errors})
	}
	return errors != ""
}

// answer runs the calls of a reply and answers each, since the protocol requires an answer to every call,
// even one that was not run. The last one that has staged something is told of the errors that all of them add. done is true if each has staged something, so the model need not
// see the answers. written is true if the calls are written in the reply's text. The error is
// ctx's or a hook's.
func (r *run) answer(ctx context.Context, reply model.Reply, written bool) (done bool, err error) {
	done = true
	calls := reply.Calls
	if written || !reply.IsCut() {
		r.cut.row = 0
	}
	stages := false
	r.governor.repeats.begin()
	stuck, before := "", r.governor.repeats.staged
	answers, last := make([]model.Message, 0, len(calls)), -1 // the last one that has staged something
	r.env.Together = r.hooks.Before == nil                    // which may decide on each call
	defer func() {
		for _, m := range answers {
			r.say(m)
		}
	}()
	for i, c := range calls {
		var result tool.Result
		var note string
		var err error
		if r.hooks.Before != nil && ctx.Err() == nil && r.out.Stopped == "" && r.out.Asked == nil && r.out.Wants == "" {
			note, err = r.hooks.Before(ctx)
		}
		switch {
		case err != nil && ctx.Err() == nil:
			return false, err
		case ctx.Err() != nil:
			result = notRun("the turn was cancelled")
		case r.out.Stopped != "":
			result = notRun("the turn has ended")
		case r.out.Asked != nil:
			r.out.NotRun = append(r.out.NotRun, c)
			result = notRun("the user is asked first; make the call again when they have answered, if it still serves")
		case r.out.Wants != "":
			result = notRun("the message is sorted first")
		case !written && reply.IsCut() && i == len(calls)-1:
			result, r.out.Stopped = r.cutOff(c, reply)
		default:
			var why string
			result, why = r.call(ctx, c)
			stuck = cmp.Or(stuck, why)
			if note != "" {
				result.Text = note + "\n\n" + result.Text
			}
		}
		done = done && (len(result.Staged) > 0 && result.Refused == 0 || result.Submitted)
		if len(result.Staged) > 0 {
			stages, last = true, i
		}
		r.answered(c, result)
		answers = append(answers, model.Message{Role: model.RoleTool, CallID: c.ID, Content: result.Text})
	}
	if stages {
		answers[last].Content += r.env.Verdict(ctx)
	}
	if r.out.Asked == nil && r.governor.repeats.staged == before { // else the reply had another result
		r.out.Stopped = cmp.Or(r.out.Stopped, stuck)
	}
	if r.hooks.After != nil && ctx.Err() == nil {
		if err := r.hooks.After(ctx, r.out.Usage); err != nil && ctx.Err() == nil {
			return false, err
		}
	}
	return done && stages, ctx.Err()
}

// sayAfter asks the model for its answer after the calls of a plan, and takes down that it will report. It
// returns false if all was done and no request is left for the answer.
func (r *run) sayAfter(ctx context.Context, in inText, done bool) bool {
	if in.report {
		AskReport(r.env.Draft)
	}
	switch {
	case in.again == "":
		return true
	case done && r.governor.beforeRequest(ctx, r.out) != "":
		return false
	}
	r.answering = true
	r.say(model.Message{Role: model.RoleUser, Content: in.again})
	return true
}

func notRun(why string) tool.Result {
	return tool.Result{Text: "error: not run, because " + why, IsError: true}
}

// call runs one call and reports it. stuck is the reason why the turn must end, unless another
// call of the reply changed something.
func (r *run) call(ctx context.Context, c model.Call) (result tool.Result, stuck string) {
	repeats := &r.governor.repeats
	if r.hooks.Typed != nil {
		repeats.hear(r.hooks.Typed())
	}
	if answer, why := repeats.before(c); answer != nil {
		return *answer, why
	}
	t, known := tool.Find(r.tools, c.Name)
	if !known {
		result := tool.Result{
			Text:    fmt.Sprintf("error: there is no tool %q; the tools are %s", clip(c.Name), names(r.tools)),
			IsError: true, Summary: fmt.Sprintf("%q is no tool", clip(c.Name)),
		}
		if r.env.Forbidden != nil {
			if why := r.env.Forbidden(c.Name); why != "" {
				result.Text, result.Summary = "error: "+why, why
			}
		}
		if r.env.Changes && !r.env.Fixed {
			tool.RecordWithheld(r.env, c.Name, []byte(c.Arguments), strings.TrimPrefix(result.Text, "error: "))
		}
		r.report(clip(c.Name), result)
		repeats.after(c, result, false)
		return result, ""
	}
	_, r.env.InAnswer = r.writes[c.ID]
	result = t.RunAsStep(ctx, r.env, c.Step, []byte(c.Arguments))
	r.report(t.Name, result)
	repeats.after(c, result, t.Edits())
	r.out.Asked, r.out.Wants = result.Asked, result.Wants
	if result.Staged != nil {
		r.out.Stopped = r.governor.tooManySteps(r.env.Draft)
	}
	return result, ""
}

// report counts what a call has staged, and passes the call to the hooks.
func (r *run) report(name string, result tool.Result) {
	if r.hooks.Tool != nil {
		r.hooks.Tool(name, result.Summary)
	}
	for _, s := range result.Staged {
		r.staged = true
		r.touched[s.Path]++
		if s.NewPath != "" {
			r.touched[s.NewPath]++
		}
		if r.hooks.Staged != nil {
			r.hooks.Staged(s)
		}
	}
}

// names lists the names of the tools in requests.
func names(tools []tool.Tool) string {
	var all []string
	for _, t := range tools {
		if !t.Unoffered {
			all = append(all, t.Name)
		}
	}
	return strings.Join(all, ", ")
}

// clip shortens a name that a model made up.
func clip(name string) string { return phrase.StartBytes(name, 64) }
