package loop

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/tool"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
)

// patchTool is the tool that stages edits written into an answer.
const patchTool = "apply_patch"

// Messages to the user and the model about edits in an answer.
const (
	quotesEdits = "The answer repeats edits that were in the request or in a file. They were taken for a quotation and not staged."
	onlyAnswers = "The answer shows edits, but your message only asks a question, so nothing was staged. Ask for the change to have them staged."
	cutEdits    = "The edit of %s at the end of your answer is cut off: %s is missing. Nothing of this edit was staged. Send it again, whole: call apply_patch, or edit_file for a small part of it."
	notOffered  = "Your answer has edits written into it, which apply_patch would take, but you do not have that tool. Nothing of them was staged. Make them with the tools that you have: %s."
)

// edits returns the edits that a model has written into its answer, as calls of apply_patch. It
// leaves out quotations of what the model was shown, and descriptions of staged edits. An edit
// that cannot be staged is refused, as with calls. If quotes is true, calls in JSON are
// quotations.
func (r *run) edits(reply model.Reply, quotes bool) inText {
	tools := r.editing()
	if len(tools) == 0 {
		return inText{}
	}
	found := patch.Attempts(reply.Text)
	own := r.own(found)
	again := r.textCalls(reply, found, quotes)
	if len(found) > 0 && len(own) == 0 && again == "" && !r.staged && !r.env.Asks {
		r.notice(quotesEdits)
	}
	own = slices.DeleteFunc(own, func(a patch.Attempt) bool { return !r.isNew(a) })
	switch {
	case len(own) == 0:
		return inText{again: again}
	case r.env.Asks && !r.fits(own):
		if !r.staged {
			r.notice(onlyAnswers)
		}
		return inText{}
	case !slices.Contains(tools, patchTool):
		r.leave(own, "There is no tool for it here.")
		return inText{again: r.again(fmt.Sprintf(notOffered, strings.Join(tools, ", ")))}
	}
	in := r.asCalls(own, reply)
	if again != "" {
		in.ends, in.again = false, again
	}
	return in
}

// again returns the message to the model about edits that are not calls, "" if it has been sent
// often enough.
func (r *run) again(why string) string {
	if r.untold++; r.untold > maxBroken {
		return ""
	}
	return "error: " + why
}

// own returns the edits that are not quotations.
func (r *run) own(found []patch.Attempt) []patch.Attempt {
	if len(found) == 0 {
		return nil
	}
	return Own(found, r.shown(func(m model.Message) bool { return m.Role != model.RoleAssistant }))
}

// editing returns the names of the tools that edit files.
func (r *run) editing() []string {
	var all []string
	for _, t := range r.tools {
		if slices.Contains([]string{patchTool, "edit_file", "write_file", "text_editor"}, t.Name) {
			all = append(all, t.Name)
		}
	}
	return all
}

// fits reports whether all edits are complete search/replace blocks for existing files, which
// examples never are.
func (r *run) fits(own []patch.Attempt) bool {
	return !slices.ContainsFunc(own, func(a patch.Attempt) bool {
		if a.Form != patch.Blocks || !a.Closed || a.Path == "" {
			return true
		}
		_, exists := r.text(a.Path)
		return !exists
	})
}

// text returns a file's text in the draft; exists is false if there is no file.
func (r *run) text(name string) (text string, exists bool) {
	path, err := r.env.Workspace.Clean(name)
	if err != nil {
		return "", false
	}
	text, exists, err = r.env.Draft.Read(path)
	return text, exists && err == nil
}

// asCalls converts edits to calls. It leaves out an edit that the end of the answer cuts off.
func (r *run) asCalls(own []patch.Attempt, reply model.Reply) inText {
	in := inText{ends: true, answer: reply.Text}
	var whole []patch.Attempt
	for _, a := range own {
		if isCut(a, reply) {
			r.leave([]patch.Attempt{a}, "The answer ends before the edit does.")
			why := fmt.Sprintf(cutEdits, orFile(a.Path), endOf(a))
			if reply.Finish == model.FinishLength {
				why += inPieces
			}
			in.ends, in.again = false, r.again(why)
			continue
		}
		if !slices.ContainsFunc(whole, func(b patch.Attempt) bool { return isSame(a, b) }) {
			whole = append(whole, a)
		}
	}
	var before []map[string]string
	for _, of := range together(whole) {
		if texts := r.comesTo(of); texts != nil {
			if slices.ContainsFunc(before, func(b map[string]string) bool { return maps.Equal(texts, b) }) {
				continue // the same edit again, in another form
			}
			before = append(before, texts)
		}
		arguments, err := json.Marshal(map[string]string{"patch": patch.JoinText(of)})
		if err != nil {
			continue // text always marshals
		}
		id := fmt.Sprintf("written%d_%d", r.out.Requests, len(in.calls)+1)
		in.calls = append(in.calls, model.Call{ID: id, Name: patchTool, Arguments: string(arguments)})
		r.writes[id] = of
	}
	return in
}

// isSame reports whether two attempts are the same edit.
func isSame(a, b patch.Attempt) bool {
	return a.Form == b.Form && a.Path == b.Path && strings.TrimSpace(a.Lines) == strings.TrimSpace(b.Lines)
}

// comesTo returns the texts that edits lead to, by file; nil if they are not possible or do not
// only change files.
func (r *run) comesTo(of []patch.Attempt) map[string]string {
	files, err := patch.Parse(patch.JoinText(of))
	if err == nil {
		files, err = patch.Join(files)
	}
	if err != nil {
		return nil
	}
	texts := map[string]string{}
	for i := range files {
		f := &files[i]
		now, exists := r.text(f.Path)
		if f.Kind != edits.Update || !exists {
			return nil
		}
		es, _, err := f.Edits(now, true)
		if err != nil {
			return nil
		}
		if texts[path.Clean(f.Path)], err = edits.Apply(now, es); err != nil {
			return nil
		}
	}
	return texts
}

// together groups edits into calls by their form. Unreadable edits get their own calls, so that
// the others can still be staged.
func together(all []patch.Attempt) [][]patch.Attempt {
	type kind struct {
		form     patch.Form
		readable bool
	}
	var order []kind
	by := map[kind][]patch.Attempt{}
	for _, a := range all {
		_, err := patch.Parse(a.Text)
		k := kind{a.Form, err == nil}
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], a)
	}
	var calls [][]patch.Attempt
	for _, k := range order {
		calls = append(calls, by[k])
	}
	return calls
}

// isCut reports whether an edit is incomplete because the answer ends in it.
func isCut(a patch.Attempt, reply model.Reply) bool {
	return a.Cut || a.Last && !a.Closed && reply.IsCut()
}

// endOf returns the text that ends an edit of this form.
func endOf(a patch.Attempt) string {
	switch a.Form {
	case patch.Blocks:
		return "the line >>>>>>> REPLACE"
	case patch.BeginPatch:
		return "the line *** End Patch"
	}
	return "the end of the diff, or the line that closes its fence"
}

// orFile returns a path for a sentence, or "a file" if it is "".
func orFile(path string) string {
	switch {
	case path == "":
		return "a file"
	case len(path) > maxName:
		path = phrase.StartBytes(path, maxName)
	}
	return edits.VisibleLine(path)
}

func (r *run) notice(text string) {
	if r.hooks.Notice != nil {
		r.hooks.Notice(text)
	}
}

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
		return a.Form != patch.Unified && !r.tellsOfAny(a) || len(r.env.Draft.Operations()) == 0
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
