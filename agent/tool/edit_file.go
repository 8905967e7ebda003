package tool

import "context"

var editFile = define(Tool{
	Name:     "edit_file",
	Buffered: true,
	params: buffered(
		pathParam,
		param{name: "old_string", kind: stringKind, required: true, also: []string{"old_str", "old_text", "search", "find", "old"}, about: "As it is in the file, with enough around it to be there only once; empty for a new or empty file."},
		param{name: "new_string", kind: stringKind, required: true, also: []string{"new_str", "new_text", "replace", "replacement", "new"}},
		param{name: "replace_all", kind: booleanKind, also: []string{"allow_multiple", "all"}, about: "Replace it everywhere in the file."},
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
