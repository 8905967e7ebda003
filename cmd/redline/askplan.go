package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// choice is the user's decision about a plan at the terminal.
type choice struct {
	answer string      // yes, no, hunks, rework or later
	words  string      // rework: what should be different
	plan   *state.Plan // the plan as last shown: the user may have edited it since the run
	verdict
}

// keysOfPlans are the answers to the question about a plan.
var keysOfPlans = []key{
	{"y", "apply it"},
	{"n", "reject it"},
	{"h", "decide hunk by hunk"},
	{"r", "say what should be different: the plan gets a new revision"},
	{"e", "edit it in your editor; what you leave is shown again"},
	{"l", "later: it waits for you, here and in your editor"},
	{"?", "print this help"},
}

// askPlan asks what to do with a plan that was shown. The error is ctx's.
func askPlan(ctx context.Context, a *agent.Agent, c *console, p *state.Plan) (choice, error) {
	dropTyped(c)
	for {
		answer, closed, err := c.read(ctx, c.planPrompt(p))
		if err != nil || closed {
			return choice{answer: "later", plan: p}, err
		}
		switch key, words := keyOf(answer); {
		case key == "y":
			return choice{answer: "yes", plan: p}, nil
		case key == "n":
			return choice{answer: "no", plan: p}, nil
		case key == "l", key == "q":
			return choice{answer: "later", plan: p}, nil
		case (key == "h" || key == "s") && !p.TextOnly:
			decided, err := askHunks(ctx, a, c, p)
			if err != nil || decided.answer != "" {
				return decided, err
			}
			p = decided.plan
		case key == "r":
			if words == "" {
				words, closed, err = c.read(ctx, c.prompt("What should be different?"))
			}
			if err != nil || closed {
				return choice{answer: "later", plan: p}, err
			}
			if words != "" {
				return choice{answer: "rework", plan: p, words: words}, nil
			}
		case key == "e" && !p.TextOnly:
			now, revised, err := editPreview(ctx, a, c, p, everything, "")
			if ctx.Err() != nil {
				return choice{plan: now}, ctx.Err()
			}
			c.sorry(err)
			if p = now; revised {
				if err := tellPlan(ctx, a, c, p); err != nil {
					return choice{plan: p}, err
				}
			}
		default:
			c.explainKeys(keysOfPlans, planKeys(p))
		}
	}
}

// planKeys lists the valid keys for a question about a plan, separated by commas.
func planKeys(p *state.Plan) string {
	if p.TextOnly {
		return "y,n,r,l,?"
	}
	return "y,n,h,r,e,l,?"
}

// planPrompt returns the question about a plan.
func (c *console) planPrompt(p *state.Plan) string {
	what := fmt.Sprintf("Work out plan %d", p.Plan)
	if !p.TextOnly {
		what = fmt.Sprintf("Apply plan %d: %s", p.Plan, summary(p))
	}
	return "\n" + c.prompt(fmt.Sprintf("%s [%s]?", what, planKeys(p)))
}

// askHunks asks about a plan hunk by hunk. The choice has no answer if there is nothing to decide.
func askHunks(ctx context.Context, a *agent.Agent, c *console, p *state.Plan) (choice, error) {
	v := a.Board.Snapshot().Plan(p.Plan)
	if v == nil || v.Revision.Hash != p.Hash {
		c.sorry(view.NotAsShown(p.Plan))
		return choice{plan: p}, nil
	}
	pieces, stale := piecesOf(v)
	tellLeft(c, stale)
	if len(pieces) == 0 {
		c.sorry(errors.New("there is no hunk to decide on now"))
		return choice{plan: p}, nil
	}
	ask := func(prompt string) (string, bool, error) { return c.read(ctx, prompt) }
	decided, err := c.byHunk(pieces, ask, func(one piece) ([]piece, error) {
		now, revised, err := editPreview(ctx, a, c, p, func(rows []string) (int, int) { return blockWith(rows, one.hunks[0]) }, helpOnHunk)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.sorry(err)
		if !revised {
			return nil, nil
		}
		v := a.Board.Snapshot().Plan(p.Plan)
		if v == nil || v.Revision.Hash != now.Hash {
			return nil, view.NotAsShown(p.Plan)
		}
		p = now
		pieces, _ := piecesOf(v)
		return pieces, nil
	})
	if err != nil {
		return choice{plan: p}, err
	}
	a.Session.Shown(p.Plan, p.Revision, p.Hash, clientName) // the user saw every hunk
	out := choice{answer: "hunks", plan: p, verdict: decided}
	switch {
	case len(decided.rejected)+len(decided.left) == 0 && stale == 0:
		out.answer = "yes"
	case len(decided.approved)+len(decided.rejected) == 0:
		out.answer = "later"
	}
	return out, nil
}

