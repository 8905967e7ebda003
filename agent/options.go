package agent

import (
	"time"

	"go.uber.org/zap"

	"redline/agent/brief"
	"redline/agent/commands"
	"redline/agent/fetch"
	"redline/agent/loop"
	"redline/agent/mcp"
	"redline/agent/model"
	"redline/agent/retention"
	"redline/agent/store"
	"redline/workspace"
)

// Options are what an agent is made of.
type Options struct {
	Workspace   *workspace.Workspace
	Store       *store.Store
	Model       model.Provider
	Limits      loop.Limits
	ReusePlans  bool             // the plan of a repeated request is made again without the model, see package reuse
	SecondLook  string           // when the user is asked about the edits of an approved plan in words: config.SecondLookAlways (also "") or another
	Context     brief.Limits     // of the context of a request; no Tokens: [brief.DefaultTokens]
	Summaries   string           // whether a model summarises older turns: config.SummariesOn (also "") or config.SummariesOff
	Templates   string           // directory of the user's own templates, "" for none
	Prompts     string           // directory of the user's own prompts, "" for none
	Agents      string           // directory of the user's own agent files, "" for none
	Specialists bool             // send messages that name no mode to specialists
	Keep        retention.Keep   // how long plans are kept, see Retain
	Decide      string           // when the user decides: config.DecidePlan (also "") or config.DecideAsk
	Classify    string           // who classifies messages: config.ClassifyByModel or config.ClassifyByRules (also "")
	Log         *zap.Logger      // nil: nothing is logged
	Now         func() time.Time // nil: time.Now

	Commands commands.Options // how approved commands are run
	Fetch    fetch.Config     // what the model may fetch; the zero value: nothing
	Servers  []mcp.Server     // whose tools a model may use

	// SomeBuffers says that the editor shows only some of its buffers: a file that
	// it does not show may be unsaved there, and is changed only with [decision.Request.Saved].
	SomeBuffers bool
}
