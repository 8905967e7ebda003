package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/internal/phrase"
)

// Remote is a tool of a tool server that the user has configured.
type Remote struct {
	Name        string
	Description string          // for the model
	Schema      json.RawMessage // the schema of the arguments
}

// Looking makes a tool that runs at once. look asks the server; its answer for the model must be
// fenced and limited in size, because it is data. The caller must ensure that look cannot change
// anything.
func Looking(r Remote, look func(ctx context.Context, name string, arguments json.RawMessage) (text string, isError bool)) Tool {
	return Tool{Name: r.Name, Description: r.Description, Schema: r.Schema, OfServer: true, run: func(ctx context.Context, _ *Env, c call) Result {
		text, isError := look(ctx, r.Name, c.raw)
		if len(text) > MaxResult {
			text = strings.ToValidUTF8(text[:MaxResult], "")
		}
		return Result{Text: text, IsError: isError, Summary: "ask " + r.Name}
	}}
}

// Buffered makes a tool whose calls are staged as commands, to run after approval. line formats
// a call for the user. Nothing here can run one.
func Buffered(r Remote, line func(name string, arguments json.RawMessage) (string, error)) Tool {
	return Tool{Name: r.Name, Description: r.Description, Schema: r.Schema, OfServer: true, Buffered: true, commands: true, run: func(_ context.Context, env *Env, c call) Result {
		if len(bytes.TrimSpace(c.raw)) == 0 {
			c.raw = json.RawMessage("{}")
		}
		shown, err := line(r.Name, c.raw)
		if err != nil {
			return failure(r.Name, err)
		}
		s, err := env.Draft.Command(shown, "", plan.Operation{Step: c.step, Tool: r.Name, Args: c.raw})
		if err != nil {
			return failure(r.Name, err)
		}
		return Result{
			Text:    "staged: " + phrase.ClipBytes(spaced(shown), maxListing) + "\nIt is called after the user has approved it; its answer is not known in this turn.",
			Summary: CommandSummary(shown, ""), Staged: []draft.Staged{s},
		}
	}}
}

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
