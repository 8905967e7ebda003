package tool

import "context"

var renameFile = define(Tool{
	Name:     "rename_file",
	Buffered: true,
	params: buffered(
		param{name: "path", kind: stringKind, required: true, also: append([]string{"old_path", "source", "source_path", "from", "old_name", "src"}, pathNames...)},
		param{name: "new_path", kind: stringKind, required: true, also: []string{"destination", "destination_path", "target", "target_path", "to", "new_name", "dst", "dest"}},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		fail := func(err error) Result { return failure("rename "+c.text("path"), err) }
		// A secret could be read under another name.
		path, err := file(env, c.text("path"))
		if err != nil {
			return fail(err)
		}
		newPath, err := env.Workspace.Clean(c.text("new_path"))
		if err != nil {
			return fail(err)
		}
		s, err := env.Draft.Rename(path, newPath, c.operation())
		return staged(c, s, err)
	},
})
