package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-isatty"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trace"
	"redline/agent/turn"
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
	case state.Doing:
		if e.Name == "retry" {
			wait := time.Duration(e.Wait) * time.Millisecond
			l.line.Set(fmt.Sprintf("Asking the model again in %v (retry %d): %s", max(wait.Round(time.Second), time.Second), e.Retry, oneLine(e.Text)), "")
		}
	case state.ModelThinks:
		l.line.Set("The model is thinking", l.sofar())
	case state.ToolCalled:
		l.called(e.Name, e.Summary)
		if e.Name == turn.Adopting {
			l.line.Set(trace.Doing(e.Name, e.Summary), "")
		}
	case state.HunkStaged:
		if e.Path == "" {
			return
		}
		l.edited[e.Path] = true
		l.added, l.removed, l.sized = l.added+l.sized[0], l.removed+l.sized[1], [2]int{}
		l.line.Set("Editing "+oneLine(e.Path), l.staged())
	case state.OutsideWorks:
		if e.Step != nil {
			l.line.Set(phrase.Clip(oneLine(e.Step.Summary), 80), "")
		}
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
		l.line.Set(trace.Doing(s.Name, s.Summary), "")
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

// onTerminal is an output stream on a terminal with a status line.
type onTerminal struct {
	io.Writer
	file *os.File
}

// Fd returns the file descriptor of the terminal.
func (t onTerminal) Fd() uintptr { return t.file.Fd() }

// watched returns the streams with a status line if one of them is a terminal that
// supports it; otherwise it returns them unchanged. The line is on stderr if that is a
// terminal, so that it never gets into a pipe from stdout. The caller must close it.
func watched(s streams) streams {
	var shown *os.File
	for _, w := range []io.Writer{s.err, s.out} {
		if f, ok := w.(*os.File); ok && isTerminal(f) && shown == nil && statusline.Able(f) {
			shown = f
		}
	}
	if shown == nil {
		return s
	}
	line := statusline.New(shown, func() (int, int) { return statusline.Size(shown) }, !unicodeTerminal())
	around := func(w io.Writer) io.Writer {
		if f, ok := w.(*os.File); ok && isTerminal(f) {
			return onTerminal{line.Writer(f), f}
		}
		return w
	}
	s.out, s.err = around(s.out), around(s.err)
	s.line = line
	return s
}

// goLive makes the console show on its terminal what a turn is doing, unless no person
// watches.
func (c *console) goLive() {
	if c.line != nil && !c.json && !c.quiet {
		c.live = newLive(c.line)
		c.prose = statusline.NewStreamFolder(c.out, columnsOf(c.out))
	}
}

// endProse ends a line of the model's words that was begun.
func endProse(c *console) {
	_ = c.prose.Restart()
	c.line.Break()
}

// columnsOf returns a function that returns how many columns the terminal of a stream has, 0 for a
// stream that is none.
func columnsOf(w io.Writer) func() int {
	return func() int {
		if !isTerminal(w) {
			return 0
		}
		columns, _ := statusline.Size(file(w))
		return columns
	}
}

// folding returns a stream that breaks lines between words at the width of its terminal. What is written
// is whole: no text ends within a word.
func folding(w io.Writer) io.Writer {
	if !isTerminal(w) {
		return w
	}
	return onTerminal{statusline.NewFolder(w, columnsOf(w)), file(w)}
}

// watch shows an event of a turn when it happens, and reports whether nothing else needs
// to print it.
func (c *console) watch(e state.Event) (done bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.live.note(e)
	switch {
	case e.Kind == state.TokenArrived:
		c.hear(e.Text)
		return true
	case e.Kind == state.Traced && e.Step != nil && (e.Step.Kind == trace.Request || e.Step.Kind == trace.Tool):
		if e.Step.Kind == trace.Request {
			c.stream.End()
		}
		endProse(c) // keep the model's words above the status line
	case e.Kind == state.Noticed, e.Kind == state.TrialRan, e.Kind == state.CommandPrinted && e.Text != "":
		endProse(c)
	}
	if c.verbose && e.Kind == state.Traced && e.Step != nil {
		endProse(c)
		c.tellCall(e.Step)
		return true
	}
	return false
}

// wordPause is how long the last word is held back, in case the next piece belongs to it.
const wordPause = 100 * time.Millisecond

// hear shows the next piece of the model's reply.
func (c *console) hear(piece string) {
	if !isTerminal(c.out) {
		return
	}
	text, first := c.stream.Next(piece)
	if first && c.spoke {
		endProse(c)
		fmt.Fprintln(c.out)
	}
	c.spoke = c.spoke || first
	fmt.Fprint(c.prose, edits.Visible(text))
	if c.pause != nil {
		c.pause.Stop()
	}
	c.pause = time.AfterFunc(wordPause, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		_ = c.prose.Flush()
	})
}

// unseen returns the part of an answer that is not printed yet, and ends a line that was
// begun.
func (c *console) unseen(answer string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Set("", "")
	rest, again := c.stream.Rest(answer)
	shown := c.stream.Shown() != ""
	c.stream.Forget()
	if rest = strings.TrimRight(rest, "\n "); again || rest == "" || !shown {
		if endProse(c); again {
			fmt.Fprintln(c.out)
		}
	}
	return rest
}

// unicodeTerminal reports whether the environment says that the terminal shows characters
// beyond ASCII.
func unicodeTerminal() bool {
	locale := strings.ToLower(cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG")))
	return (locale == "" || strings.Contains(locale, "utf")) && os.Getenv("TERM") != "linux"
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && isatty.IsTerminal(f.Fd())
}

// inColour reports whether to write colours to a stream: it is a terminal that has
// colours, and NO_COLOR is not set (https://no-color.org).
func inColour(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
