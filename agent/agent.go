package agent

import (
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/agentfiles"
	"redline/agent/backlog"
	"redline/agent/brief"
	"redline/agent/chatfile"
	"redline/agent/conversation"
	"redline/agent/fetch"
	"redline/agent/loop"
	"redline/agent/mcp"
	"redline/agent/model"
	"redline/agent/presence"
	"redline/agent/prompts"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/template"
	"redline/agent/toolset"
	"redline/agent/trace"
	"redline/agent/traces"
	"redline/workspace"
)

// Options are what an agent is made of.
type Options struct {
	Workspace  *workspace.Workspace
	Store      *store.Store
	Model      model.Provider
	Limits     loop.Limits
	ReusePlans bool             // what was done at a request is done again, without the model, where that comes to the same
	SecondLook string           // the user's rule for plans in words: [SecondLookAlways], "" for that too, or another
	Context    brief.Limits     // of what a request carries besides the user's words; no Tokens: [brief.DefaultTokens]
	Summaries  string           // whether a model summarises older turns: [SummariesOn], "" for that too, or [SummariesOff]
	Templates  string           // directory of the user's own templates, "" for none
	Prompts    string           // directory of the user's own prompts, "" for none
	Agents     string           // directory of the user's own agent files, "" for none
	Heap       bool             // messages that name no mode go to specialists
	Keep       Keep             // how long plans are kept, see Retain
	Decide     string           // the user's way to decide: [DecidePlan], "" for that too, or [DecideAsk]
	Classify   string           // who classifies messages: [ClassifyByModel], or [ClassifyByRules] and "" for that too
	Log        *zap.Logger      // nil: nothing is logged
	Now        func() time.Time // nil: time.Now

	Commands Commands     // how approved commands are run
	Fetch    fetch.Config // what the model may fetch; the zero value: nothing
	Servers  []mcp.Server // whose tools a model may use

	// SomeBuffers says that the editor shows only some of its buffers: a file that
	// it does not show may be unsaved there, and is changed only with [Decide.Saved].
	SomeBuffers bool
}

// Agent owns the conversations and the plans of one workspace. Its methods may
// be called from any goroutine.
type Agent struct {
	ws     *workspace.Workspace
	store  *store.Store
	model  model.Provider
	limits loop.Limits
	brief  brief.Limits // see Options.Context

	templates   *template.Library
	agentFiles  agentfiles.Folders
	heapOn      bool   // see Options.Heap
	keep        Keep   // see Options
	decideBy    string // see Options.Decide
	someBuffers bool   // see Options

	classifyBy     string // see Options.Classify
	classifyWithin time.Duration
	secondLook     string // see Options
	summaries      string // see Options
	reusePlans     bool
	reachKey       string // what else models can ask, as it is set

	prompts prompts.Set

	session *session.Session
	log     *zap.Logger
	now     func() time.Time
	editor  Editor
	root    context.Context // every turn and every execution hangs from it

	presence      *presence.Presence
	traces        *traces.Traces
	backlog       *backlog.Backlog
	chat          *chatfile.File
	notes         *notes
	conversations *conversation.Conversations
	reach         *toolset.Reach

	board *Board

	running *Executors

	decisions *Decisions
}

// New makes an agent. It reads and opens nothing: a server must start at once.
func New(o Options) *Agent {
	if o.Context.Tokens == 0 {
		o.Context.Tokens = brief.DefaultTokens
	}
	session := session.New(o.Workspace, o.Store, o.Log, o.Now)
	a := &Agent{
		ws: o.Workspace, store: o.Store, model: o.Model, limits: o.Limits, session: session, log: session.Log, now: session.Now,
		brief:     o.Context,
		templates: &template.Library{Workspace: o.Workspace, Dir: o.Templates}, agentFiles: agentfiles.Folders{Dir: o.Agents, Workspace: o.Workspace}, heapOn: o.Heap, keep: o.Keep, decideBy: o.Decide,
		classifyBy: o.Classify, classifyWithin: classifyWithin, secondLook: o.SecondLook, summaries: o.Summaries, reusePlans: o.ReusePlans, prompts: prompts.Set{Dir: o.Prompts},
		root: session.Context(),
	}
	a.reachKey = reachOf(o)
	a.presence = presence.New(session)
	a.traces = traces.New(session)
	a.backlog = backlog.New(session)
	a.chat = chatfile.New(session)
	a.notes = newNotes()
	a.board = newBoard(session, a.presence, a.backlog, boardHooks{rules: o.Commands.Rules, stir: a.stir, runs: a.runs})
	a.conversations = conversation.New(session, a.traces, a.backlog, conversation.Hooks{
		Run: a.run, Ended: a.ended, Read: readQuestion,
		Begun: a.board.known,
	})
	a.board.conversations = a.conversations
	a.reach = &toolset.Reach{Fetch: o.Fetch, Servers: mcp.New(o.Servers, mcp.Options{Workspace: a.workspaceKey, Go: a.spawn, Now: a.now, Log: a.log})}
	a.running = newExecutors(session, a.board, a.conversations, a.reach, o.Commands)
	a.decisions = newDecisions(session, a.presence, a.board, a.running)
	a.decisions.someBuffers, a.decisions.words = o.SomeBuffers, a.approveWords
	return a
}

// Attach names the editor that holds the user's text. It must be called once,
// before the first message or decision.
func (a *Agent) Attach(ed Editor) {
	a.session.Attach(ed)
	a.editor = ed
}

// Close cancels every turn and waits until they, and all that works in the background,
// have ended, at most two seconds. Plans stay as the store has them. It may be called
// again, for what has begun since.
func (a *Agent) Close() {
	a.session.Stop()
	a.board.showing.close()
	a.session.Spawn(a.reach.Servers.Close)
	if !a.session.Wait(2 * time.Second) {
		a.log.Warn("a turn did not end in time")
	}
	a.presence.Close()
}

// spawn is [session.Session.Spawn].
func (a *Agent) spawn(f func()) { a.session.Spawn(f) }

// workspaceKey is [session.Session.Key].
func (a *Agent) workspaceKey() string { return a.session.Key() }

// Traces is [traces.Traces.List].
func (a *Agent) Traces(ctx context.Context, which string) ([]trace.Trace, error) {
	return a.traces.List(ctx, which)
}

// OpenTrace is [traces.Traces.Open].
func (a *Agent) OpenTrace(ctx context.Context, which string) (path string, err error) {
	return a.traces.Open(ctx, which)
}

// Name is [presence.Presence.Name].
func (a *Agent) Name(client string) { a.presence.Name(client) }

// tellUnsaved is [presence.Presence.Publish].
func (a *Agent) tellUnsaved(look bool) { a.presence.Publish(look) }

// unsavedElsewhere is [presence.Presence.Elsewhere].
func (a *Agent) unsavedElsewhere() func(path string) bool { return a.presence.Elsewhere() }

// notify is [session.Session.Notify].
func (a *Agent) notify(e Event) { a.session.Notify(e) }

// update changes what a.mu guards; the next snapshot shows it.
func (b *Board) update(change func()) {
	b.mu.Lock()
	change()
	b.snapshot = nil
	b.mu.Unlock()
}

// stir and runs are what the board asks of those who run commands.
func (a *Agent) stir()           { a.running.stirAll() }
func (a *Agent) runs(n int) bool { return a.running.executor(n) != nil }
