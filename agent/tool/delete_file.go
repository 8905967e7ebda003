package tool

import "context"

var deleteFile = define(Tool{
	Name:     "delete_file",
	Buffered: true,
	params: buffered(
		param{name: "path", kind: stringKind, required: true, about: "The file, relative to the workspace."},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		path, err := env.Workspace.Clean(c.text("path"))
		if err != nil {
			return failure("delete "+c.text("path"), err)
		}
		s, err := env.Draft.Delete(path, c.operation())
		return staged(c, s, err)
	},
})
