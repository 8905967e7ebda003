// Package agent turns a user's message into a plan of buffered edits, and an
// approved plan into edits that the user's editor makes.
//
// It owns the conversations, the turns that run in them and the life of every
// plan. It reads the user's files through package workspace, talks to a model
// through package model, keeps what must not be lost in package store, and
// changes files only through an editor ([redline/agent/state.Editor]). It knows nothing of LSP.
package agent

import (
	"context"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/brief"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/model"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/agent/view"
	"redline/workspace"
)

// Agent is what the programs around it call. It creates the owners of one session and passes
// calls on to them. All methods of the owners that it embeds are its own, and meant for users.
// Its methods may be called from any goroutine.
type Agent struct {
	*decide.Decisions
	*decide.Retention

	session       *session.Session
	presence      *board.Presence
	traces        *conversation.Traces
	backlog       *board.Backlog
	chat          *conversation.ChatFile
	conversations *conversation.Conversations
	reach         *toolset.Reach
	board         *board.Board
	executors     *decide.Executors
	trials        *trial.Trials
	facts         *brief.Project // nil for none
	turns         *turn.Turns
}

// New makes an agent. It reads and opens nothing, so that a server starts at once.
func New(o Options) *Agent {
	s := session.New(o.Workspace, o.Store, o.Log, o.Now)
	o.Model = turn.Announce(o.Model, s, o.Destination)
	a := &Agent{session: s, presence: board.NewPresence(s), traces: conversation.NewTraces(s), backlog: board.NewBacklog(s), chat: conversation.NewChatFile(s)}
	a.board = board.New(s, a.presence, a.backlog, board.Hooks{
		Rules:         board.NewCommandRules(o.Commands.Rules, s.Workspace),
		WakeCommands:  func() { a.executors.WakeAll() },
		RunsCommands:  func(plan int) bool { return a.executors.Runs(plan) },
		ClearStaging:  func(h *board.Held) { a.turns.ClearStaging(h) },
		Running:       func() ([]state.Turn, int) { return a.conversations.Running() },
		ReadQuestions: func(ctx context.Context, first bool) error { return a.conversations.ReadQuestions(ctx, first) },
	})
	a.conversations = conversation.New(s, a.traces, a.backlog, conversation.Hooks{
		Run:   func(ctx context.Context, t *conversation.Turn) error { return a.turns.Run(ctx, t) },
		Ended: func(t *conversation.Turn, e state.Event) { a.turns.Ended(t, e) },
		Read:  turn.ReadQuestion,
		Begun: a.board.AddConversation,
	})
	a.reach = &toolset.Reach{Fetch: o.Fetch, Servers: toolset.NewServers(o.Servers, toolset.ServerOptions{Workspace: s.Key, Go: s.Spawn, Now: s.Now, Log: s.Log})}
	a.executors = decide.NewExecutors(s, a.presence, a.board, a.conversations, a.reach, o.Commands, decide.Hooks{
		Ran:     func(h *board.Held) string { return a.turns.ReportOn(h) },
		Compare: a.compare,
	})
	a.Decisions = decide.New(s, a.presence, a.board, a.executors, decide.Options{
		SomeBuffers: o.SomeBuffers, AnswerWithin: o.AnswerWithin, Forbidden: o.Forbidden,
		Words: func(ctx context.Context, h *board.Held, d view.Request) (state.Result, error) {
			return a.turns.ApproveWords(ctx, h, d)
		},
	})
	a.trials = trial.New(s, a.board, a.conversations, o.Trials)
	if o.Facts.Machine.Program == nil {
		o.Facts.Machine = a.trials.Machine()
	}
	if o.Facts.Within > 0 && o.Model.Info().Provider != "builtin" {
		a.facts = brief.NewProject(s, o.Facts)
	}
	a.turns = turn.New(turn.Owners{
		Session: s, Traces: a.traces, Chat: a.chat, Conversations: a.conversations, Board: a.board,
		Decisions: a.Decisions, Backlog: a.backlog, Reach: a.reach, Trials: a.trials, Facts: a.facts, Model: o.Model,
	}, o.Turns)
	a.Retention = decide.NewRetention(s, a.board, a.conversations, o.Keep)
	return a
}

// Attach sets the editor that holds the user's text. Call it once, before the first message or
// decision.
func (a *Agent) Attach(ed state.Editor) { a.session.Attach(ed) }

// GatherFacts starts gathering the facts of the project in the background, for the first request. A
// message and [Agent.Recover] do so too.
func (a *Agent) GatherFacts() {
	if a.facts != nil {
		a.facts.Begin()
	}
}

// Name calls [board.Presence.Name].
func (a *Agent) Name(client string) { a.presence.Name(client) }

// Close cancels every turn, and waits at most two seconds until they and all work in the
// background have ended. Plans stay in the store. Close may be called again, for work begun
// since.
func (a *Agent) Close() {
	a.session.Stop()
	a.presence.Close() // at once: an editor that restarts its server must not wait for this one
	a.session.Spawn(a.reach.Servers.Close)
	if !a.session.Wait(2 * time.Second) {
		a.session.Log.Warn("a turn did not end in time")
	}
}

// Tell tells the user something about Redline itself.
func (a *Agent) Tell(text string) { a.session.Notify(state.Event{Kind: state.Noticed, Text: text}) }

// Kept reports whether the data stored so far outlives the process.
func (a *Agent) Kept() bool { return a.session.Store.Kept() }

// Keep stores what the store could not take before. It returns why that fails, nil if nothing is
// left to store.
func (a *Agent) Keep(ctx context.Context) error {
	if err := a.backlog.Store(ctx); err != nil {
		return err
	}
	return a.conversations.Store(ctx)
}

// Options configure an agent.
type Options struct {
	Workspace *workspace.Workspace
	Store     *store.Store
	Model     model.Provider
	// Destination is set if the environment alone chose Model: Redline then says once where texts go.
	Destination turn.Choice
	Keep        decide.Keep      // how long plans are kept, see Retain
	Log         *zap.Logger      // nil: nothing is logged
	Now         func() time.Time // nil: time.Now

	Turns    turn.Options
	Commands decide.ExecutorOptions // how approved commands are run
	Trials   trial.Options          // how commands are tried; the zero value: they are not
	Facts    brief.ProjectOptions   // facts of the project, for models; the zero value: requests have none
	Fetch    toolset.FetchOptions   // what the model may fetch; the zero value: nothing
	Servers  []toolset.Server       // the servers whose tools a model may use

	// SomeBuffers is true if the editor shows only some of its buffers. A file that it does not
	// show may be unsaved there, and is changed only with [view.Request.Saved].
	Forbidden view.Forbidden

	// SomeBuffers says that the editor shows only some of its buffers: a file that
	// it does not show may be unsaved there, and is changed only with [view.Request.Saved].
	SomeBuffers bool

	// AnswerWithin is how long a decision waits for the editor, see [decide.Options].
	AnswerWithin time.Duration
}
