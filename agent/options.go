package agent

import (
	"time"

	"go.uber.org/zap"

	"redline/agent/commands"
	"redline/agent/fetch"
	"redline/agent/mcp"
	"redline/agent/model"
	"redline/agent/retention"
	"redline/agent/store"
	"redline/agent/turn"
	"redline/workspace"
)

// Options are what an agent is made of.
type Options struct {
	Workspace *workspace.Workspace
	Store     *store.Store
	Model     model.Provider
	Keep      retention.Keep   // how long plans are kept, see Retain
	Log       *zap.Logger      // nil: nothing is logged
	Now       func() time.Time // nil: time.Now

	Turns    turn.Options
	Commands commands.Options // how approved commands are run
	Fetch    fetch.Config     // what the model may fetch; the zero value: nothing
	Servers  []mcp.Server     // whose tools a model may use

	// SomeBuffers says that the editor shows only some of its buffers: a file that
	// it does not show may be unsaved there, and is changed only with [decision.Request.Saved].
	SomeBuffers bool
}
