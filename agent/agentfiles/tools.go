package agentfiles

import (
	"slices"

	"redline/agent/specialists"
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
func kindOf(t tool.Tool) specialists.ToolKind {
	_, ofServer := toolset.ServerOf(t.Name)
	switch {
	case ofServer && t.Buffered:
		return specialists.Calls
	case ofServer:
		return specialists.Asks
	case t.Name == "fetch_url":
		return specialists.Fetches
	case t.Name == "run_command":
		return specialists.Runs
	case t.Name == "try_command":
		return specialists.Tries
	case t.Buffered, t.Name == tool.Unstaging:
		return specialists.Edits
	case t.OfRepository():
		return specialists.Recalls
	case t.OfEditor():
		return specialists.Shows
	}
	return specialists.Reads
}
