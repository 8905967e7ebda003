package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
)

// What a writing call was to do is lost if the call is refused, and a model may say that it was
// done all the same. So each refused call is recorded in the draft, which knows what makes it good
// later. A patch and a reversal record their files themselves.

// recordRefusal records a call of the tool that was refused, unless there was nothing to do.
func (t Tool) recordRefusal(ctx context.Context, env *Env, raw json.RawMessage, r Result) {
	switch {
	case env.Again || !r.IsError || r.idle || r.Refused > 0 || ctx.Err() != nil:
	case env.InAnswer: // the caller knows more about such an edit
	case !t.Buffered && t.Name != Unstaging, t.Name == SubmitPlan && env.Fixed:
	default:
		env.refuse(undoneBy(t.Name, t.params, raw), t.Name, strings.TrimPrefix(r.Text, "error: "))
	}
}

// RecordWithheld records a call of a tool that the turn does not have, if the call was to change
// something: its tool is one that writes, or its arguments are a file and a text, as such a tool has them.
func RecordWithheld(env *Env, name string, raw json.RawMessage, why string) {
	t, known := Find(All(), name)
	if !known {
		t = Tool{Name: phrase.StartBytes(name, 64), params: slices.Concat(editFile.params, writeFile.params, applyPatch.params)}
	}
	all := undoneBy(t.Name, t.params, raw)
	if known && t.Stages() || !known && slices.ContainsFunc(all, func(u draft.Undone) bool { return u.Path != "" && len(u.Texts) > 0 }) {
		env.refuse(all, t.Name, why)
	}
}

// RecordInAnswer records edits of a model's answer that were not staged. Of the reason only the
// first sentence counts: the others are instructions for the model.
func RecordInAnswer(env *Env, all []draft.Undone, why string) {
	if first, _, more := strings.Cut(why, ". "); more {
		why = first + "."
	}
	env.refuse(all, plan.InAnswer, why)
}

// refuse records refused calls of a tool in the draft.
func (env *Env) refuse(all []draft.Undone, tool, why string) {
	for _, u := range all {
		name := u.Path
		for _, path := range []*string{&u.Path, &u.NewPath} {
			if clean, err := env.Workspace.Clean(*path); *path != "" && err == nil {
				*path = clean
			}
			*path = valid(phrase.ClipBytes(*path, maxRefusedPath))
		}
		u.Tool, u.Reason = tool, reasonOf(refusedFile{path: name, why: withoutAdvice(why)})
		env.Draft.Refuse(u)
	}
}

// withoutAdvice returns a refusal without what it tells the model to do, the clause after a
// semicolon that is in no quotation.
func withoutAdvice(why string) string {
	for at, rest := 0, why; ; {
		i := strings.Index(rest, "; ")
		if i < 0 {
			return why
		}
		at += i
		if before := why[:at]; strings.Count(before, "`")%2 == 0 && strings.Count(before, `"`)%2 == 0 {
			return before
		}
		at, rest = at+2, rest[i+2:]
	}
}

// undoneBy returns what a call was to do, as far as its arguments can be read; nothing for a call
// that only looks, or that was to change nothing.
func undoneBy(name string, params params, raw json.RawMessage) []draft.Undone {
	var u draft.Undone
	var as given
	if json.Unmarshal(raw, &as) != nil {
		return []draft.Undone{u}
	}
	arg := func(names ...string) (value string) {
		for _, own := range as.names() {
			if value == "" && slices.Contains(names, params.named(own)) {
				_ = json.Unmarshal(as[own], &value) // what is no text says nothing
			}
		}
		return value
	}
	u.Path = arg("path")
	old, new := arg("old_string", "old_str"), arg("new_string", "new_str", "content", "file_text", "insert_text")
	switch name {
	case textEditorName:
		if arg("command") == "view" {
			return nil
		}
	case deleteFile.Name:
		u.Deletes = true
	case renameFile.Name:
		u.NewPath = arg("new_path")
	case renameSymbol.Name: // whatever is done instead changes this file
		return []draft.Undone{u}
	case runCommand.Name:
		if new = arg("command"); strings.TrimSpace(new) != "" {
			u.Texts = []draft.Text{{New: new}}
		}
		return []draft.Undone{u}
	}
	switch text := arg("patch"); {
	case text != "":
		if all := Attempted(patch.Attempts(text)); len(all) > 0 {
			return all
		}
		u.Texts = []draft.Text{unreadText(text)}
	case old != "" && old == new:
		return nil
	case old != "" || new != "":
		u.Texts = []draft.Text{{Old: old, New: new}}
	}
	return []draft.Undone{u}
}

// Attempted returns what parts of patches were to do, for each file.
func Attempted(all []patch.Attempt) []draft.Undone {
	var out []draft.Undone
	for _, a := range all {
		i := slices.IndexFunc(out, func(u draft.Undone) bool { return u.Path == a.Path && a.Path != "" })
		if i < 0 {
			i, out = len(out), append(out, draft.Undone{Refused: plan.Refused{Path: a.Path}})
		}
		if files, err := patch.Parse(a.Text); err == nil {
			out[i] = withParts(out[i], files)
		} else if a.Lines != "" {
			out[i].Texts = append(out[i].Texts, unreadText(a.Lines))
		}
	}
	return out
}

// maxParts is how many chunks of a refused patch are compared with later edits.
const maxParts = 100

// withParts adds what the parts of a patch for one file were to do.
func withParts(u draft.Undone, files []patch.File) draft.Undone {
	for _, f := range files {
		switch {
		case f.Kind == edits.Delete:
			u.Deletes = true
			continue
		case f.Kind == edits.Rename:
			u.NewPath = f.NewPath
		case f.Text != "":
			u.Texts = append(u.Texts, draft.Text{New: f.Text})
		}
		for _, c := range f.Chunks {
			u.Texts = append(u.Texts, draft.Text{Old: c.Old, New: c.New})
		}
	}
	u.Texts = u.Texts[:min(len(u.Texts), maxParts)]
	return u
}

// unreadText returns the text of a patch that cannot be read, without its marks.
func unreadText(lines string) draft.Text {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if slices.ContainsFunc(marks, func(mark string) bool { return strings.HasPrefix(strings.TrimSpace(line), mark) }) {
			continue
		}
		if strings.HasPrefix(line, "+") || strings.HasPrefix(line, "-") {
			line = line[1:]
		}
		b.WriteString(line)
	}
	return draft.Text{New: b.String(), Either: true}
}

// marks begin the lines of a patch that are not lines of a file.
var marks = []string{"<<<", "===", ">>>", "---", "+++", "***", "@@", "```", "~~~", "diff --git "}
