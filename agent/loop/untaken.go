package loop

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/agent/tool"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
)

// untaken is a file with edits in an answer that were not staged.
type untaken struct {
	path   string // a workspace path, or the name in the answer; "" if there is none
	reason string // in one line
	after  int    // how many operations that file had, or all files, when the edit was refused
	remind bool   // the model does not know that it was not staged
}

// leave records that edits were not staged.
func (r *run) leave(all []patch.Attempt, reason string) {
	for _, a := range all {
		path := a.Path
		if clean, err := r.env.Workspace.Clean(path); path != "" && err == nil {
			path = clean
		}
		r.untaken = slices.DeleteFunc(r.untaken, func(u untaken) bool { return u.path == path })
		r.untaken = append(r.untaken, untaken{path: path, reason: reason, after: r.times(path)})
	}
}

// times returns how often something was staged for a file, or for any if path is "".
func (r *run) times(path string) int {
	if path == "" {
		return r.operations
	}
	return r.touched[path]
}

// answered records the edits in an answer whose call was refused.
func (r *run) answered(c model.Call, result tool.Result) {
	of := r.writes[c.ID]
	delete(r.writes, c.ID)
	if result.IsError {
		first, _, _ := strings.Cut(strings.TrimPrefix(result.Text, "error: "), "\n")
		r.leave(of, first)
	}
}

// Limits of the files that a message names.
const (
	maxNamed = 3   // files
	maxName  = 200 // bytes of a path
)

// notTaken returns a sentence on the edits in answers that were never staged; "" for none.
func (r *run) notTaken() string {
	left := slices.DeleteFunc(slices.Clone(r.untaken), func(u untaken) bool { return r.times(u.path) > u.after })
	if len(left) == 0 {
		return ""
	}
	var names []string
	for _, u := range left[:min(maxNamed, len(left))] {
		names = append(names, orFile(u.path))
	}
	if more := len(left) - maxNamed; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("The answer holds edits that were not taken, of %s: %s", strings.Join(names, ", "), firstSentence(edits.Visible(left[0].reason)))
}

// maxReason is the length limit of a reason for the user, in bytes.
const maxReason = 300

// firstSentence returns the first sentence of a reason. The others are instructions for the
// model.
func firstSentence(reason string) string {
	if first, _, more := strings.Cut(reason, ". "); more {
		reason = first + "."
	}
	return phrase.StartBytes(reason, maxReason)
}

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

// leaveBeside records the edits that the calls beside them have not made. An edit counts as made
// if something is staged for its file later in the turn.
func (r *run) leaveBeside(all []patch.Attempt) {
	for _, a := range all {
		if r.isNew(a) {
			r.leave([]patch.Attempt{a}, notCalled)
			r.untaken[len(r.untaken)-1].remind = true
		}
	}
}

// remind returns a message to the model, once before its turn ends, that names the edits beside
// its calls that were not made; "" for none.
func (r *run) remind() string {
	var names []string
	for i := range r.untaken {
		u := &r.untaken[i]
		if u.remind && r.times(u.path) <= u.after && !slices.Contains(names, orFile(u.path)) {
			names = append(names, orFile(u.path))
		}
		u.remind = false
	}
	if len(names) == 0 {
		return ""
	}
	return r.again(fmt.Sprintf(besideEdits, strings.Join(names[:min(maxNamed, len(names))], ", ")))
}
