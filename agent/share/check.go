package share

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/blame"
	"redline/edits/placeholder"
	"redline/internal/lazyregexp"
)

// Limits of a file. A plan made by Redline stays far below.
const (
	maxGoal        = 4 << 10  // bytes
	maxDescription = 1 << 20  // bytes, also of a step
	maxItems       = 20_000   // steps, operations or changes of a revision, each
	maxHunks       = 200_000  // of a revision
	maxArgs        = 32 << 20 // bytes of the arguments of an operation
	maxCommand     = 64 << 10 // bytes
)

// commandTool is the tool of operations that run a command.
const commandTool = "run_command"

var (
	planID      = lazyregexp.New(`^[0-9a-f]{32}$`)
	commentID   = lazyregexp.New(`^[0-9a-z]{1,64}$`)
	operationID = lazyregexp.New(`^o[1-9][0-9]{0,8}$`)
	hunkID      = lazyregexp.New(`^h[1-9][0-9]{0,8}$`)
	stepID      = lazyregexp.New(`^[A-Za-z0-9_.-]{1,64}$`)
	matchSteps  = []string{"", "exact", "line", "line endings", "indentation", "look-alikes", "spaces", "line numbers", "end of file", placeholder.StepRestored}
)

// checker builds a revision from a file. Its errors continue a sentence that begins with "in
// revision N".
type checker struct {
	rules Rules
	texts map[plan.Blob]string

	operations map[string]bool // by operation of the checked revision; false for commands, which make no change
	hunks      map[string]bool
}

func (c *checker) revision(r *Revision) (plan.Revision, error) {
	c.operations, c.hunks = map[string]bool{}, map[string]bool{}
	out := plan.Revision{
		Author: plan.AuthorUser, Description: r.Description, TextOnly: r.TextOnly,
		Predicted: append([]string{}, r.Predicted...), Steps: r.Steps, Operations: r.Operations,
	}
	if len(r.Steps) > maxItems || len(r.Operations) > maxItems || len(r.Changes) > maxItems || len(r.Predicted) > maxItems {
		return out, fmt.Errorf("there are more than %d steps, operations or files", maxItems)
	}
	if err := bounded("the description", r.Description, maxDescription); err != nil {
		return out, err
	}
	for _, path := range r.Predicted {
		if err := c.path(path); err != nil {
			return out, err
		}
	}
	var err error
	if out.Unfinished, err = unfinished(r.Unfinished); err != nil {
		return out, err
	}
	if err = checkSteps(r.Steps); err != nil {
		return out, err
	}
	if err = c.checkOperations(r); err != nil {
		return out, err
	}
	if err := plan.CheckConditions(&out); err != nil {
		return out, err
	}
	out.Changes, err = c.changesOf(r)
	return out, err
}

func checkSteps(steps []plan.Step) error {
	ids := map[string]bool{}
	for _, s := range steps {
		if !stepID().MatchString(s.ID) || ids[s.ID] {
			return fmt.Errorf("%s is not the id of one step", short(s.ID))
		}
		ids[s.ID] = true
		for _, words := range []string{s.Description, s.Rationale, s.Risk, s.Tool} {
			if err := bounded("step "+s.ID, words, maxDescription); err != nil {
				return err
			}
		}
	}
	for _, s := range steps {
		for _, id := range s.DependsOn {
			if !ids[id] {
				return fmt.Errorf("step %s depends on %s, which is not there", s.ID, short(id))
			}
		}
		if !refersTo(s.DependsOn, ids) {
			return fmt.Errorf("step %s depends on a step twice", s.ID)
		}
	}
	return plan.CheckOrder(steps)
}

func (c *checker) checkOperations(r *Revision) error {
	steps := map[string]bool{"": true} // an operation may have no step
	for _, s := range r.Steps {
		steps[s.ID] = true
	}
	for _, o := range r.Operations {
		if _, twice := c.operations[o.ID]; twice || !operationID().MatchString(o.ID) {
			return fmt.Errorf("%s is not the id of one operation", short(o.ID))
		}
		c.operations[o.ID] = o.Tool != commandTool
		if !steps[o.Step] {
			return fmt.Errorf("operation %s belongs to step %s, which is not there", o.ID, short(o.Step))
		}
		if err := c.operation(&o); err != nil {
			return fmt.Errorf("operation %s %w", o.ID, err)
		}
	}
	return nil
}

