package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"redline/agent/state"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/statusline"
	"redline/lsp/position"
	"redline/workspace"
	"redline/workspace/runner"
)

// console implements state.Editor for the command line: it changes files on disk and
// prints events.
type console struct {
	*workspace.Disk
	streams
	json     bool // --json: print each event as one line of JSON
	verbose  bool // print what the model reads
	quiet    bool // print nothing for people, since JSON follows
	offers   bool // ask about each edit as soon as it is staged
	tries    bool // print the output of trials
	asksNext bool // after a decision the user is asked about the commands that are left
	pages    bool // send long texts through a pager: what follows asks the user first

	lines    *bufio.Reader
	requests *lines // reads requests, between the turns; nil if there is only one
	ws       *workspace.Workspace
	seen     seenPlans

	live   *live              // the text of the status line for a turn; nil without a status line
	stream patch.Stream       // the answer so far; guarded by mu
	prose  *statusline.Folder // where the answer goes; guarded by mu; nil without a status line
	pause  *time.Timer        // flushes prose; guarded by mu
	spoke  bool               // a reply or a question was printed; guarded by mu

	mu    sync.Mutex   // keeps printed lines whole, and guards the fields below
	ended bool         // the last line is written; print no more
	calls []callResult // the results of the model's calls, in order
	usage state.Usage  // what all turns have used
}

// noteCall keeps the result of a tool call of the model, and what a turn has used. An approved command
// that starts is no call.
func (c *console) noteCall(e state.Event) {
	if u := e.Usage; e.Kind == state.TurnFinished && u != nil {
		c.mu.Lock()
		c.usage.Prompt, c.usage.Completion, c.usage.Cost = c.usage.Prompt+u.Prompt, c.usage.Completion+u.Completion, c.usage.Cost+u.Cost
		c.mu.Unlock()
	}
	if e.Kind != state.ToolCalled || e.ID != "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, callResult{Tool: e.Name, Result: e.Summary})
}

// called returns the results of the tool calls so far.
func (c *console) called() []callResult {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]callResult{}, c.calls...)
}

// positions converts positions for the JSON of the command line, which counts characters.
var positions = position.Mapper{Encoding: edits.UTF16}

// newConsole returns a console that changes the files of ws. With a nil workspace it can
// only print and ask.
func newConsole(s streams, ws *workspace.Workspace) *console {
	c := &console{streams: s, lines: bufio.NewReader(s.in), ws: ws}
	if ws != nil {
		c.Disk = workspace.NewDisk(ws)
	}
	return c
}

var _ state.Editor = (*console)(nil)

// Apply changes the files on disk.
func (c *console) Apply(ctx context.Context, changes []edits.Change, landed func(n int)) ([]edits.Applied, error) {
	return c.Disk.ApplyEach(ctx, changes, landed)
}

// Review implements state.Editor and changes nothing: a terminal has no review.
func (c *console) Review(_ context.Context, _ int, proposals []state.Proposal) ([]edits.Applied, error) {
	out := make([]edits.Applied, len(proposals))
	for i, p := range proposals {
		out[i] = edits.Applied{Path: p.Path, Status: edits.Refused, Reason: "the command line has no review of its own: approve the plan, or parts of it"}
	}
	return out, nil
}

// Show implements state.Editor and does nothing: a terminal cannot open a file.
func (c *console) Show(context.Context, state.Location) error { return nil }

// CanShow implements state.Editor: a terminal cannot show files.
func (c *console) CanShow() bool { return false }

// Follows implements state.Editor: --json prints each event.
func (c *console) Follows() bool { return c.json }

// ShowsDiffs implements state.Editor.
func (c *console) ShowsDiffs() bool { return false }

// asks reports whether there is a terminal at which a user can answer.
func (c *console) asks() bool { return isTerminal(c.in) && !c.json }

