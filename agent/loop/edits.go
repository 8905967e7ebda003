package loop

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"redline/agent/model"
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
