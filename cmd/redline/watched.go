package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"

	"redline/agent/state"
	"redline/agent/trace"
	"redline/edits"
	"redline/internal/statusline"
)

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
	}
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
		c.stream.over = c.stream.over || e.Step.Kind == trace.Request
		c.line.Break() // keep the model's words above the status line
	case e.Kind == state.Noticed, e.Kind == state.TrialRan, e.Kind == state.CommandPrinted && e.Text != "":
		c.line.Break()
	}
	if c.verbose && e.Kind == state.Traced && e.Step != nil {
		c.line.Break()
		c.tellCall(e.Step)
		return true
	}
	return false
}

// hear shows the next piece of the model's reply.
func (c *console) hear(piece string) {
	if !isTerminal(c.out) {
		return
	}
	text, first := c.stream.next(piece)
	if first && c.spoke {
		c.line.Break()
		fmt.Fprintln(c.out)
	}
	c.spoke = c.spoke || first
	fmt.Fprint(c.out, edits.Visible(text))
}

// unseen returns the part of an answer that is not printed yet, and ends a line that was
// begun.
func (c *console) unseen(answer string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Set("", "")
	rest, again := c.stream.rest(answer)
	c.stream.over = true
	shown := c.stream.shown.String()
	c.stream.shown.Reset()
	if rest = strings.TrimRight(rest, "\n "); again || rest == "" || shown == "" {
		if c.line.Break(); again {
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
