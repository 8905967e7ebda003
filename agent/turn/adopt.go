package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/secrets"
)

// Adoption is a command that the user runs on a copy of the workspace, to decide on what it changes.
type Adoption struct {
	Line    string     // for the shell
	Cwd     string     // workspace path of its folder, "" for the root
	Goal    string     // the user's words for the plan, "" for the command line
	Include []string   // patterns of files that are carried although git ignores them
	With    trial.With // changes how it is run, nil for nothing
	Client  string

	// Many reports whether the user wants a plan of as many files; nil means that nobody can answer.
	Many func(ctx context.Context, files int) (bool, error)
}

// shown returns the command line without its secrets: it stays in the plan, the log and the trace.
func (a Adoption) shown() string { return secrets.MaskedCommand(a.Line) }

// Adopting is the name of the tool in the events of a turn that runs a command on a copy.
const Adopting = "adopt"

// maxAdopted is how many files a command may change without a question.
const maxAdopted = 2000

// Adopt runs a command on a copy of the workspace, as a turn of a new conversation, and makes a plan of
// what it has changed there. It returns the turn's id.
func (ts *Turns) Adopt(a Adoption) (turn string) {
	m := conversation.Message{Text: "adopt: " + a.shown(), New: true, Client: a.Client}
	turn, _ = ts.Conversations.Do(conversation.Request{Message: m, Goal: phrase.FirstLine(cmp.Or(a.Goal, a.shown()), 200)}, func(ctx context.Context, t *conversation.Turn) error {
		return ts.adopt(ctx, t, a)
	})
	return turn
}

func (ts *Turns) adopt(ctx context.Context, in *conversation.Turn, a Adoption) error {
	t := &turn{Turn: in, request: in.Request}
	if err := ts.Board.Follower.Refresh(ctx); err != nil {
		return err
	}
	command := trial.Command{Line: a.Line, Cwd: a.Cwd}
	t.Notify(state.Event{Kind: state.ToolCalled, Name: Adopting, Summary: "command " + a.shown()})
	found, err := ts.Trials.Capture(ctx, trial.Copy{Command: command, Texts: view.UnsavedTexts(ts.ws), Include: a.Include, With: a.With, MayBePlain: true}, trial.TellIn(in))
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return plan.Refuse(plan.NotAllowed, "%s", phrase.Sentence(phrase.TrimStop(err.Error())))
	}
	said := []string{fmt.Sprintf("Made by %s %s: %s.", programOf(a.Line), found.MadeIn(), command.Named()), found.Sentence()}
	undone := plan.Unfinished{Refused: plan.FirstNotCarried(found.NotCarried), Stopped: found.Stopped(command.Named(), "trials.memory_mb", "")}
	changed := len(found.Files) + len(found.NotCarried)
	switch {
	case changed == 0 && undone.Stopped != "":
		return plan.Refuse(plan.ApplyFailed, "%s", strings.TrimSpace(undone.Stopped+" It changed nothing. "+found.Network.Sentence()))
	case changed == 0:
		t.Update(func(r *conversation.Result) {
			r.Answer = strings.TrimSpace(command.Named() + " changed nothing. " + found.Sentence())
		})
		return nil
	}
	if err := a.many(ctx, len(found.Files)); err != nil {
		return err
	}
	t.Update(func(r *conversation.Result) { r.Unfinished = undone })
	if len(found.Files) == 0 {
		t.Update(func(r *conversation.Result) {
			r.Answer = withUndone(strings.TrimSpace(command.Named()+" changed nothing that a plan can have. "+found.Sentence()), undone)
		})
		return nil
	}
	d, err := stageAdopted(ts.ws, found.Files)
	if err != nil {
		return err
	}
	sealed, err := d.Seal(ts.revisions.liveText)
	if err != nil {
		return err
	}
	description := withUndone(strings.TrimSpace(strings.Join(append(said, sealed.Notes...), "\n\n")), undone)
	if sealed.Empty() {
		t.Update(func(r *conversation.Result) { r.Answer = description })
		return nil
	}
	n := newRevision{turn: t, draft: d, Revision: plan.Revision{
		Author: authorOf(programOf(a.Line), found), Created: ts.Session.Now().UTC(), Description: description,
		Steps: stepsOf(t, d), Unfinished: undone,
	}}.with(sealed)
	t.Update(func(r *conversation.Result) { r.Answer = description })
	return ts.revisions.keep(ctx, nil, n)
}

