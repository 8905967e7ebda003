// Package toolset adds the tools that reach beyond the user's files to those of a turn:
// fetching from the hosts that the user's settings allow, and tool servers.
package toolset

import (
	"context"
	"fmt"
	"slices"

	"redline/agent/fetch"
	"redline/agent/mcp"
	"redline/agent/tool"
)

// Reach is what models can use besides the files, as the user's settings say.
type Reach struct {
	Fetch   fetch.Config // the zero value allows no host
	Servers *mcp.Servers // nil for none
}

// String describes the hosts and the servers that models can reach.
func (r *Reach) String() string { return fmt.Sprint(r.Fetch) + r.Servers.String() }

// With returns tools with the further ones added. A turn without tools gets none. With
// puts what the added tools need into env, and calls warn for a server that cannot be used.
func (r *Reach) With(ctx context.Context, tools []tool.Tool, env *tool.Env, warn func(string)) []tool.Tool {
	return r.withServers(ctx, r.withFetch(tools, env), warn)
}

// withFetch adds fetch_url, if the user's settings allow a host and the turn has tools.
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
