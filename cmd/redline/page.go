package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/store"
	"redline/edits"
	"redline/internal/phrase"
	"redline/internal/smallfile"
	"redline/internal/statusline"
)

// pageOf is a page for a stream, with colours if the stream shows them. What is written with Write breaks
// between words at the width of a terminal; what is written with WriteString, such as a diff, stays as it is.
type pageOf struct {
	bytes.Buffer
	to    io.Writer
	prose *statusline.Folder
}

// Write implements [io.Writer].
func (w *pageOf) Write(p []byte) (int, error) {
	if w.prose == nil {
		w.prose = statusline.NewFolder(&w.Buffer, columnsOf(w.to))
	}
	return w.prose.Write(p)
}

// bold returns a heading in bold.
func (w *pageOf) bold(text string) string {
	if inColour(w.to) {
		return sgr(sgrHeader, text)
	}
	return text
}

// size returns the added and removed lines of a file, for a terminal: " +3 −1".
func (w *pageOf) size(added, removed int) (text string) {
	if !isTerminal(w.to) {
		return ""
	}
	for _, part := range []struct {
		n            int
		sign, colour string
	}{{added, "+", sgrAdded}, {removed, "−", sgrRemoved}} {
		switch count := fmt.Sprintf("%s%d", part.sign, part.n); {
		case part.n == 0:
		case inColour(w.to):
			text += " " + sgr(part.colour, count)
		default:
			text += " " + count
		}
	}
	return text
}

// heading starts a section of the page.
func (w *pageOf) heading(text string) { fmt.Fprintf(w, "\n%s\n", w.bold(text)) }

// show prints a plan as a page, through a pager if it is long: goal and state, steps,
// files, commands and diff. Hashes and ids, which only programs need, come last.
func (c *console) show(p *state.Plan, diff, next string) {
	w := &pageOf{to: c.out}
	w.title(p)
	if title, goal := titleOf(p); !strings.HasSuffix(title, goal) {
		fmt.Fprintf(w, "\n%s\n", goal)
	}
	if p.Description != "" {
		fmt.Fprintf(w, "\n%s\n", edits.Visible(p.Description))
	}
	if p.Drift != nil || len(p.Predicted) > 0 && p.TextOnly {
		fmt.Fprintln(w)
		expected(w, p)
	}
	w.shared(p)
	w.steps(p)
	w.files(p)
	w.problems(p)
	w.commands(p)
	w.revisions(p)
	w.comments(p)
	if diff != "" {
		w.heading("Changes")
		w.WriteString(colours(c.out, diff))
	}
	if next != "" {
		w.heading("Next")
		fmt.Fprint(w, next)
	}
	if p.Rating != 0 {
		fmt.Fprintf(w, "\nrated %d of 5", p.Rating)
	}
	fmt.Fprintf(w, "\nconversation %s\nhash %s\n", edits.Visible(p.Conversation), p.Hash)
	c.paged(w.String())
}

// title writes the title of a plan, and how it stands.
func (w *pageOf) title(p *state.Plan) {
	title, _ := titleOf(p)
	fmt.Fprintln(w, w.bold(title))
	fmt.Fprintf(w, "%s, revision %d, %s\n", words(p.State), p.Revision, summary(p))
}

// How many characters the title of a plan has at most: a line of a narrow terminal, and in a list
// what is left of one.
const (
	titleWidth  = 79
	listedTitle = 60
)

// titleOf returns the title of a plan, and its whole goal, each on one line.
func titleOf(p *state.Plan) (title, goal string) {
	goal = edits.Visible(phrase.OneLine(p.Goal))
	return phrase.ClipWords(fmt.Sprintf("Plan %d: %s", p.Plan, goal), titleWidth), goal
}

// listed returns the title of a plan in a list, from its goal.
func listed(goal string) string {
	return phrase.ClipWords(edits.Visible(phrase.OneLine(goal)), listedTitle)
}

// steps writes the steps of a plan, unless they only repeat its goal.
func (w *pageOf) steps(p *state.Plan) {
	if len(p.Steps) == 0 || len(p.Steps) == 1 && strings.TrimSpace(p.Steps[0].Description) == strings.TrimSpace(p.Goal) {
		return
	}
	w.heading("Steps")
	for i, s := range p.Steps {
		fmt.Fprintf(w, "%d. %s: %s\n", i+1, oneLine(s.Description), words(s.Status))
		for _, more := range [][2]string{{"why", s.Rationale}, {"risk", s.Risk}, {"after", strings.Join(stepsNamed(p, s.DependsOn), ", ")}} {
			if more[1] != "" {
				fmt.Fprintf(w, "   %s: %s\n", more[0], oneLine(more[1]))
			}
		}
	}
}