// operation checks the call of an operation, and that the shown command is the one in its
// arguments.
func (c *checker) operation(o *plan.Operation) error {
	if !c.rules.Tool(o.Tool) {
		return fmt.Errorf("calls %s, which is no tool that a plan can have", short(o.Tool))
	}
	if len(o.Args) > maxArgs {
		return fmt.Errorf("has arguments of more than %d bytes", maxArgs)
	}
	if err := plan.CheckArgs(o.Args); err != nil {
		return errors.New("has arguments that can be read in several ways")
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(o.Args, &args); err != nil || args == nil {
		return errors.New("has arguments that are no object")
	}
	named := map[string]string{}
	for _, name := range []string{"command", "cwd", "path", "new_path"} {
		var s string
		if json.Unmarshal(args[name], &s) == nil {
			named[name] = s
		}
	}
	isCommand := o.Tool == commandTool
	switch {
	case isCommand && (strings.TrimSpace(o.Command) == "" || len(o.Command) > maxCommand || named["command"] != o.Command):
		return errors.New("does not show the command that it runs")
	case !isCommand && o.Command != "":
		return errors.New("has a command, which its tool does not run")
	}
	for _, name := range []string{o.Path, named["cwd"], named["path"], named["new_path"]} {
		if name == "" {
			continue
		}
		if _, err := c.rules.Clean(name); err != nil {
			return fmt.Errorf("names %s, which %s", short(name), reasonOf(name, err))
		}
	}
	if o.Path != "" {
		return c.path(o.Path)
	}
	return nil
}

// path checks that a path is a workspace path in Redline's spelling.
func (c *checker) path(path string) error {
	clean, err := c.rules.Clean(path)
	switch {
	case err != nil:
		return fmt.Errorf("%s %s", short(path), reasonOf(path, err))
	case clean != path || path == ".":
		return fmt.Errorf("%s is not the path of a file in the workspace", short(path))
	case c.rules.Secret(path):
		return fmt.Errorf("%s is a file that may hold secrets, which a plan of somebody else may not touch", short(path))
	}
	return nil
}

// reasonOf returns the error without the name, which the message already has.
func reasonOf(name string, err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), name), " ")
}

func (c *checker) changesOf(r *Revision) ([]plan.Change, error) {
	taken := map[string]bool{} // a path belongs to one change, as its old or its new name
	var out []plan.Change
	for i := range r.Changes {
		in := &r.Changes[i]
		target := in.Path
		if in.NewPath != "" {
			target = in.NewPath
		}
		for _, path := range []string{in.Path, target} {
			if err := c.path(path); err != nil {
				return nil, err
			}
		}
		for _, path := range []string{in.Path, target} {
			if taken[path] {
				return nil, fmt.Errorf("there are two changes of %s", short(path))
			}
		}
		taken[in.Path], taken[target] = true, true
		made, err := c.change(in)
		if err != nil {
			return nil, fmt.Errorf("the change of %s %w", short(in.Path), err)
		}
		out = append(out, made)
	}
	if len(c.hunks) > maxHunks {
		return nil, fmt.Errorf("there are more than %d hunks", maxHunks)
	}
	return out, nil
}

