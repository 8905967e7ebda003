package loop

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/tool"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
)

// inText has the calls that are written in the text of an answer without tool calls.
type inText struct {
	calls  []model.Call
	plan   bool   // the calls are a plan, whose text the user should not read
	said   string // with a plan: the rest of the reply
	ends   bool   // the run ends if each call has staged something: edits in an answer
	answer string // the text for the user in that case
	again  string // a further message to the model: about an unreadable plan, or that it should answer now
	report bool   // the plan asks for a report once its commands have run
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
		before := made(r.tools, r.out.Messages)
		if r.answering && !slices.ContainsFunc(plan.Calls, func(c WrittenCall) bool { return !before(c) }) {
			plan.Calls = nil // the same array again, with the answer that it was asked for
		}
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
	return slices.ContainsFunc(p.Calls, made(r.tools, r.out.Messages))
}

// made returns a function that reports whether a call is among those of some messages.
func made(tools []tool.Tool, messages []model.Message) func(WrittenCall) bool {
	all := map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls {
			all[called(tools, c.Name, c.Arguments)] = true
		}
	}
	return func(c WrittenCall) bool {
		if t, known := tool.Find(tools, c.Tool); known && t.Stages() && all[called(tools, c.Tool, string(t.Noted(c.Args, c.Note)))] {
			return true
		}
		return all[called(tools, c.Tool, string(c.Args))]
	}
}

