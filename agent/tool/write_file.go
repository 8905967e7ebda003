package tool

import "context"

var writeFile = define(Tool{
	Name:     "write_file",
	Buffered: true,
	params: buffered(
		pathParam,
		param{name: "content", kind: stringKind, required: true, also: []string{"contents", "file_text", "text", "file_content", "file_contents"}, about: "The whole text of the file."},
	),
	run: func(_ context.Context, env *Env, c call) Result { return write(env, c, c.text("content")) },
})

// write stages content as the whole text of the file that a call names.
func write(env *Env, c call, content string) Result {
	path, err := env.Workspace.Clean(c.text("path"))
	if err != nil {
		return failure(c.tool+" "+c.text("path"), err)
	}
	s, err := env.Draft.Write(path, content, c.operation())
	return staged(c, s, err)
}
