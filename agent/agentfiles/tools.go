package agentfiles

import (
	"slices"

	"redline/agent/mcp"
	"redline/agent/specialists"
	"redline/agent/tool"
)

// ofTheTurn are tools that concern a turn as a whole: the steps of a plan by
// specialists are the specialists. Agent files do not say who may ask the user: all
// may.
var ofTheTurn = []string{"submit_plan", tool.AskUser}

// Tools returns those of the tools that agent files may give to specialists.
func Tools(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return slices.Contains(ofTheTurn, t.Name) })
}

// kindOf says what a tool is for.
func kindOf(t tool.Tool) specialists.ToolKind {
	_, ofServer := mcp.ServerOf(t.Name)
	switch {
	case ofServer && t.Buffered:
		return specialists.Calls
	case ofServer:
		return specialists.Asks
	case t.Name == "fetch_url":
		return specialists.Fetches
	case t.Name == "run_command":
		return specialists.Runs
	case t.Buffered:
		return specialists.Edits
	}
	return specialists.Reads
}
