package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/track"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Reversal undoes the applied changes of a plan to one file.
type Reversal struct {
	Change edits.Change // the change to the current file
	Hunks  []string     // ids of the undone hunks
}

// Reversing returns the reversals of the applied part of a plan: of one file if path is not "",
// and of one hunk if hunk is not "". stays names what was changed since and cannot be undone.
// The model reads the error.
type Reversing func(ctx context.Context, plan int, path, hunk string) (back []Reversal, stays []string, err error)

// Revert makes the tool that stages undoing the applied changes of a plan. It stages the calls
// of other tools that do this, so that the new plan can be staged again without the other one.
func Revert(from Reversing) Tool {
	return define(Tool{
		Name:     "revert",
		Buffered: true,
		params: buffered(
			param{name: "plan", kind: integerKind, required: true, about: "Its number."},
			param{name: "path", kind: stringKind, also: pathNames, about: "Only this file."},
			param{name: "hunk", kind: stringKind, also: []string{"hunk_id"}, about: "Only this hunk."},
		),
		run: func(ctx context.Context, env *Env, c call) Result {
			what := fmt.Sprintf("take back plan %d", c.int("plan"))
			path := c.text("path")
			if path != "" {
				clean, err := env.Workspace.Clean(path)
				if err != nil {
					return failure(what, err)
				}
				path = clean
			}
			back, stays, err := from(ctx, c.int("plan"), path, c.text("hunk"))
			if err != nil {
				return failure(what, err)
			}
			return revert(ctx, env, c, back, stays)
		},
	})
}

// revert stages reversals, and names those that cannot be staged.
func revert(ctx context.Context, env *Env, c call, back []Reversal, stays []string) Result {
	var done, left, files []string
	var r Result
	refuse := func(path, why string) {
		if !env.Again {
			env.refuse([]draft.Undone{{Refused: plan.Refused{Path: path}}}, c.tool, why)
		}
	}
	for _, b := range back {
		staged, where, err := env.stageReversal(ctx, c.step, b.Change)
		name := strings.TrimSpace(shown(b.Change.Path) + in(b.Hunks))
		switch {
		case err != nil:
			left = append(left, fmt.Sprintf("not staged: %s: %s", name, err))
			r.Refused++
			refuse(b.Change.Path, err.Error())
		case len(staged) == 0:
			done = append(done, fmt.Sprintf("nothing to do: %s is as it was before already", name))
		default:
			done = append(done, fmt.Sprintf("staged: %s%s", where, in(b.Hunks)))
			files = append(files, shown(b.Change.Path))
			r.Staged = append(r.Staged, staged...)
		}
	}
	if len(stays) > 0 {
		left = append(left, fmt.Sprintf("not staged: %s, whose text was changed since it was applied; read it, and take it back with edit_file", phrase.And(stays)))
		r.Refused++
		refuse(c.text("path"), fmt.Sprintf("the text of %s was changed since it was applied", phrase.And(stays)))
	}
	what := fmt.Sprintf("take back plan %d", c.int("plan"))
	if len(done) == 0 {
		refused := failure(what, errors.New(strings.Join(left, "\n")))
		refused.Refused = r.Refused
		return refused
	}
	r.Text = strings.Join(slices.Concat(done, left), "\n")
	if c.said != "" {
		r.Text += "\n" + c.said
	}
	r.Summary = spaced(fmt.Sprintf("%s: %s", what, strings.Join(phrase.FirstOf(files, 5, "file"), ", ")))
	if len(files) == 0 {
		r.Summary = what + ": nothing to do"
	}
	return r
}

// in returns the ids of hunks in brackets.
func in(hunks []string) string {
	if len(hunks) == 0 {
		return ""
	}
	return " (" + strings.Join(phrase.FirstOf(hunks, 20, "hunk"), ", ") + ")"
}

// aCall is a call of a tool that stages.
type aCall struct {
	tool Tool
	args map[string]any
}

