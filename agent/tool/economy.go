package tool

import (
	"slices"

	"redline/internal/lazyregexp"
)

// The ways to edit files that a model can be offered.
const (
	EditsAuto       = "auto"        // the way that the model knows best
	EditsByText     = "edit_file"   // replacing texts or whole files
	EditsByPatch    = "apply_patch" // patches
	EditsByCommands = "text_editor" // the commands of a text editor
	EditsAll        = "all"         // all of the above
)

// Economy chooses the tools that a model is offered, since each request carries the texts of all
// of them. A model may still call the others.
type Economy struct {
	Model  string // the model's name
	Edits  string // the way to edit, one of the constants above; "" for EditsAuto
	Editor bool   // an editor is connected that can show something
	Diffs  bool   // it can also show differences in the way that it is asked to
}

// inEditor are the tools that show something to the user.
var inEditor = []string{openLocation.Name, showView.Name, setDiffMode.Name}

// ways are the tools of each way to edit. The first of each changes a part of a file. Where that
// takes every place for itself, edit_file is there too, to replace a text everywhere.
var ways = map[string][]string{
	EditsByText:     {editFile.Name, writeFile.Name, deleteFile.Name, renameFile.Name},
	EditsByPatch:    {applyPatch.Name, editFile.Name},
	EditsByCommands: {textEditor.Name, editFile.Name, deleteFile.Name, renameFile.Name},
}

// trained lists models that were trained on a way to edit, by name.
var trained = []struct {
	name func(string) bool
	way  string
}{
	{matches(`(?i)(?:^|[/.:])claude`), EditsByCommands},
	{matches(`(?i)(?:^|[/.:-])(?:codex|gpt-4\.1|gpt-[5-9])`), EditsByPatch},
}

func matches(expression string) func(string) bool {
	re := lazyregexp.New(expression)
	return func(name string) bool { return re().MatchString(name) }
}

// OfEditor reports whether the tool shows the user something in their editor.
func (t Tool) OfEditor() bool { return slices.Contains(inEditor, t.Name) }

// way returns the way to edit that the model is offered.
func (e Economy) way() string {
	if e.Edits != "" && e.Edits != EditsAuto {
		return e.Edits
	}
	for _, t := range trained {
		if t.name(e.Model) {
			return t.way
		}
	}
	return EditsByText
}

// Of returns the tools, with Unoffered set on those that the model does without. If tools lacks
// the model's way to edit, it offers all tools that edit.
func (e Economy) Of(tools []Tool) []Tool {
	way, chosen := ways[e.way()]
	if chosen {
		_, chosen = Find(tools, way[0])
	}
	out := slices.Clone(tools)
	for i := range out {
		t := &out[i]
		switch {
		case t.Name == setDiffMode.Name:
			t.Unoffered = !e.Editor || !e.Diffs
		case t.OfEditor():
			t.Unoffered = !e.Editor
		case t.Edits() && chosen && !slices.Contains(way, t.Name) && isOwn(t.Name):
			t.Unoffered = true
		case t.Name == editFile.Name && chosen && way[0] != editFile.Name:
			*t = everywhere(*t)
		}
	}
	return out
}

// everywhere describes edit_file in few words, for a model that uses it only to replace a text
// everywhere in a file. It takes the same calls.
func everywhere(t Tool) Tool {
	t.Description = "Stage the replacement of a text everywhere in a file."
	t.params = slices.Clone(t.params)
	for i := range t.params {
		p := &t.params[i]
		switch p.name {
		case "replace_all":
			p.about, p.required = "true.", true
		case stepParam.name:
		default:
			p.about = ""
		}
	}
	t.Schema = t.params.schema()
	for i := range t.params { // a call without it is taken too
		t.params[i].required = t.params[i].required && t.params[i].name != "replace_all"
	}
	return t
}

// isOwn reports whether a tool is one of the ways to edit, not a tool of a server.
func isOwn(name string) bool {
	for _, way := range ways {
		if slices.Contains(way, name) {
			return true
		}
	}
	return false
}