// authorOf returns the author of a plan that a program has made.
func authorOf(program string, found *trial.Captured) string {
	if found.Plain {
		return plan.AuthorInPlainCopy(program)
	}
	return plan.AuthorInCopy(program)
}

// many refuses a plan of many files that the user does not want.
func (a Adoption) many(ctx context.Context, files int) error {
	if files <= maxAdopted {
		return nil
	}
	if a.Many != nil {
		if yes, err := a.Many(ctx, files); err != nil || yes {
			return err
		}
		return plan.Refuse(plan.NotAllowed, "Nothing is kept of what the command changed.")
	}
	return plan.Refuse(plan.NotAllowed, "The command changed %d files, and a plan of more than %d is made only if you say so at a terminal: run it on a part of the workspace.", files, maxAdopted)
}

// programOf returns the name of the program that a command line runs first: "gofmt" for
// "cd src && GOFLAGS=-x /usr/bin/gofmt -w .".
func programOf(line string) string {
	const none = "a command"
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), "")
	if err != nil {
		return none
	}
	name := ""
	syntax.Walk(file, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if ok && name == "" && len(call.Args) > 0 {
			if word := path.Base(call.Args[0].Lit()); !slices.Contains(aside, word) && edits.VisibleLine(word) == word {
				name = word
			}
		}
		return name == ""
	})
	return phrase.ClipBytes(cmp.Or(name, none), 40)
}

// aside are commands that only prepare others; "." is a word that is not literal.
var aside = []string{
	".", "/", "cd", "set", "unset", "export", "true", "false", ":", "echo", "printf", "env", "exec", "command", "exit", "return", "test", "[", "trap", "wait", "sleep", "eval", "shift", "read", "umask", "ulimit",
}

// asFound reads the files of a workspace as a command has found them.
type asFound struct {
	*workspace.Workspace
	files map[string]workspace.File
}

func (f asFound) Read(path string) (workspace.File, error) {
	if file, ok := f.files[path]; ok {
		return file, nil
	}
	return f.Workspace.Read(path)
}

// stageAdopted stages what a command has changed, each file as an operation.
func stageAdopted(ws *workspace.Workspace, files []trial.CapturedFile) (*draft.Draft, error) {
	from := asFound{ws, map[string]workspace.File{}}
	for _, f := range files {
		from.files[f.Path] = f.Base
	}
	d := draft.New(from)
	return d, stageCaptured(d, files)
}

// stageCaptured stages what a program has changed in a draft that has what it found.
func stageCaptured(d *draft.Draft, files []trial.CapturedFile) error {
	_, err := stageIn(d, onlyStep, files)
	return err
}

// stageIn stages what a program has changed as operations of a step.
func stageIn(d *draft.Draft, step string, files []trial.CapturedFile) (all []draft.Staged, err error) {
	moves := trial.Moves(files)
	target := map[string]string{}
	for to, was := range moves {
		target[was] = to
	}
	operation := func(tool, path string, args map[string]string) (plan.Operation, error) {
		raw, err := json.Marshal(args)
		return plan.Operation{Step: step, Tool: tool, Args: raw, Path: path}, err
	}
	for _, f := range files { // first what makes room for new files
		if !f.Gone {
			continue
		}
		to, moved := target[f.Path]
		tool, args := "delete_file", map[string]string{"path": f.Path}
		if moved {
			tool, args["new_path"] = "rename_file", to
		}
		o, err := operation(tool, f.Path, args)
		if err != nil {
			return nil, err
		}
		var s draft.Staged
		if moved {
			s, err = d.Rename(f.Path, to, o)
		} else {
			s, err = d.Delete(f.Path, o)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	for _, f := range files {
		before, exists, err := d.Read(f.Path)
		if err != nil {
			return nil, err
		}
		if f.Gone || exists && before == f.Text {
			continue
		}
		tool, args := "write_file", map[string]string{"path": f.Path, "content": f.Text}
		if exists {
			tool, args = "apply_patch", map[string]string{"patch": edits.Unified("a/"+f.Path, "b/"+f.Path, before, f.Text, 3)}
		}
		o, err := operation(tool, f.Path, args)
		var s draft.Staged
		if err == nil {
			s, err = d.Adopt(f.Path, draft.File{Text: f.Text, BOM: f.BOM, Mode: uint32(f.Mode)}, o)
		}
		if err != nil {
			if _, ok := errors.AsType[*draft.Refusal](err); ok {
				err = plan.Refuse(plan.Invalid, "%s", phrase.SentenceOf(err))
			}
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
