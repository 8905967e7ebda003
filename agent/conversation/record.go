package conversation

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/internal/phrase"
)

// Observer returns an observer that records the requests to models in a trace.
func Observer(r *trace.Recorder) *model.Observer {
	return &model.Observer{
		Asked: func(name string, req model.Request) {
			size := 0
			for _, m := range req.Messages {
				size += len(m.Content)
			}
			r.Record(trace.Step{Kind: trace.Request, Name: name, Summary: fmt.Sprintf("%d messages, %d bytes, %d tools", len(req.Messages), size, len(req.Tools))})
		},
		Called: func(c model.Call) {
			r.Record(trace.Step{Kind: trace.Tool, Name: c.Name, Summary: CallSummary(c)})
		},
		Answered: func(name string, reply model.Reply, took time.Duration, err error) {
			s := trace.Step{
				Kind: trace.Reply, Name: name, Summary: replySummary(reply), Took: took.Milliseconds(),
				Usage: &trace.Usage{Prompt: reply.Usage.Prompt, Completion: reply.Usage.Completion},
			}
			if err != nil {
				s.Error = phrase.SentenceOf(err)
			}
			r.Record(s)
		},
	}
}

// shownArguments are the arguments that a trace shows, because they say what a call is about.
// Others may be whole texts, which a trace never contains.
var shownArguments = []string{"command", "path", "new_path", "pattern", "glob", "url", "name"}

// CallSummary describes a call in one line, without the text of a file.
func CallSummary(c model.Call) string {
	var arguments map[string]any
	if json.Unmarshal([]byte(c.Arguments), &arguments) != nil {
		return fmt.Sprintf("%d bytes that are not JSON", len(c.Arguments))
	}
	var parts []string
	for _, name := range shownArguments {
		if text, ok := arguments[name].(string); ok && text != "" {
			parts = append(parts, name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

func replySummary(r model.Reply) string {
	text := fmt.Sprintf("%d bytes of text", len(r.Text))
	switch n := len(r.Calls); {
	case n == 1:
		text += ", 1 call"
	case n > 1:
		text += fmt.Sprintf(", %d calls", n)
	}
	if r.Finish == "" {
		return text + ", broken off"
	}
	return text + ", ended by " + r.Finish
}

// record records the part of an event that belongs to a trace.
func (t *Traces) record(e state.Event) {
	if e.Turn == "" || e.Kind == state.TokenArrived || e.Kind == state.Traced {
		return
	}
	r := t.Of(e.Turn)
	if r == nil {
		return
	}
	switch e.Kind {
	case state.Routed:
		r.Record(trace.Step{Kind: trace.Route, Route: e.Route, Summary: e.Summary})
	case state.ToolCalled:
		r.Record(trace.Step{Kind: trace.ToolDone, Name: e.Name, Summary: e.Summary})
	case state.HunkStaged:
		s := trace.Step{Kind: trace.Staged, Path: e.Path}
		if e.Path == "" {
			s.Summary = "to be run" // a command, which the previous step names
		}
		r.Record(s)
	case state.PlanChanged:
		if e.Plan != nil && e.Plan.Revision != 0 {
			r.Record(trace.Step{Kind: trace.Revision, Plan: e.Plan.Plan, Revision: e.Plan.Revision})
		}
	case state.QuestionAsked:
		r.Record(trace.Step{Kind: trace.Question, Summary: e.Text, Detail: strings.Join(e.Options, "\n")})
	case state.Noticed:
		r.Record(trace.Step{Kind: trace.Notice, Summary: e.Text, Error: e.Error})
	case state.TurnFinished:
		if e.Error != "" {
			r.Record(trace.Step{Kind: trace.Error, Error: e.Error})
		}
		r.End(e.State, e.Answer, e.PlanNumber)
	}
}
