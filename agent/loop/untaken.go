package loop

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/edits"
	"redline/edits/patch"
)

// Edits in an answer that are not staged count as refused calls: the draft keeps them until
// something makes them good, see [draft.Draft.Refuse].

// leave records that edits were not staged.
func (r *run) leave(all []patch.Attempt, reason string) {
	tool.RecordInAnswer(r.env, tool.Attempted(all), edits.Visible(reason))
}

// leaveText does what leave does, for a replacement in a file that is not written as an edit.
func (r *run) leaveText(path, old, new string) {
	u := draft.Undone{Refused: plan.Refused{Path: path}}
	if old != "" || new != "" {
		u.Texts = []draft.Text{{Old: old, New: new}}
	}
	tool.RecordInAnswer(r.env, []draft.Undone{u}, isNoCall)
}

// answered records the edits in an answer whose call was refused, unless the call has.
func (r *run) answered(c model.Call, result tool.Result) {
	of := r.writes[c.ID]
	delete(r.writes, c.ID)
	if result.IsError && result.Refused == 0 {
		first, _, _ := strings.Cut(strings.TrimPrefix(result.Text, "error: "), "\n")
		r.leave(of, first)
	}
}

// Limits of the files that a message names.
const (
	maxNamed = 3   // files
	maxName  = 200 // bytes of a path
)

// isNew reports whether an edit in an answer is more than a description of a staged one: it is
// for another file, or its place is still there and unchanged. A diff that names no file, or
// does not fit, describes a place that has changed.
func (r *run) isNew(a patch.Attempt) bool {
	if a.Path == "" { // blocks and begin patches are never examples
		return a.Form != patch.Unified && !r.tellsOfAny(a) || r.env.Draft.Empty()
	}
	path, err := r.env.Workspace.Clean(a.Path)
	if err != nil || r.touched[path] == 0 && !slices.Contains(r.env.Draft.Paths(), path) {
		return true
	}
	files, err := patch.Parse(a.Text)
	if err != nil {
		return a.Form != patch.Unified
	}
	now, exists, err := r.env.Draft.Read(path)
	if err != nil || !exists {
		return false // the file was deleted or moved
	}
	before, _ := r.env.Draft.Before(path)
	r.now.Set(now)
	r.before.Set(before)
	return slices.ContainsFunc(files, func(f patch.File) bool { return !isDone(f, a.Form, &r.now, &r.before) })
}

// maxTold is how many files are searched for a block that names none.
const maxTold = 20

// tellsOfAny reports whether a block that names no file describes a staged edit.
func (r *run) tellsOfAny(a patch.Attempt) bool {
	paths := r.env.Draft.Paths()
	return a.Form == patch.Blocks && slices.ContainsFunc(paths[:min(len(paths), maxTold)], func(path string) bool {
		return !r.isNew(patch.Attempt{Form: a.Form, Path: path, Text: "`" + path + "`\n" + a.Lines})
	})
}

// isDone reports whether a patch of a file is applied already, or would change the same place in
// another way: each chunk is applied, or had its place only in the text before. A chunk of a
// unified diff counts as done if it has no place, because an example leaves out lines.
func isDone(f patch.File, form patch.Form, now, before *patch.Text) bool {
	if f.Kind != edits.Update {
		return true
	}
	for i := range f.Chunks {
		c := &f.Chunks[i]
		switch c.Standing(now, before) {
		case patch.Made:
		case patch.Open:
			return false
		default:
			if form != patch.Unified && !c.IsPlacedIn(before) {
				return false // it never had a place, and the model must be told
			}
		}
	}
	return true
}

// Messages about edits in the text of a reply that calls tools, to the model and to the user.
const (
	besideEdits = "In this turn you have written edits of %s as text beside your calls, and no call has made them: they are not staged. Call a tool for them now if they are still to be made."
	notCalled   = "They stand beside calls of tools, and no call has made them."
)

// besideCalls returns the edits in the text of a reply that calls tools. Mostly they describe
// what the calls do.
func (r *run) besideCalls(reply model.Reply) []patch.Attempt {
	if len(reply.Calls) == 0 || len(r.editing()) == 0 || r.env.Asks {
		return nil
	}
	return r.own(patch.Attempts(reply.Text))
}

// leaveBeside records the edits that the calls beside them have not made.
func (r *run) leaveBeside(all []patch.Attempt) {
	for _, a := range all {
		if r.isNew(a) {
			r.leave([]patch.Attempt{a}, notCalled)
			r.beside = true
		}
	}
}

// remind returns a message to the model, once before its turn ends, that names the edits beside
// its calls that were not made; "" for none.
func (r *run) remind() string {
	if !r.beside {
		return ""
	}
	r.beside = false
	var names []string
	for _, u := range r.env.Draft.Refused(true) {
		if u.Reason == notCalled && !slices.Contains(names, orFile(u.Path)) {
			names = append(names, orFile(u.Path))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return r.again(fmt.Sprintf(besideEdits, strings.Join(names[:min(maxNamed, len(names))], ", ")))
}
