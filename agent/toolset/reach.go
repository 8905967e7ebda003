// Package toolset adds what a model can reach besides the user's files to the tools of a
// turn: hosts that the user's settings allow, and tool servers.
package toolset

import (
	"context"
	"slices"

	"redline/agent/fetch"
	"redline/agent/mcp"
	"redline/agent/tool"
)

// Reach is what models can ask besides the files, as the user has set it.
type Reach struct {
	Fetch   fetch.Config // the zero value allows no host
	Servers *mcp.Servers // nil for none
}

// With returns the tools of a turn with those that reach further. A turn without tools
// stays so. env gets what these tools need. warn tells the user of a server that cannot be
// used.
func (r *Reach) With(ctx context.Context, tools []tool.Tool, env *tool.Env, warn func(string)) []tool.Tool {
	return r.withServers(ctx, r.withFetch(tools, env), warn)
}

// withFetch adds the tool that fetches, if the user's settings allow a host and
// there are tools at all.
func (r *Reach) withFetch(tools []tool.Tool, env *tool.Env) []tool.Tool {
	if len(tools) == 0 || !r.Fetch.Allowed() {
		return tools
	}
	fetcher := fetch.New(r.Fetch)
	env.Fetch = func(ctx context.Context, url string) (tool.Fetched, error) {
		page, err := fetcher.Fetch(ctx, url)
		return tool.Fetched(page), err
	}
	return append(slices.Clip(tools), tool.FetchURL())
}