// sorry prints the error of an action, if there is one.
func (c *console) sorry(err error) {
	if err != nil {
		fmt.Fprintln(folding(c.err), "redline:", oneLine(err.Error()))
	}
}

// carryOut approves and rejects the hunks that the user decided on, and prints the
// results. d names the plan and the hash that the user saw.
func carryOut(ctx context.Context, a *agent.Agent, c *console, d view.Request, decided verdict, result *runResult) error {
	var done state.Result
	approve := func(d view.Request) error {
		r, err := approvePlan(ctx, a, c, d)
		done.Files = append(done.Files, r.Files...)
		result.Report = cmp.Or(r.report, result.Report)
		return cmp.Or(err, r.failed)
	}
	reject := func(d view.Request) error {
		_, err := a.Reject(ctx, d)
		return err
	}
	for _, part := range []struct {
		pieces []piece
		do     func(view.Request) error
	}{{decided.approved, approve}, {decided.rejected, reject}} {
		hunks, files := hunksAndFiles(part.pieces)
		for _, scope := range []view.Request{{Hunks: hunks}, {Paths: files}} {
			if len(scope.Hunks)+len(scope.Paths) == 0 {
				continue
			}
			one := d
			one.Hunks, one.Paths = scope.Hunks, scope.Paths
			if err := part.do(one); err != nil {
				return err
			}
		}
	}
	for _, p := range decided.rejected {
		if !slices.ContainsFunc(done.Files, func(f state.FileResult) bool { return f.Path == p.path }) {
			done.Files = append(done.Files, state.FileResult{Path: p.path})
		}
	}
	p, err := a.Board.PlanState(ctx, d.Plan)
	if err != nil {
		return err
	}
	result.Plan = &p
	tellFiles(c, &p, done)
	return waiting(&p)
}

// tellLater prints the commands that continue with a pending plan.
func (c *console) tellLater(kept bool, n int) {
	if !kept {
		fmt.Fprintf(folding(c.out), "\nPlan %d was not kept: ask again with --approve to apply it.\n", n)
		return
	}
	fmt.Fprintf(folding(c.out), "\nPlan %d waits for you: redline plans approve %d, or redline plans reject %d.\n", n, n, n)
}

// firstKey returns the first letter of a word, in lower case.
func firstKey(word string) string { return strings.ToLower(word[:min(1, len(word))]) }

// keyOf returns the key that an answer is, and the words after one that takes some. A sentence that only begins
// with the letter of a key is none: "you forgot the tests" is no yes.
func keyOf(answer string) (key, words string) {
	key = firstKey(answer)
	rest := strings.TrimSpace(strings.TrimPrefix(strings.ToLower(answer), key))
	switch {
	case rest == "", slices.Contains([]string{"yes", "no", "hunks", "rework", "edit", "later", "quit", "all", "split"}, key+rest):
		return key, ""
	case key == "/", key == "g" && strings.Trim(rest, "0123456789") == "", key == "r" && answer[1] == ' ':
		return key, strings.TrimSpace(answer[1:])
	}
	return "", ""
}

// mayApprove refuses --approve, before a model is asked, if the settings do not allow that
// way to approve.
func (f *runFlags) mayApprove(s config.Settings) error {
	if by, forbidden := s.Forbidden()[view.ByCommandLine]; f.approve && forbidden {
		return plan.Refuse(plan.NotAllowed, "%s does not allow --approve: leave it out, and answer the question at a terminal or approve the plan in your editor.", by)
	}
	if a := f.adopts; a != nil && a.isolation != "" && s.Trials.Isolation != a.isolation {
		return plan.Refuse(plan.NotAllowed, "The policy of this machine does not allow plain copies (trials.isolation): leave out --isolation.")
	}
	return nil
}