// Ask asks a question at the terminal, if there is one. The error is that of ctx: the
// user may stop the program instead of answering.
func (c *console) Ask(ctx context.Context, q state.Question) (state.EditorAnswer, error) {
	if q.Open || !c.asks() { // converse asks an open question after the turn has ended
		return state.EditorAnswer{}, nil
	}
	if q.Detail != "" {
		fmt.Fprintln(c.out)
		coloured(c.out, edits.Visible(q.Detail))
	}
	dropTyped(c)
	keys := optionKeys(q.Options)
	prompt := "\n" + c.prompt(fmt.Sprintf("%s [%s,?]?", strings.TrimRight(edits.Visible(q.Text), "? "), strings.Join(keys, ",")))
	for {
		line, err := c.ask(ctx, prompt)
		if err == nil && line == "?" {
			for i, key := range keys {
				fmt.Fprintf(c.err, "%s - %s\n", key, strings.ToLower(q.Options[i]))
			}
			continue
		}
		for _, o := range q.Options {
			if line != "" && strings.HasPrefix(strings.ToLower(o), strings.ToLower(line)) {
				return state.EditorAnswer{Choice: o}, err
			}
		}
		return state.EditorAnswer{}, err
	}
}

// confirm asks a question at the terminal, if there is one, and reports whether the answer is yes.
func (c *console) confirm(ctx context.Context, question string) (bool, error) {
	answer, err := c.Ask(ctx, state.Question{Text: question, Options: []string{"yes", "no"}})
	return err == nil && answer.Choice == "yes", err
}

// optionKeys returns the key for each answer to a question: its first letter.
func optionKeys(options []string) []string {
	keys := make([]string, len(options))
	for i, o := range options {
		keys[i] = firstKey(o)
	}
	return keys
}

// Notify prints an event.
func (c *console) Notify(e state.Event) {
	c.noteCall(e)
	if c.live != nil && c.watch(e) {
		return
	}
	switch {
	case e.Kind == state.Doing, e.Kind == state.ModelThinks: // only editors show them
	case c.json:
		c.print(positions.Event(e))
	case e.Kind == state.TrialRan && e.Trial != nil && !c.tries && !c.quiet:
		fmt.Fprintln(c.err, "· tried", triedText(e.Trial))
	case (e.Kind == state.CommandPrinted || e.Kind == state.TrialRan && c.tries) && !c.quiet:
		to := c.out
		if e.Stream == string(runner.Stderr) {
			to = c.err
		}
		fmt.Fprint(to, edits.Visible(e.Text))
	case e.Kind == state.OutsideWorks && e.Step == nil && c.verbose:
		fmt.Fprint(c.err, edits.Visible(e.Text))
	case e.Kind == state.OutsideWorks:
	case e.Kind == state.LocationAsked && !c.quiet && e.Line > 0:
		fmt.Fprintf(c.out, "See %s:%d\n", edits.Visible(e.Path), e.Line)
	case e.Kind == state.LocationAsked && !c.quiet:
		fmt.Fprintf(c.out, "See %s\n", edits.Visible(e.Path))
	case c.verbose && e.Kind == state.Traced:
		c.tellStep(e.Step)
	case e.Kind == state.TurnFinished && e.Usage != nil && (c.verbose && *e.Usage != state.Usage{} || e.Usage.Cost > 0):
		fmt.Fprintf(c.err, "· tokens: %s\n", tokens(e.Usage.Prompt, e.Usage.Completion, e.Usage.Cost))
	case e.Kind == state.Noticed && e.Error != "":
		fmt.Fprintln(c.err, "redline:", edits.Visible(e.Error))
	case e.Kind == state.Noticed:
		fmt.Fprintln(c.out, edits.Visible(e.Text))
	}
}

// print writes one value as one line of JSON.
func (c *console) print(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.encode(v)
	}
}

// end writes the last line; later events are dropped.
func (c *console) end(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.encode(v)
	c.ended = true
}

func (c *console) encode(v any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	if err == nil {
		_, err = c.out.Write(edits.VisibleJSON(text.Bytes()))
	}
	if err != nil {
		fmt.Fprintln(c.err, "redline:", err)
	}
}