// stageReversal stages the calls that make a change of the workspace's file, in the file's text
// in the draft. It stages none if the draft already has their result. where names the file and
// the lines. The model reads the error; then nothing is staged.
func (env *Env) stageReversal(ctx context.Context, step string, c edits.Change) (staged []draft.Staged, where string, err error) {
	want, ways, err := reversing(env.Draft, c)
	if err != nil || len(ways) == 0 {
		return nil, "", err
	}
	if want.exists && env.hides(want.path, want.text) {
		return nil, "", errHidden
	}
	for _, calls := range ways {
		if err = env.tryReversal(ctx, step, want, calls); err != nil {
			continue
		}
		for _, each := range calls {
			r := each.run(ctx, env.again(env.Draft, step))
			if r.IsError { // it was possible a moment ago
				return staged, "", errors.New(strings.TrimPrefix(r.Text, "error: "))
			}
			staged = append(staged, r.Staged...)
		}
		return staged, whereOf(c, staged), nil
	}
	if c.Kind == edits.Update { // the reason is about the call's text, which the model did not write
		err = errNotExact
	}
	return nil, "", err
}

// whereOf describes what staged operations do to a file, and where.
func whereOf(c edits.Change, staged []draft.Staged) string {
	path := shown(c.Path)
	switch c.Kind {
	case edits.Delete:
		return "delete " + path
	case edits.Create:
		return "create " + path
	case edits.Rename:
		path = fmt.Sprintf("rename %s to %s", path, shown(c.NewPath))
	}
	var at [2]int
	for _, s := range staged {
		if s.Lines[1] > 0 {
			if at[1] == 0 {
				at[0] = s.Lines[0]
			}
			at[1] = s.Lines[1]
		}
	}
	if at[1] == 0 {
		return path
	}
	return path + " " + lines(at)
}

// again returns the environment for calls that stage in d a text that the user has had before.
func (env *Env) again(d *draft.Draft, step string) *Env {
	return &Env{Draft: d, Workspace: env.Workspace, Named: func(string) bool { return true }, Step: step, Fixed: true, Again: true}
}

// run runs the call.
func (c aCall) run(ctx context.Context, env *Env) Result {
	raw, err := json.Marshal(c.args)
	if err != nil {
		return failure(c.tool.Name, err)
	}
	return c.tool.Run(ctx, env, raw)
}

// tryReversal tries calls in a copy of the draft. It returns nil if they make the wanted file,
// else the reason.
func (env *Env) tryReversal(ctx context.Context, step string, want wanted, calls []aCall) error {
	d := env.Draft.Fork()
	for _, each := range calls {
		switch r := each.run(ctx, env.again(d, step)); {
		case r.IsError && env.Workspace.Secret(want.path): // the reason may quote lines of it
			return errNotExact
		case r.IsError:
			return errors.New(strings.TrimPrefix(r.Text, "error: "))
		}
	}
	text, exists, err := d.Read(want.path)
	switch {
	case err != nil:
		return err
	case exists != want.exists || text != want.text:
		return errNotExact
	}
	return nil
}

// hides reports whether a model must not see a file with this text. Staged text can be read and
// searched, and here the model did not write it.
func (env *Env) hides(path, text string) bool {
	if env.Named != nil && env.Named(path) {
		return false
	}
	return env.Workspace.Secret(path) || secrets.Text(path, text)
}

var errHidden = errors.New("it may hold secrets, and what is staged can be read; tell the user, who can undo the plan itself")

var errNotExact = errors.New("it cannot be staged exactly as it was; tell the user, who can undo the plan itself")

// wanted is a file after a reversal.
type wanted struct {
	path   string
	text   string
	exists bool
}