// confirmApproval shows what the approval covers and, where the settings require a terminal, asks
// there. It returns the approval, bound to what the user saw. yes is false if the user
// does not approve now.
func confirmApproval(ctx context.Context, a *agent.Agent, c *console, d view.Request, p *state.Plan) (_ view.Request, yes bool, err error) {
	asks := c.asks() && !c.quiet && !a.Allows(view.ByCommandLine)
	if d.Hash == "" || asks {
		if err := showSince(ctx, a, c, p); err != nil {
			return d, false, err
		}
	}
	d.Hash = cmp.Or(d.Hash, p.Hash)
	if !asks {
		return d, true, nil
	}
	yes, err = c.confirm(ctx, fmt.Sprintf("Approve these changes of plan %d?", p.Plan))
	d.Way = view.ByChoice
	return d, yes, err
}

// workedOut waits for the turn that works out an approved plan in words, and prints the
// result. The exit status is that of the plan.
func workedOut(ctx context.Context, a *agent.Agent, con *console, n int, turn string) error {
	t, err := await(ctx, a, turn)
	if err != nil {
		return err
	}
	p, err := a.Board.PlanState(ctx, n)
	if err != nil {
		return err
	}
	if text := besides(t.Answer, &p); text != "" && !con.quiet {
		fmt.Fprintln(con.out, edits.Visible(text)+"\n")
	}
	if err := showRevision(ctx, a, con, &p, ""); err != nil {
		return err
	}
	if err := a.Conversations.Failure(turn); err != nil {
		return err
	}
	return waiting(&p)
}

// besides returns the part of an answer that is not printed with the plan.
func besides(answer *string, p *state.Plan) string {
	if answer == nil {
		return ""
	}
	text := strings.TrimPrefix(*answer, p.Description)
	if p.Drift != nil {
		text = strings.Replace(text, p.Drift.String(), "", 1)
	}
	return strings.TrimSpace(text)
}

// workOutAndDecide approves a plan in words, waits for its edits, and carries out the
// user's decision on them. If f approves them without asking, only commands that f allows
// run, since the plan in words showed none.
func workOutAndDecide(ctx context.Context, a *agent.Agent, con *console, f runFlags, d view.Request, result *runResult) error {
	r, err := a.Approve(ctx, d)
	if err != nil {
		return err
	}
	t, err := await(ctx, a, r.Turn)
	if err != nil {
		return err
	}
	result.heard(t)
	p, err := a.Board.PlanState(ctx, d.Plan)
	if err != nil {
		return err
	}
	result.Plan = &p
	result.leftIn(&p)
	if !f.json {
		fmt.Fprintln(con.out)
		if err := tellResult(ctx, a, con, result); err != nil {
			return err
		}
	}
	if err := a.Conversations.Failure(r.Turn); err != nil {
		return err
	}
	if p.TextOnly || plan.State(p.State) != plan.AwaitingApproval { // no edits, or a rule has approved them
		undone := con.unfinished(result, f.approve, exitWaiting)
		return cmp.Or(waiting(&p), undone)
	}
	if f.approve && !f.commands.all {
		f.commands.none = true
	}
	return decideOnRun(ctx, a, con, &f, result)
}

// inEditor opens a text in the user's editor (VISUAL, EDITOR, or vi) and returns the
// saved text. name is the file name that the editor shows.
func (c *console) inEditor(name, text string) (string, error) {
	dir, err := os.MkdirTemp("", "redline-edit-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	editor := cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")), usual)
	release := c.line.Hold()
	defer release()
	cmd := inShell(editor, path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file(c.in), cmp.Or(file(c.out), os.Stdout), os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %s failed (%w): name another in EDITOR", editor, err)
	}
	c.line.Fresh()
	data, err := os.ReadFile(path)
	return string(data), err
}

