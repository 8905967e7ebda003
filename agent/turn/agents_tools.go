package turn

import (
	"slices"

	"redline/agent/orchestrator"
	"redline/agent/tool"
	"redline/agent/toolset"
)

// ofTheTurn are tools that agent files cannot give. No specialist submits a plan, since the
// specialists' assignments are its steps; each may ask the user.
var ofTheTurn = []string{"submit_plan", tool.AskUser}

// Tools returns the tools that agent files may give to specialists.
func Tools(all []tool.Tool) []tool.Tool {
	return slices.DeleteFunc(slices.Clone(all), func(t tool.Tool) bool { return slices.Contains(ofTheTurn, t.Name) })
}

// kindOf returns the kind of a tool.
func kindOf(t tool.Tool) orchestrator.ToolKind {
	_, ofServer := toolset.ServerOf(t.Name)
	switch {
	case ofServer && t.Buffered:
		return orchestrator.Calls
	case ofServer:
		return orchestrator.Asks
	case t.Name == "fetch_url":
		return orchestrator.Fetches
	case t.Name == "run_command":
		return orchestrator.Runs
	case t.Name == "try_command":
		return orchestrator.Tries
	case t.Buffered, t.Name == tool.Unstaging:
		return orchestrator.Edits
	case t.OfRepository():
		return orchestrator.Recalls
	case t.OfEditor():
		return orchestrator.Shows
	}
	return orchestrator.Reads
}