// AskReport has the model report on the plan of a draft once its commands have run. A draft without
// steps has none to report on.
func AskReport(d *draft.Draft) {
	s, _ := d.Submitted()
	if s.Report || len(s.Steps) == 0 {
		return
	}
	s.Report = true
	_, _ = d.Submit(s) // the same steps are possible
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
// its reason, and each is a step of the plan. Without calls, the plan is the turn's answer. Otherwise
// the model answers once more when they were made: what the plan says about the answer was written
// before there were results, so it is an instruction, which the model gets back.
func (r *run) planned(p WrittenPlan) inText {
	in := inText{plan: true, said: p.Prose, answer: p.Prose, report: p.Report}
	switch {
	case len(p.Calls) == 0:
		in.said = cmp.Or(p.Answer, p.Prose)
		r.show(p.Answer)
	case p.Answer != "":
		in.again = fmt.Sprintf(answerNow, p.Answer)
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

// answerNow is the message to the model after the calls of a plan that says how to answer.
const answerNow = "The calls of your array were made; their results are above. Now answer the user. " +
	"Your array says about the answer: %s"

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

// seen finds out whether a model was shown a call. Somebody else may have written it, so that a
// model which quotes it must not carry it out by that. A call counts as shown
//
//   - if its JSON is in one of the texts, ignoring spaces, line ends, quotes and backslashes;
//   - if a call in the texts has the same arguments, in any order;
//   - with strict, for a model that calls its tools otherwise: if a call in the texts is about the
//     same thing, that is if the two have a text among their arguments in common. So a quotation
//     with another note, another name of the tool or another new text is still one.
//
// A call that differs in more is the model's own. Nothing can tell it from one that the model was
// talked into, and such a one it could also make without writing it down; like all that a model
// stages, it waits for the user's approval.
type seen struct {
	texts  []string
	strict bool
	bare   []string   // texts without spaces and quotes; nil until needed
	calls  []seenCall // offsets in texts; see bare
}

// seenCall is something that looks like a call in a text.
type seenCall struct {
	args   string   // the arguments as canonical JSON
	values []string // the texts among them
}

func (s *seen) has(it item) bool {
	if s.bare == nil {
		s.read()
	}
	want := unquoted(string(it.raw))
	if slices.ContainsFunc(s.bare, func(text string) bool { return strings.Contains(text, want) }) {
		return true
	}
	own, ok := callOf(it.call.Args)
	return ok && slices.ContainsFunc(s.calls, func(c seenCall) bool {
		if c.args == own.args {
			return true
		}
		return s.strict && slices.ContainsFunc(own.values, func(v string) bool { return slices.Contains(c.values, v) })
	})
}

// read reads the texts.
func (s *seen) read() {
	s.bare = []string{}
	for _, text := range s.texts {
		s.bare = append(s.bare, unquoted(text))
		forms := []string{text}
		if strings.Contains(text, `\"`) { // JSON in a string
			forms = append(forms, strings.NewReplacer(`\"`, `"`, `\n`, "\n", `\\`, `\`).Replace(text))
		}
		for _, form := range forms {
			values, _ := find(form, true)
			for _, v := range values {
				var doc any
				if json.Unmarshal(v.raw, &doc) == nil {
					s.visit(doc)
				}
			}
		}
	}
}

// visit records the calls in a JSON value, at any depth.
func (s *seen) visit(doc any) {
	switch doc := doc.(type) {
	case []any:
		for _, inner := range doc {
			s.visit(inner)
		}
	case map[string]any:
		for key, inner := range doc {
			if text, ok := inner.(string); ok && slices.Contains(argNames, key) {
				if c, ok := callOf(json.RawMessage(text)); ok {
					s.calls = append(s.calls, c)
				}
			}
			if members, ok := inner.(map[string]any); ok && slices.Contains(argNames, key) {
				s.calls = append(s.calls, asCall(members))
			}
			s.visit(inner)
		}
		if slices.ContainsFunc(ownKeys, func(key string) bool { return doc[key] != nil }) { // the arguments may be beside the tool
			beside := map[string]any{}
			for key, inner := range doc {
				if !slices.Contains(slices.Concat(ownKeys, argNames, noteNames), key) {
					beside[key] = inner
				}
			}
			if len(beside) > 0 {
				s.calls = append(s.calls, asCall(beside))
			}
		}
	}
}

func callOf(args json.RawMessage) (seenCall, bool) {
	var members map[string]any
	if json.Unmarshal(args, &members) != nil || len(members) == 0 {
		return seenCall{}, false
	}
	return asCall(members), true
}

func asCall(members map[string]any) seenCall {
	doc, _ := json.Marshal(members) // it was read from JSON; the keys get sorted
	c := seenCall{args: string(doc)}
	for key, v := range members {
		text, ok := v.(string)
		if text = strings.TrimPrefix(strings.TrimSpace(text), "./"); ok && text != "" && !slices.Contains(noteNames, key) && !slices.Contains(editorCommands, text) {
			c.values = append(c.values, text)
		}
	}
	return c
}

// editorCommands are commands that several text editors have in common. Two calls with the same
// command are not about the same thing.
var editorCommands = []string{"view", "create", "str_replace", "insert"}

// unquoted returns a text without spaces, line ends, quotes and backslashes.
func unquoted(text string) string { return withoutAny(text, " \t\r\n\"'\\") }

// maxSearched is how many bytes are searched for quotations. Edits not searched by then count as
// the model's own.
const maxSearched = 1 << 30

// Own returns the edits in a reply that are the model's own. An edit is a quotation if all
// its lines are in what the model was shown, one after the other, ignoring spaces and empty
// lines; a line of dots stands for any lines.
func Own(edits []patch.Attempt, shown []string) []patch.Attempt {
	if len(edits) == 0 {
		return nil
	}
	texts, size := make([]string, len(shown)), 0
	for i, text := range shown {
		texts[i] = bareLines(text)
		size += len(texts[i])
	}
	var own []patch.Attempt
	for i, e := range edits {
		if i*size > maxSearched || !quoted(e.Lines, texts) {
			own = append(own, e)
		}
	}
	return own
}

// IsShown reports whether all lines of a text are in what the model was shown, as in [Own].
func IsShown(lines string, shown []string) bool {
	texts := make([]string, len(shown))
	for i, text := range shown {
		texts[i] = bareLines(text)
	}
	return quoted(lines, texts)
}

// quoted reports whether one of texts, from which spaces were removed, has the lines of an edit.
func quoted(lines string, texts []string) bool {
	want := bareLines(lines)
	for _, dots := range []string{"...", "…", "[...]"} {
		want = strings.ReplaceAll(want, "\n"+dots+"\n", "\n\n")
	}
	parts := strings.Split(strings.Trim(want, "\n"), "\n\n")
	for _, text := range texts {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(text, "\n"+part+"\n")
		}
		if all {
			return true
		}
	}
	return false
}

// bareLines removes spaces and empty lines from a text, and puts a line end before each line and
// after the last.
func bareLines(text string) string {
	var b strings.Builder
	b.WriteString("\n")
	for line := range strings.Lines(text) {
		if line = withoutAny(line, " \t\r\n"); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// withoutAny removes characters from a text.
func withoutAny(text, characters string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(characters, r) {
			return -1
		}
		return r
	}, text)
}