// editPreview opens a part of a plan's preview in the user's editor, and makes a revision
// of the edited text. from and to are the lines of the part. If the text cannot be read,
// editPreview reports the error, and the user can continue editing. It returns the
// current plan; revised reports whether it has a new revision. The error is that of ctx
// or of the editor.
func editPreview(ctx context.Context, a *agent.Agent, c *console, p *state.Plan, part func(rows []string) (from, to int), help string) (now *state.Plan, revised bool, err error) {
	name := view.PreviewName(p.Plan, p.Revision)
	data, err := c.ws.Own().Read(name)
	if err != nil {
		return p, false, fmt.Errorf("the preview of plan %d cannot be read, so it cannot be edited here: %w", p.Plan, err)
	}
	rows := strings.SplitAfter(string(data), "\n")
	from, to := part(rows)
	if from >= to {
		return p, false, errors.New("this hunk is not in the preview of the plan: it is too large to be edited here")
	}
	kind := ".diff"
	if help == "" {
		kind = ".md"
	}
	text := strings.Join(rows[from:to], "")
	for {
		edited, err := c.inEditor(fmt.Sprintf("plan-%d%s", p.Plan, kind), text+help)
		if err != nil {
			return p, false, err
		}
		if help != "" {
			edited = withoutComments(edited)
		}
		if strings.TrimSpace(edited) == "" || edited == strings.Join(rows[from:to], "") {
			fmt.Fprintln(c.err, "Nothing was edited.")
			return p, false, nil
		}
		read, err := a.EditPreview(ctx, name, strings.Join(rows[:from], "")+edited+strings.Join(rows[to:], ""))
		if err != nil {
			return p, false, err
		}
		if len(read.Problems) == 0 {
			if read.Revision == 0 {
				fmt.Fprintln(c.err, "Nothing was edited.")
				return p, false, nil
			}
			now, err := a.Board.PlanState(ctx, p.Plan)
			if err == nil {
				fmt.Fprintf(c.err, "Plan %d is revision %d now.\n", now.Plan, now.Revision)
			}
			return &now, true, err
		}
		for _, problem := range read.Problems {
			fmt.Fprintf(c.err, "line %d: %s\n", problem.Line-from+1, edits.Visible(problem.Reason))
		}
		again, closed, err := c.read(ctx, c.prompt("Your edit cannot be used. Edit it again (n drops it) [y,n]?"))
		if err != nil || closed || strings.HasPrefix(strings.ToLower(again), "n") {
			return p, false, err
		}
		text = edited
	}
}

// helpOnHunk is the help that the editor shows below a hunk.
const helpOnHunk = `#
# To keep a line that begins with -, begin it with a space instead.
# To leave out a line that begins with +, remove it. New lines begin with +.
# Lines that begin with # are left out. If nothing else is left, nothing is edited.
# What you leave is shown again before it is applied.
`

func withoutComments(text string) string {
	rows := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(row string) bool { return strings.HasPrefix(row, "#") })
	return strings.Join(rows, "")
}

// blockWith returns the lines of the preview's block that contains a hunk: the first
// line, and the line after the last. Both are 0 if there is none.
func blockWith(rows []string, hunk string) (from, to int) {
	for i, row := range rows {
		_, names, ok := strings.Cut(strings.TrimPrefix(row, "@@ "), " @@ ")
		if !ok || !strings.HasPrefix(row, "@@ ") || !slices.Contains(strings.Fields(names), hunk) {
			continue
		}
		for to = i + 1; to < len(rows) && !strings.HasPrefix(rows[to], "@@ ") && !strings.HasPrefix(rows[to], "`"); to++ {
		}
		return i, to
	}
	return 0, 0
}

// everything stands for the whole preview.
func everything(rows []string) (from, to int) { return 0, len(rows) }

// tellLeft prints how many stale hunks the user was not asked about.
func tellLeft(c *console, stale int) {
	if stale > 0 {
		fmt.Fprintf(c.err, "Left out: %s whose lines were changed since.\n", phrase.Count(stale, "hunk"))
	}
}