func (c *checker) change(in *Change) (plan.Change, error) {
	out := plan.Change{
		Path: in.Path, NewPath: in.NewPath, Action: plan.Action(in.Action), Base: plan.Blob(in.Base), Proposed: plan.Blob(in.Proposed),
		BaseExists: in.BaseExists, Mode: in.Mode, BOM: in.BOM, Operations: in.Operations, MovedBy: in.MovedBy,
	}
	if out.Action == plan.Create {
		if out.Mode != 0 { // 0: the usual mode
			out.Mode = edits.NewMode(in.Mode)
		}
	} else {
		out.Mode &^= 0o022 // an undo may give them to the file: whoever exported the plan does not say who else writes it
	}
	base, ok1 := c.texts[out.Base]
	proposed, ok2 := c.texts[out.Proposed]
	whole := out.Action == plan.Create || out.Action == plan.Delete
	switch {
	case !ok1 || !ok2:
		return out, errors.New("has a text that is not in the file")
	case int64(max(len(base), len(proposed))) > c.rules.LimitOf(in.Path):
		return out, fmt.Errorf("has a text of more than %d bytes, which is more than this file may have here", c.rules.LimitOf(in.Path))
	case in.Mode > 0o777:
		return out, errors.New("gives the file more than permission bits")
	case in.BOM && !whole:
		return out, errors.New("has a byte order mark, which only a new or deleted file can")
	case len(in.Operations) == 0 || !refersTo(in.Operations, c.operations) || !refersTo(in.MovedBy, c.operations):
		return out, errors.New("is made by operations that are not there, change no file, or are named twice")
	case (out.Action == plan.Rename) != (in.NewPath != "") || in.NewPath == in.Path:
		return out, errors.New("has a new path where it moves nothing, or none where it does")
	case in.BaseExists == (out.Action == plan.Create):
		return out, errors.New("does not fit whether there was a file")
	}
	switch out.Action {
	case plan.Create:
		ok1 = base == ""
	case plan.Delete:
		ok1 = proposed == ""
	case plan.Update:
		ok1 = base != proposed
	case plan.Rename:
	default:
		return out, fmt.Errorf("is a %s, which nothing can do to a file", short(in.Action))
	}
	if !ok1 {
		return out, errors.New("does not fit its texts")
	}
	areas, err := c.areas(in, base, proposed)
	if err != nil {
		return out, err
	}
	if whole && (len(areas) != 1 || areas[0].Old.Len() != len(base) || areas[0].New.Len() != len(proposed)) {
		return out, errors.New("is of a whole file and has to be one hunk")
	}
	out.Hunks = plan.Hunks(out.Action, base, proposed, areas)
	if len(out.Hunks) == len(in.Hunks) { // otherwise some could not be decided on separately, and were joined
		for i := range out.Hunks {
			out.Hunks[i].ID, out.Hunks[i].Match, out.Hunks[i].Operations = in.Hunks[i].ID, in.Hunks[i].Match, in.Hunks[i].Operations
		}
	}
	return out, nil
}

// areas returns the hunks of a change if they consist of whole lines of the texts and cover
// every difference.
func (c *checker) areas(in *Change, base, proposed string) (blame.Areas, error) {
	areas, makers := blame.Areas{}, setOf(in.Operations)
	atBase, atProposed := 0, 0
	same := func(toBase, toProposed int) bool {
		return toBase >= atBase && toBase <= len(base) && toProposed >= atProposed && toProposed <= len(proposed) &&
			base[atBase:toBase] == proposed[atProposed:toProposed]
	}
	for _, h := range in.Hunks {
		if !hunkID().MatchString(h.ID) || c.hunks[h.ID] {
			return nil, fmt.Errorf("has a hunk %s, which is not the id of one hunk", short(h.ID))
		}
		c.hunks[h.ID] = true
		switch {
		case !same(h.Old[0], h.New[0]):
			return nil, fmt.Errorf("has a hunk %s that is not where its texts differ", h.ID)
		case !lines(base, h.Old) || !lines(proposed, h.New):
			return nil, fmt.Errorf("has a hunk %s that is not whole lines of its texts", h.ID)
		case !isMatch(h.Match):
			return nil, fmt.Errorf("has a hunk %s that was found by %s, which is no matching step", h.ID, short(h.Match))
		case !refersTo(h.Operations, makers):
			return nil, fmt.Errorf("has a hunk %s that is made by operations of something else, or named twice", h.ID)
		}
		areas = append(areas, blame.Area{
			Old: edits.Span{Start: h.Old[0], End: h.Old[1]}, New: edits.Span{Start: h.New[0], End: h.New[1]},
			Source: blame.Source{Step: h.Match},
		})
		atBase, atProposed = h.Old[1], h.New[1]
	}
	if !same(len(base), len(proposed)) {
		return nil, errors.New("has hunks that do not lead from its base text to its proposed text")
	}
	return areas, nil
}

// refersTo reports whether all ids are in the set, each once. So no list is longer than
// the set.
func refersTo(ids []string, in map[string]bool) bool {
	return len(setOf(ids)) == len(ids) && !slices.ContainsFunc(ids, func(id string) bool { return !in[id] })
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// lines reports whether a span is within the text and consists of whole lines.
func lines(text string, span [2]int) bool {
	return span[0] >= 0 && span[0] <= span[1] && span[1] <= len(text) &&
		lineStart(text, span[0]) && (span[1] == len(text) || lineStart(text, span[1]))
}

func lineStart(text string, at int) bool {
	switch {
	case at == 0 || text[at-1] == '\n':
		return true
	case text[at-1] == '\r':
		return at == len(text) || text[at] != '\n'
	}
	return false
}

// isMatch reports whether match is a way to find a hunk, a step or two: "indentation", "exact,
// left-out lines kept".
func isMatch(match string) bool {
	first, second, two := strings.Cut(match, ", ")
	return slices.Contains(matchSteps, first) && (!two || second == placeholder.StepRestored)
}
