package tool

import (
	"context"
	"errors"
	"fmt"

	"redline/internal/phrase"
)

// Fetched is a text from the network.
type Fetched struct {
	URL  string // after redirects
	Type string // its media type, "" if unknown
	Text string // UTF-8; of HTML, the visible text
	Cut  bool   // the text was cut at the limit
}

// FetchURL returns the tool that gets texts from the network. It is offered only if [Env] has
// a Fetch function, because the user's settings allow a host.
func FetchURL() Tool { return fetchURL }

var fetchURL = define(Tool{
	Name: "fetch_url",
	params: params{
		{name: "url", kind: stringKind, required: true, about: "The address, https://…"},
		charsParam,
	},
	run: func(ctx context.Context, env *Env, c call) Result {
		what := "fetch " + phrase.ClipBytes(c.text("url"), 200)
		if env.Fetch == nil {
			return failure(what, errors.New("the user allows no host; continue without it"))
		}
		page, err := env.Fetch(ctx, c.text("url"))
		if err != nil {
			return failure(what, err)
		}
		head := fmt.Sprintf("[%s, %d bytes, data from outside]\n", spaced(page.URL), len(page.Text))
		r := Result{
			Text:    head + phrase.ClipBytes(page.Text, MaxResult-len(head)-16),
			Summary: spaced(fmt.Sprintf("%s: %d bytes", what, len(page.Text))),
		}
		if page.Cut {
			r.Text += "\n… cut"
		}
		return c.withinChars(r)
	},
})