// reversing returns the ways to make a change of the workspace's file in a draft, the best
// first; none if there is nothing to do. The draft's own edits of the file stay.
func reversing(d *draft.Draft, c edits.Change) (want wanted, ways [][]aCall, err error) {
	now, exists, err := d.Read(c.Path)
	if err != nil {
		return want, nil, err
	}
	switch {
	case c.Kind == edits.Delete && !exists, c.Kind == edits.Create && exists && now == c.Text:
		return want, nil, nil
	case c.Kind == edits.Delete && now != c.Base:
		return want, nil, errors.New("other text of it is staged; delete it with delete_file if that is wanted")
	case c.Kind == edits.Delete:
		return wanted{path: c.Path}, [][]aCall{{{deleteFile, map[string]any{"path": c.Path}}}}, nil
	case c.Kind == edits.Create && exists:
		return want, nil, errors.New("a file of this name is there now; change it with edit_file")
	case c.Kind == edits.Create:
		return wanted{c.Path, c.Text, true}, creating(c), nil
	case !exists:
		return want, nil, errors.New("it is not there any more")
	}
	es := c.Edits
	if now != c.Base {
		var conflicts []int
		if es, _, conflicts = track.Rebase(c.Base, es, now); len(conflicts) > 0 {
			return want, nil, errors.New("the same lines have other edits staged; take them back with edit_file")
		}
	}
	want = wanted{path: c.Path, exists: true}
	if want.text, err = edits.Apply(now, es); err != nil {
		return want, nil, err
	}
	var first []aCall
	if c.Kind == edits.Rename {
		want.path = c.NewPath
		first = []aCall{{renameFile, map[string]any{"path": c.Path, "new_path": c.NewPath}}}
	}
	if len(es) == 0 {
		if len(first) == 0 {
			return want, nil, nil
		}
		return want, [][]aCall{first}, nil
	}
	whole := aCall{writeFile, map[string]any{"path": want.path, "content": want.text}}
	return want, [][]aCall{slices.Concat(first, editing(want.path, now, es)), append(slices.Clip(first), whole)}, nil
}

// creating returns the ways to create a file. Only a patch can make it executable.
func creating(c edits.Change) [][]aCall {
	text := c.Text
	if c.BOM {
		text = edits.BOM + text
	}
	ways := [][]aCall{{{writeFile, map[string]any{"path": c.Path, "content": text}}}}
	if edits.NewMode(c.Mode)&0o111 == 0 || c.BOM || text == "" {
		return ways
	}
	whole := plan.Change{Path: c.Path, Action: plan.Create, Mode: c.Mode, Hunks: plan.Hunks(plan.Create, "", text, nil)}
	diff := whole.Diff("", text)
	return append([][]aCall{{{applyPatch, map[string]any{"patch": diff}}}}, ways...)
}

// editing returns a call for each edit of a text. Each includes as many lines around its own as
// it needs to occur only once.
func editing(path, text string, es []edits.Edit) (calls []aCall) {
	delta := 0
	for _, e := range es {
		e.Span = edits.Span{Start: e.Start + delta, End: e.End + delta}
		s := onlyOne(text, e.Span)
		calls = append(calls, aCall{editFile, map[string]any{
			"path": path, "old_string": text[s.Start:s.End], "new_string": text[s.Start:e.Start] + e.New + text[e.End:s.End],
		}})
		text = text[:e.Start] + e.New + text[e.End:]
		delta += len(e.New) - e.Len()
	}
	return calls
}

// onlyOne extends a span by lines on both sides until its text is not empty and occurs only
// once.
func onlyOne(text string, s edits.Span) edits.Span {
	for more := 1; ; more *= 2 {
		old := text[s.Start:s.End]
		if first := strings.Index(text, old); old != "" && strings.LastIndex(text, old) == first {
			return s
		}
		if s.Len() == len(text) {
			return s
		}
		for range more { // twice as many each time, because in a text of equal lines the span grows large before it occurs only once
			if s.Start > 0 {
				s.Start = strings.LastIndexByte(text[:s.Start-1], '\n') + 1
			}
			if n := strings.IndexByte(text[s.End:], '\n'); n >= 0 {
				s.End += n + 1
			} else {
				s.End = len(text)
			}
		}
	}
}

// Unstaging is the name of the tool that takes operations out of a draft again.
const Unstaging = "unstage"

// Unstage makes the tool that takes operations out of a draft again, for a turn that continues
// after a question. take returns the answer for the model.
func Unstage(take func(names []string) (text string, err error)) Tool {
	return define(Tool{
		Name: Unstaging,
		params: params{
			{name: "operations", kind: stringsKind, required: true, about: `Like ["n2"].`},
		},
		run: func(_ context.Context, _ *Env, c call) Result {
			names := c.strings("operations")
			if len(names) == 0 {
				return failure(c.tool, fmt.Errorf("name at least one operation"))
			}
			text, err := take(names)
			if err != nil {
				return failure(c.tool, err)
			}
			short := make([]string, len(names))
			for i, name := range names {
				short[i] = phrase.ClipBytes(name, 40)
			}
			return Result{Text: text, TakenBack: true, Summary: spaced("take out " + phrase.And(short))}
		},
	})
}
