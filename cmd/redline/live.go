package main

import (
	"fmt"
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/internal/statusline"
)

// live derives the text of the status line from the events of a turn. Its methods must
// not run concurrently.
type live struct {
	line *statusline.Line

	read           map[string]bool // files that the model has read
	edited         map[string]bool // files with staged edits
	added, removed int             // added and removed lines that are staged
	sized          [2]int          // added and removed lines of the last call
}

func newLive(line *statusline.Line) *live {
	return &live{line: line, read: map[string]bool{}, edited: map[string]bool{}}
}

// note updates the status line for an event of the turn.
func (l *live) note(e state.Event) {
	switch e.Kind {
	case state.TurnQueued:
		l.line.Set("Waiting for "+phrase.Count(e.Place, "other turn"), "")
	case state.TurnStarted:
		*l = *newLive(l.line)
		l.line.Set("Starting", "")
	case state.Traced:
		if e.Step != nil {
			l.step(e.Step)
		}
	case state.ToolCalled:
		l.called(e.Name, e.Summary)
	case state.HunkStaged:
		if e.Path == "" {
			return
		}
		l.edited[e.Path] = true
		l.added, l.removed, l.sized = l.added+l.sized[0], l.removed+l.sized[1], [2]int{}
		l.line.Set("Editing "+oneLine(e.Path), l.staged())
	case state.TrialRan:
		if e.Trial != nil {
			l.line.Set("Reading the result", "")
		}
	case state.PlanChanged:
		l.plan(e)
	case state.QuestionAsked, state.TurnFinished:
		l.line.Set("", "")
	}
}

// step updates the status line for a step of the turn's trace.
func (l *live) step(s *trace.Step) {
	switch s.Kind {
	case trace.Request, trace.PlannerRequest:
		l.line.Set("Waiting for the model", l.sofar())
	case trace.Tool, trace.SpecialistTool:
		l.line.Set(doing(s.Name, s.Summary), "")
	case trace.Specialist:
		if s.Summary != "" {
			l.line.Set(oneLine(s.Summary), "")
		}
	}
}

// called counts the result of a call.
func (l *live) called(name, summary string) {
	if m := sizes().FindStringSubmatch(summary); m != nil {
		l.sized[0], _ = strconv.Atoi(m[1]) // 0 for "", when the summary has no size
		l.sized[1], _ = strconv.Atoi(m[2])
	}
	if path, ok := strings.CutPrefix(summary, "read "); ok && name == "read_file" {
		path, _, _ = strings.Cut(path, " ")
		l.read[path] = true
	}
}

// plan shows which part of a plan is being carried out.
func (l *live) plan(e state.Event) {
	if e.Plan == nil || e.Plan.State != string(plan.Executing) {
		return
	}
	for _, c := range e.Plan.Commands {
		if c.Status == string(plan.CommandRunning) {
			l.line.Set("Running `"+phrase.Clip(oneLine(c.Command), 60)+"`", "")
			return
		}
	}
	l.line.Set(fmt.Sprintf("Applying plan %d", e.Plan.Plan), "")
}

// sofar summarizes the turn so far: "3 files read, 2 edited, +3 −3".
func (l *live) sofar() string {
	var parts []string
	if n := len(l.read); n > 0 {
		parts = append(parts, phrase.Count(n, "file")+" read")
	}
	if len(l.edited) > 0 {
		parts = append(parts, l.staged()+" staged")
	}
	return strings.Join(parts, "; ")
}

// staged returns the size of what is staged: "2 files, +3 −3".
func (l *live) staged() string {
	return fmt.Sprintf("%s, +%d −%d", phrase.Count(len(l.edited), "file"), l.added, l.removed)
}

// sizes matches the added and removed lines at the end of a call's summary: "edit a.go +2
// −1".
var sizes = lazyregexp.New(` (?:\+(\d+))? ?(?:−(\d+))?$`)

// verbs describe the calls of each tool; %s is the object of the call.
var verbs = map[string]string{
	"read_file": "Reading %s", "list_files": "Listing %s", "search": "Searching for %s", "outline": "Reading the outline of %s",
	"edit_file": "Editing %s", "apply_patch": "Editing %s", "text_editor": "Editing %s", "write_file": "Writing %s",
	"delete_file": "Removing %s", "rename_file": "Renaming %s", "run_command": "Planning to run `%s`", "try_command": "Trying `%s`",
	"fetch_url": "Fetching %s", "git_log": "Reading the history of %s", "git_diff": "Comparing %s", "git_blame": "Asking who changed %s",
	"submit_plan": "Planning the steps", "ask_user": "Asking you", "unstage": "Taking an edit out", "revert": "Taking %s back",
}

// objects are the objects of calls that name none.
var objects = map[string]string{"list_files": "the files", "search": "a text", "git_log": "the project", "git_diff": "the files"}

// doing describes a tool call in words: "Reading a.go". summary is that of the trace:
// "path a.go, pattern x".
func doing(name, summary string) string {
	verb, known := verbs[name]
	if !known {
		return "Calling " + oneLine(phrase.Clip(name, 40))
	}
	if !strings.Contains(verb, "%s") {
		return verb
	}
	what := objects[name]
	want := []string{"command ", "url ", "pattern ", "path ", "glob ", "new_path "}
	if name == "search" {
		want = []string{"pattern "}
	}
	found := false
	for _, kind := range want {
		if at := strings.Index(", "+summary, ", "+kind); at >= 0 && !found {
			what, found = summary[at+len(kind):], true
			if kind != "command " {
				what, _, _ = strings.Cut(what, ", ")
			}
		}
	}
	if what == "" {
		what = "files"
	}
	return fmt.Sprintf(verb, phrase.Clip(edits.VisibleLine(what), 60))
}
