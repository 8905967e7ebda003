package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// errWaiting ends a run through the instructions because calls have to be made first.
var errWaiting = errors.New("waiting for tools")

// problem says, for the user, why an instruction could not be carried out.
type problem string

func (p problem) Error() string { return string(p) }

// call is a tool call, with its arguments as JSON text.
type call struct{ id, name, arguments string }

// args are the arguments of a tool call by name.
type args map[string]any

// answered is a call of this turn with the tool's answer.
type answered struct {
	call
	result string
}

// script is one run through the instructions of a request.
type script struct {
	offered map[string]bool // tools, by name
	past    []answered      // the turn's calls so far, in order
	at      int             // how many of them this run has reached again
	asked   []call          // calls to make now
}

// newScript reads this turn's calls from the messages after the user's request.
func newScript(tools []WireTool, since []WireMessage) *script {
	s := &script{offered: make(map[string]bool)}
	for _, t := range tools {
		s.offered[t.Function.Name] = true
	}
	results := make(map[string]string)
	for _, m := range since {
		if m.Role == "tool" {
			results[m.ToolCallID] = withoutNotes(m.Content)
		}
	}
	for _, m := range since {
		for _, c := range m.ToolCalls {
			result, ok := results[c.ID]
			if !ok {
				result = failed + "the tool did not answer"
			}
			s.past = append(s.past, answered{call{c.ID, c.Function.Name, c.Function.Arguments}, result})
		}
	}
	return s
}

// withoutNotes removes Redline's notes from the start of a tool's answer: lines in brackets,
// followed by an empty line, about what the user has decided meanwhile. No tool's own answer
// begins like that.
func withoutNotes(content string) string {
	notes, answer, ok := strings.Cut(content, "\n\n")
	if !ok || notes == "" { // a file may begin with empty lines
		return content
	}
	for line := range strings.Lines(notes) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "[") || !strings.HasSuffix(line, "]") {
			return content
		}
	}
	return answer
}

// wish is a call that an instruction wants to make.
type wish struct {
	tool string
	args args
}

// do has tools run, all in one reply, and returns their answers. It returns errWaiting if some
// have no answer yet.
func (s *script) do(wishes ...wish) ([]string, error) {
	var results []string
	for _, w := range wishes {
		if !s.offered[w.tool] {
			return nil, s.missing(w.tool)
		}
		arguments, err := json.Marshal(w.args)
		if err != nil {
			return nil, problem(err.Error())
		}
		if s.at == len(s.past) {
			id := fmt.Sprintf("builtin_%d", len(s.past)+len(s.asked)+1)
			s.asked = append(s.asked, call{id, w.tool, string(arguments)})
			continue
		}
		before := s.past[s.at]
		if before.name != w.tool || !sameJSON(before.arguments, string(arguments)) {
			return nil, problem("I lost the thread: what the tools answered before is not in the conversation any more. Ask for less at a time.")
		}
		results = append(results, before.result)
		s.at++
	}
	if len(s.asked) > 0 {
		return nil, errWaiting
	}
	return results, nil
}

// missing says that this request does not offer a tool.
func (s *script) missing(tool string) problem {
	if changes := []string{"edit_file", "write_file", "delete_file", "rename_file", "run_command"}; !s.offersAny(changes) {
		return "This needs a plan, and this mode makes none: send it as an ordinary request."
	}
	return problem(fmt.Sprintf("This needs the tool %s, which is not available for this request.", tool))
}

func (s *script) offersAny(tools []string) bool {
	for _, t := range tools {
		if s.offered[t] {
			return true
		}
	}
	return false
}

// need returns a problem for the first tool that the request does not offer, before any is used.
func (s *script) need(tools ...string) error {
	for _, t := range tools {
		if !s.offered[t] {
			return s.missing(t)
		}
	}
	return nil
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// failed starts each answer of a tool that could not do its work.
const failed = "error: "

// refusal returns a tool's reason for refusing, from its first line; ok is false if it did not
// refuse.
func refusal(result string) (why string, ok bool) {
	why, ok = strings.CutPrefix(result, failed)
	why, _, _ = strings.Cut(why, "\n")
	return strings.TrimRight(strings.TrimSpace(why), "."), ok
}
