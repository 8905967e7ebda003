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
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

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
