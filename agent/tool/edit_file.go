package tool

import "context"

var editFile = define(Tool{
	Name:     "edit_file",
	Buffered: true,
	params: buffered(
		param{name: "path", kind: stringKind, required: true, about: "The file, relative to the workspace."},
		param{name: "old_string", kind: stringKind, required: true, about: "The text to replace, byte for byte as it is in the file, with enough around it to be there only once; empty for a file that is new or empty."},
		param{name: "new_string", kind: stringKind, required: true, about: "The text to put in its place."},
		param{name: "replace_all", kind: booleanKind, about: "Replace every place where old_string is, instead of exactly one."},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		return replace(env, c, c.text("old_string"), c.text("new_string"), c.flag("replace_all"))
	},
})

// replace stages the replacement of a text in the file that a call names.
func replace(env *Env, c call, old, new string, all bool) Result {
	path, err := file(env, c.text("path"))
	if err != nil {
		return failure(c.tool+" "+c.text("path"), err)
	}
	s, err := env.Draft.Edit(path, old, new, all, c.operation())
	return staged(c, s, err)
}
