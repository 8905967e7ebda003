package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/agent/toolset"
	"redline/internal/phrase"
)

// toolFindings starts each configured tool server, as a turn would, and lists its tools.
func toolFindings(ctx context.Context, set *setup, workspace string) []finding {
	var findings []finding
	for _, server := range set.settings.ToolServers {
		f := finding{what: "tools", found: server.Name + ": " + server.About()}
		tools, err := toolsOf(ctx, server, workspace)
		if err != nil {
			f.advice = fmt.Sprintf("%s: check [mcp.%s] in %s", strings.TrimSuffix(err.Error(), "."), server.Name, set.settings.File)
		} else {
			looks := 0
			for _, t := range tools {
				if t.ReadOnly {
					looks++
				}
			}
			f.found += fmt.Sprintf(", %s, %d of them called without asking", phrase.Count(len(tools), "tool"), looks)
		}
		findings = append(findings, f)
	}
	return findings
}

func toolsOf(ctx context.Context, server toolset.Server, workspace string) ([]toolset.ServerTool, error) {
	servers := toolset.NewServers([]toolset.Server{server}, toolset.ServerOptions{Workspace: func() string { return workspace }})
	defer servers.Close()
	tools, problems := servers.Tools(ctx)
	if len(problems) > 0 {
		problem, _, _ := strings.Cut(problems[0], ". Its tools ")
		return nil, errors.New(problem)
	}
	return tools, ctx.Err()
}
