package tool

import "context"

// Views are the pages that show_view can show.
var Views = []string{"plan", "chat"}

var showView = define(Tool{
	Name: "show_view",
	params: params{
		{name: "view", kind: stringKind, required: true, oneOf: Views, about: "plan: the preview of this conversation's plan. chat: the conversation."},
	},
	run: func(_ context.Context, env *Env, c call) Result {
		view := c.text("view")
		return show(env, "show the "+view, func(e Editor) error { return e.ShowView(view) })
	},
})