// stepsNamed returns the numbers of steps in the list.
func stepsNamed(p *state.Plan, ids []string) (all []string) {
	for i, s := range p.Steps {
		if slices.Contains(ids, s.ID) {
			all = append(all, fmt.Sprintf("step %d", i+1))
		}
	}
	return all
}

// commandsNamed returns the command lines of commands.
func commandsNamed(p *state.Plan, ids []string) (all []string) {
	for _, c := range p.Commands {
		if slices.Contains(ids, c.ID) {
			all = append(all, commandText(plan.CommandIn(c.Command, c.Cwd)))
		}
	}
	return all
}

// files writes the files of a plan with their hunks.
func (w *pageOf) files(p *state.Plan) {
	if len(p.Files) > 0 {
		w.heading("Files")
	}
	for _, f := range p.Files {
		fmt.Fprintf(w, "%-8s %s%s: %s\n", f.Action, fileName(&f), w.size(f.Added, f.Removed), fileStatus(&f))
		if f.Mode != "" && f.Action == string(plan.Create) {
			fmt.Fprintf(w, "  executable (%s)\n", f.Mode)
		}
		if f.OtherNames > 0 {
			fmt.Fprintf(w, "  %s\n", otherNames(&f))
		}
		if f.Syntax != "" {
			fmt.Fprintf(w, "  does not parse as proposed: %s\n", edits.Visible(f.Syntax))
		}
		for i, h := range f.Hunks {
			fmt.Fprintf(w, "  %-4s line %d, +%d −%d: %s%s\n", h.ID, f.Line(i)+1, h.Added, h.Removed, h.Status, because(h.Reason))
		}
	}
}

// commands writes the commands of a plan and its trials.
func (w *pageOf) commands(p *state.Plan) {
	if len(p.Commands)+len(p.Trials) > 0 || p.Untried != "" {
		w.heading("Commands")
	}
	for _, cmd := range p.Commands {
		beside := ""
		if len(cmd.Alongside) > 0 {
			beside = ", at the same time as " + phrase.And(commandsNamed(p, cmd.Alongside))
		}
		if cmd.Status == string(plan.CommandPending) {
			beside += " (--operation " + cmd.ID + ")"
		}
		fmt.Fprintf(w, "command  %s%s\n", commandAndResult(&cmd), beside)
		if output := strings.TrimRight(cmd.Output, "\r\n"); output != "" && cmd.Status == string(plan.CommandFailed) {
			w.WriteString(phrase.Indent(edits.Visible(output) + "\n"))
		}
	}
	for i := range p.Trials {
		fmt.Fprintln(w, triedLine(&p.Trials[i]))
	}
	if p.Untried != "" {
		fmt.Fprintln(w, untriedLine(p))
	}
}

// revisions lists the revisions of a plan that has several.
func (w *pageOf) revisions(p *state.Plan) {
	if len(p.Revisions) < 2 {
		return
	}
	w.heading("Revisions")
	for _, r := range p.Revisions {
		note := ""
		if r.Note != "" {
			note = ": " + edits.Visible(r.Note)
		}
		author := r.Author
		if author == plan.AuthorModel || author == plan.AuthorUser {
			author = "the " + author
		}
		fmt.Fprintf(w, "revision %d by %s, %s%s\n", r.Revision, author, r.Created, note)
	}
}

// shared says what came from elsewhere.
func (w *pageOf) shared(p *state.Plan) {
	if p.Shared == nil {
		return
	}
	w.heading("From elsewhere")
	for _, sentence := range p.Shared.Said {
		fmt.Fprintln(w, oneLine(sentence))
	}
}

// comments lists what reviewers say about lines of a plan.
func (w *pageOf) comments(p *state.Plan) {
	if len(p.Comments) > 0 {
		w.heading("Comments")
	}
	for _, c := range p.Comments {
		line, author, sent := "line", oneLine(c.Author), ""
		if c.Side == plan.OldSide {
			line = "old line"
		}
		if c.Author == plan.AuthorUser {
			author = "you"
		}
		if c.Done {
			sent = ", sent with a rework"
		}
		fmt.Fprintf(w, "%s, %s %d of revision %d, by %s%s:\n", oneLine(c.Path), line, c.Line, c.Revision, author, sent)
		w.WriteString(phrase.Indent(edits.Visible(c.Text) + "\n"))
	}
}

// showRevision prints the revision to which an approval without a hash applies, and what can be done
// next, "" for nothing.
func showRevision(ctx context.Context, a *agent.Agent, c *console, p *state.Plan, next string) error {
	if c.quiet {
		return nil
	}
	diff, err := a.Diff(ctx, p.Plan)
	if err != nil {
		return err
	}
	c.show(p, edits.Visible(diff), next)
	noteShown(a, c, p)
	return nil
}

