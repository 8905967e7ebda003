package loop

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/internal/phrase"
)

// A reply may end before the model has finished it: at the longest that it may be, or by the
// provider's content filter. Its last call may be cut too, and nothing shows it if the provider
// has closed the JSON, so that call is refused. The model learns why and makes it again in
// pieces. A cut answer stays the answer, and the outcome says that it is cut.

// maxCut is how many replies in a row may be cut within a call.
const maxCut = 3

// Messages to the model about a cut reply.
const (
	cutCall     = "error: not run, because your reply was cut off in this call or right after it: it came to the longest that a reply may be%s. Nothing of the call was done, and the same call would be cut off again. %s."
	filteredAt  = "error: not run, because the provider's content filter ended your reply in this call or right after it. Nothing of the call was done. Make it again in other words or in smaller parts, or say what could not be done."
	cutPlan     = "the JSON array in your reply is cut off: the reply came to the longest that it may be%s, so nothing of the array was done. Write a shorter array that is whole, with fewer calls or smaller edits; you can make the others in later replies."
	inPieces    = " Your reply came to the longest that it may be, so send the edit in smaller pieces, one in each reply."
	writeSlowly = "Write the file in pieces: its first part with write_file, and in each later reply the next part, added at the end with edit_file"
	editSlowly  = "Make the edit in pieces: a smaller one in each reply"
	callSlowly  = "Make it with less text, and do the rest in later replies"
)

// cutting keeps what was cut in a run.
type cutting struct {
	row  int // consecutive replies that were cut within a call
	left []leftCut
}

// leftCut is a call that was cut and would have changed something.
type leftCut struct {
	path   string // "" if the call names none
	after  int    // how often something was staged for the path, or at all, before
	reason string // a sentence for the user, in case that the model does not make it again
}

// cutOff returns the answer to the last call of a cut reply. stop is the reason why the turn must
// end.
func (r *run) cutOff(c model.Call, reply model.Reply) (result tool.Result, stop string) {
	name := clip(c.Name)
	t, known := tool.Find(r.tools, c.Name)
	if known {
		name = t.Name
	}
	text := filteredAt
	if reply.Finish == model.FinishLength {
		how := callSlowly
		switch {
		case name == "write_file":
			how = writeSlowly
		case known && t.Edits():
			how = editSlowly
		}
		text = fmt.Sprintf(cutCall, tokensOf(reply), how)
	}
	path := tool.PathIn(c.Arguments)
	if clean, err := r.env.Workspace.Clean(path); path != "" && err == nil {
		path = clean
	}
	what := strings.TrimSpace(name + " " + orNone(path))
	if known && t.Stages() {
		r.cut.left = slices.DeleteFunc(r.cut.left, func(l leftCut) bool { return l.path == path })
		r.cut.left = append(r.cut.left, leftCut{path, r.stagedFor(path), fmt.Sprintf("A call was not made (%s), because the reply was cut off within it: %s.", what, whyCut(reply))})
	}
	result = tool.Result{Text: text, IsError: true, Summary: what + " was cut off"}
	r.report(name, result)
	if r.cut.row++; r.cut.row >= maxCut {
		stop = fmt.Sprintf("The turn was ended because %d replies in a row were cut off: %s; what was staged until then is kept.", r.cut.row, whyCut(reply))
	}
	return result, stop
}

// stagedFor returns how often this run has staged something for a file, or at all if path is "".
func (r *run) stagedFor(path string) int {
	if path == "" {
		return r.governor.repeats.staged
	}
	return r.touched[path]
}

// leftOff returns why the turn has ended before all was done: stopped, and the calls that were
// cut and not made again, in one sentence each; "" for none.
func (r *run) leftOff(stopped string) string {
	var all []string
	if stopped != "" {
		all = append(all, stopped)
	}
	for _, l := range r.cut.left {
		if r.stagedFor(l.path) <= l.after {
			all = append(all, l.reason)
		}
	}
	return strings.Join(all[:min(len(all), maxNamed)], " ")
}

// cutAnswer says that an answer is cut, "" if it is not.
func cutAnswer(reply model.Reply) string {
	if !reply.IsCut() {
		return ""
	}
	return "The answer is cut off: " + whyCut(reply) + "."
}

// whyCut says why a reply was cut, as a part of a sentence.
func whyCut(reply model.Reply) string {
	if reply.Finish == model.FinishFilter {
		return "the provider's content filter ended it"
	}
	return "it came to the longest reply that the model may make" + tokensOf(reply)
}

// tokensOf returns the length of a reply in brackets, "" if it is not known.
func tokensOf(reply model.Reply) string {
	if reply.Usage.Completion == 0 {
		return ""
	}
	return " (" + phrase.Count(reply.Usage.Completion, "token") + ")"
}

// orNone returns a path for a sentence, "" for none.
func orNone(path string) string {
	if path == "" {
		return ""
	}
	return orFile(path)
}

// unreadableIn returns the message to the model about an array in its reply that cannot be read.
func unreadableIn(reply model.Reply) string {
	if reply.Finish != model.FinishLength {
		return unreadable
	}
	return fmt.Sprintf(cutPlan, tokensOf(reply))
}

const (
	// leftOf divides the size of the tools' answers if the request is too long: half stays,
	// since the size of the model's window is unknown.
	leftOf = 2
	// smallest is the size in bytes from which leaving out a tool's answer is worthwhile.
	smallest = 200
)

// tooLong reports whether the request exceeded the model's window.
func tooLong(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && e.Kind == model.KindTooLong
}

// shorten replaces the oldest tool answers in the request with notes until about half of their
// text is gone; the model may call again. The answers to its last calls go last, because it has
// not seen them yet. shorten reports whether it left anything out.
func (r *run) shorten() bool {
	messages := slices.Clone(r.request.Messages)
	size := 0
	var answers []int
	for i, m := range messages {
		if m.Role == model.RoleTool && len(m.Content) >= smallest {
			answers = append(answers, i)
			size += len(m.Content)
		}
	}
	if len(answers) == 0 {
		return false
	}
	for keep := size / leftOf; size > keep && len(answers) > 0; answers = answers[1:] {
		m := &messages[answers[0]]
		size -= len(m.Content)
		m.Content = leftOut(m.Content)
	}
	r.request.Messages = messages
	r.governor.repeats.changed("")
	if r.hooks.Notice != nil {
		r.hooks.Notice("The request had become longer than the model can read at once: the oldest of what it has looked at in this turn was left out, and it may look again.")
	}
	return true
}

// leftOut returns the note that replaces an answer: its first line, which says what was read or
// staged.
func leftOut(answer string) string {
	first, _, _ := strings.Cut(answer, "\n")
	return fmt.Sprintf("%s\n(the rest is left out for lack of room: call again for what you still need of it)", phrase.StartBytes(first, smallest/2))
}
