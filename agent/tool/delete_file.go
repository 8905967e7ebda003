package tool

import "context"

var deleteFile = define(Tool{
	Name:     "delete_file",
	Buffered: true,
	params: buffered(
		pathParam,
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