// noteShown notes that the current revision of a plan was printed.
func noteShown(a *agent.Agent, c *console, p *state.Plan) {
	a.Session.Shown(p.Plan, p.Revision, p.Hash, clientName)
	c.seen.note(p)
}

// showSince prints what has changed in a plan since a terminal printed it last, and its commands;
// all of it if none did.
func showSince(ctx context.Context, a *agent.Agent, c *console, p *state.Plan) error {
	from := c.seen.revision(p)
	if from == 0 || c.quiet {
		return showRevision(ctx, a, c, p, "")
	}
	w := &pageOf{to: c.out}
	w.title(p)
	if from != p.Revision {
		compared, err := a.Compare(ctx, p.Plan, from, p.Revision)
		if err != nil {
			return err
		}
		w.heading(fmt.Sprintf("Changed since revision %d, which was shown", from))
		w.comparison(&compared)
	}
	w.problems(p)
	w.commands(p)
	if from == p.Revision {
		fmt.Fprintf(w, "\nas it was shown: redline plans diff %d prints the changes again\n", p.Plan)
	}
	fmt.Fprintf(w, "hash %s\n", p.Hash)
	c.paged(w.String())
	noteShown(a, c, p)
	return nil
}

// next returns the commands that can be run on a plan, one per line; "" for none.
func next(p *state.Plan) string {
	var rows [][2]string
	switch stands := plan.State(p.State); {
	case stands == plan.Failed:
		rows = [][2]string{{"rework %d", "have the model fix it"}, {"approve %d", "try again"}}
	case stands.Open() && p.TextOnly:
		rows = [][2]string{{"approve %d", "work out its edits"}, {"reject %d", "drop it"}}
	case stands.Open():
		rows = [][2]string{{"approve %d", "apply it"}, {"reject %d", "drop it"}, {"rework %d TEXT", "say what to change"}}
		if pendingCommand(p) != nil {
			rows = slices.Insert(rows, 1, [2]string{"approve %d --allow-commands", "apply it and run its commands"})
		}
	}
	if p.Undoable {
		rows = append(rows, [2]string{"undo %d", "take back what was applied"})
	}
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "redline plans %-*s  %s\n", len("approve 1 --allow-commands"), fmt.Sprintf(row[0], p.Plan), row[1])
	}
	return text.String()
}

// seenPlans remembers which revision of a plan a terminal printed last, so that an approval
// prints only what has changed since. It is a convenience: a file that cannot be read or written
// makes an approval print the whole plan.
type seenPlans struct {
	file      string // "" to remember nothing
	workspace string
}

// seenRevision is a revision that was printed.
type seenRevision struct {
	Revision int    `json:"revision"`
	Hash     string `json:"hash"`
}

// Limits of the file: its bytes, and how many plans of all workspaces it has. It is read and written
// whole whenever a plan is printed: with 1,000 plans that took a millisecond of a turn's 14.
const (
	maxSeenFile  = 1 << 20
	maxSeenPlans = 200
)

func seenIn(stateDir, workspace string) seenPlans {
	return seenPlans{filepath.Join(stateDir, store.SeenName), workspace}
}

func (s seenPlans) key(n int) string { return s.workspace + "\x00" + strconv.Itoa(n) }

func (s seenPlans) read() map[string]seenRevision {
	all := map[string]seenRevision{}
	text, err := smallfile.Read(s.file, maxSeenFile)
	if err != nil || len(text) > maxSeenFile || json.Unmarshal([]byte(text), &all) != nil {
		return map[string]seenRevision{}
	}
	return all
}

// revision returns the revision of a plan that was printed last, 0 for none. A revision with
// another hash than the plan's was not of this plan.
func (s seenPlans) revision(p *state.Plan) int {
	if s.file == "" {
		return 0
	}
	return s.revisionIn(s.read(), p)
}

// revisionIn is like revision, but looks it up in the contents of the file.
func (s seenPlans) revisionIn(all map[string]seenRevision, p *state.Plan) int {
	seen := all[s.key(p.Plan)]
	for _, r := range p.Revisions {
		if r.Revision == seen.Revision && r.Hash == seen.Hash {
			return r.Revision
		}
	}
	return 0
}

// note remembers that the current revision of a plan was printed.
func (s seenPlans) note(p *state.Plan) {
	if s.file == "" {
		return
	}
	all := s.read()
	if s.revisionIn(all, p) == p.Revision {
		return
	}
	if len(all) >= maxSeenPlans {
		clear(all)
	}
	all[s.key(p.Plan)] = seenRevision{p.Revision, p.Hash}
	if data, err := json.Marshal(all); err == nil {
		_ = smallfile.Replace(s.file, data, nil)
	}
}
