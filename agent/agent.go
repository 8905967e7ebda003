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
	"redline/agent/commands"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/languages"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/preview"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/toolset"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/agent/view"
	"redline/workspace"
)

// Agent makes the owners of one session, which the programs around it call. Its own methods are
// what several owners do together, and those of the owners that it embeds. All may be called from
// any goroutine.
type Agent struct {
	*decide.Decisions
	*decide.Retention
	*decide.Sharing

	Session       *session.Session
	Presence      *board.Presence
	Traces        *conversation.Traces
	Backlog       *board.Backlog
	Chat          *conversation.ChatFile
	Conversations *conversation.Conversations
	Reach         *toolset.Reach
	Board         *board.Board
	Previews      *preview.Previews
	Comments      *decide.Comments
	executors     *decide.Executors
	Trials        *trial.Trials
	Languages     *languages.Servers
	facts         *brief.Project // nil for none
	Turns         *turn.Turns
}

// New makes an agent. It reads and opens nothing, so that a server starts at once.
func New(o Options) *Agent {
	s := session.New(o.Workspace, o.Store, o.Log, o.Now)
	o.Model = turn.Announce(o.Model, s, o.Destination)
	a := &Agent{Session: s, Presence: board.NewPresence(s), Traces: conversation.NewTraces(s), Backlog: board.NewBacklog(s), Chat: conversation.NewChatFile(s)}
	a.Board = board.New(s, a.Presence, a.Backlog, board.Hooks{
		Rules:         board.NewCommandRules(o.Commands.Rules, s.Workspace),
		RunsCommands:  func(plan int) bool { return a.executors.Runs(plan) },
		ClearStaging:  func(h *board.Held) { a.Turns.Offers.Clear(h) },
		Running:       func() ([]state.Turn, int) { return a.Conversations.Running() },
		ReadQuestions: func(ctx context.Context, first bool) error { return a.Conversations.ReadQuestions(ctx, first) },
	})
	a.Conversations = conversation.New(s, a.Traces, a.Backlog, a.Board.Threads.Add)
	a.Reach = &toolset.Reach{Fetch: o.Fetch, Servers: toolset.NewServers(o.Servers, toolset.ServerOptions{Workspace: s.Key, Go: s.Spawn, Now: s.Now, Log: s.Log})}
	a.executors = decide.NewExecutors(s, a.Presence, a.Board, a.Conversations, a.Reach, o.Commands, decide.Hooks{
		Ran:     func(h *board.Held) string { return a.Turns.ReportOn(h) },
		Compare: a.compare,
	})
	a.Previews = preview.NewPreviews(s, a.Board)
	a.Decisions = decide.New(s, a.Presence, a.Board, a.executors, a.Previews, decide.Options{
		SomeBuffers: o.SomeBuffers, AnswerWithin: o.AnswerWithin, Forbidden: o.Forbidden,
		Words: func(ctx context.Context, h *board.Held, d view.Request) (state.Result, error) {
			return a.Turns.ApproveWords(ctx, h, d)
		},
	})
	a.Comments = decide.NewComments(s, a.Board)
	a.Sharing = decide.NewSharing(s, a.Board)
	a.Trials = trial.New(s, a.Board, a.Previews, a.Conversations, o.Trials)
	if o.Languages.Publish == nil {
		o.Languages.Publish = a.Board.AddProblems
	}
	a.Languages = languages.New(s, a.Board, a.Trials, o.Languages)
	if o.Facts.Machine.Program == nil {
		o.Facts.Machine = a.Trials.Machine()
	}
	if o.Facts.Within > 0 && o.Model.Info().Provider != "builtin" {
		a.facts = brief.NewProject(s, o.Facts)
	}
	a.Turns = turn.New(turn.Owners{
		Session: s, Traces: a.Traces, Chat: a.Chat, Conversations: a.Conversations, Board: a.Board,
		Decisions: a.Decisions, Comments: a.Comments, Sharing: a.Sharing, Backlog: a.Backlog, Reach: a.Reach, Trials: a.Trials, Languages: a.Languages, Facts: a.facts, Model: o.Model,
	}, o.Turns)
	a.Conversations.Serve(a.Turns)
	a.Retention = decide.NewRetention(s, a.Board, a.Conversations, o.Keep)
	return a
}

// GatherFacts starts gathering the facts of the project in the background, for the first request. A
// message and [Agent.Recover] do so too.
func (a *Agent) GatherFacts() {
	if a.facts != nil {
		a.facts.Begin()
	}
}

// Close cancels every turn, and waits at most two seconds until they and all work in the
// background have ended. Plans stay in the store. Close may be called again, for work begun
// since.
func (a *Agent) Close() {
	a.Session.Stop()
	a.Presence.Close() // at once: an editor that restarts its server must not wait for this one
	a.Session.Spawn(a.Reach.Servers.Close)
	a.Session.Spawn(a.Languages.Close)
	if !a.Session.Wait(2 * time.Second) {
		a.Session.Log.Warn("a turn did not end in time")
	}
}

// Tell tells the user something about Redline itself.
func (a *Agent) Tell(text string) { a.Session.Notify(state.Event{Kind: state.Noticed, Text: text}) }

// Kept reports whether the data stored so far outlives the process.
func (a *Agent) Kept() bool { return a.Session.Store.Kept() }

// Keep stores what the store could not take before. It returns why that fails, nil if nothing is
// left to store.
func (a *Agent) Keep(ctx context.Context) error {
	if err := a.Backlog.Store(ctx); err != nil {
		return err
	}
	return a.Conversations.Store(ctx)
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
	// Languages are the language servers that check plans; the zero value: none.
	Languages languages.Options
	Facts     brief.ProjectOptions // facts of the project, for models; the zero value: requests have none
	Fetch     toolset.FetchOptions // what the model may fetch; the zero value: nothing
	Servers   []toolset.Server     // the servers whose tools a model may use

	// SomeBuffers is true if the editor shows only some of its buffers. A file that it does not
	// show may be unsaved there, and is changed only with [view.Request.Saved].
	Forbidden view.Forbidden

	// SomeBuffers says that the editor shows only some of its buffers: a file that
	// it does not show may be unsaved there, and is changed only with [view.Request.Saved].
	SomeBuffers bool

	// AnswerWithin is how long a decision waits for the editor, see [decide.Options].
	AnswerWithin time.Duration
}

// Diff returns the unified diff of a plan's current revision, see [view.Plan.Diff].
func (a *Agent) Diff(ctx context.Context, n int) (string, error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return "", err
	}
	return a.Board.View(h).Diff(), nil
}

// OnDisk is [board.DiskWatch.Changed], [trial.Trials.OnDisk] and [languages.Servers.OnDisk].
func (a *Agent) OnDisk(paths []string) {
	a.Board.Disk.Changed(paths)
	a.Trials.OnDisk(paths)
	a.Languages.OnDisk(paths)
}

// Recover is [board.Follower.Recover].
func (a *Agent) Recover(ctx context.Context) error {
	a.GatherFacts() // beside it
	return a.Board.Follower.Recover(ctx)
}

// Compare returns what revision to of a plan proposes that revision from does not, see
// [plan.Compare].
func (a *Agent) Compare(ctx context.Context, n, from, to int) (plan.Comparison, error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return plan.Comparison{Plan: n, From: from, To: to}, err
	}
	return plan.Compare(h.Plan(), from, to, a.Session.Store.Texts(ctx))
}

// Sides returns a file as two revisions of a plan leave it, see [plan.Sides].
func (a *Agent) Sides(ctx context.Context, n, from, to int, path string) (was, is plan.Side, err error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return was, is, err
	}
	return plan.Sides(h.Plan(), from, to, path, a.Session.Store.Texts(ctx))
}

// InRevision returns a file as a revision of a plan leaves it, see [plan.SideIn].
func (a *Agent) InRevision(ctx context.Context, n, revision int, path string) (plan.Side, error) {
	h, err := a.Board.Find(ctx, n)
	if err != nil {
		return plan.Side{}, err
	}
	return plan.SideIn(h.Plan(), revision, path, a.Session.Store.Texts(ctx))
}

// State returns the plans and the turns of this session, newest last, and the model. Unless all
// is true, the plans are the open ones and the last 20. It leaves out the standing of trials,
// because finding that out builds a world, which only an editor needs (TrialStanding).
func (a *Agent) State(ctx context.Context, all bool) (state.State, error) {
	plans, err := a.Board.PlanStates(ctx, all)
	if err != nil {
		return state.State{}, err
	}
	for i := range plans {
		a.Trials.Told(&plans[i])
	}
	return state.State{Plans: a.Turns.Drafting(ctx, plans), Turns: a.Conversations.States(), Model: a.ModelState(), Trials: state.TrialsNone, Outside: a.Turns.Outsiders.Agents(ctx)}, nil
}

// Stats returns statistics of the plans of the workspace, or if all is true of every workspace,
// that were made at or after since.
func (a *Agent) Stats(ctx context.Context, all bool, since time.Time) (store.Stats, error) {
	key := a.Session.Key()
	if all {
		key = ""
	}
	var c store.StatsCounter
	err := a.Session.Store.Histories(ctx, key, since, func(h plan.History) error {
		c.Add(h)
		return nil
	})
	if err != nil {
		return store.Stats{}, err
	}
	turns, taken, err := a.Session.Store.Fallbacks(ctx, key, since)
	c.AddTurns(turns, taken)
	return c.Stats(), err
}

// Cancel stops a queued or running turn, or gives up the question with which it waits. If id is
// "", it stops all of them. It returns the turns that it stopped.
func (a *Agent) Cancel(id string) []string {
	return a.Conversations.Cancel(func(t *conversation.Turn) bool { return id == "" || t.ID == id })
}

// ModelState returns the model in use.
func (a *Agent) ModelState() state.Model {
	info := a.Turns.Model.Info()
	return state.Model{Provider: info.Provider, Name: info.Name}
}

// compare implements [decide.Compare]: it tries a failed command on the files as they were
// before the plan's edits, if commands may be tried here.
func (a *Agent) compare(ctx context.Context, h *board.Held, o *plan.Operation, failed commands.Observation) plan.Class {
	if a.Trials.Allowed(ctx) != nil {
		return ""
	}
	for id, m := range h.Plan().Progress.Commands {
		if id != o.ID && (m.ExitCode != nil || m.Status == plan.CommandRunning) {
			return "" // what it has written is there without the plan's edits too
		}
	}
	before, now, ok := a.Decisions.Before(h)
	if !ok {
		return ""
	}
	c := trial.Command{Line: o.Command, Cwd: o.Folder(), Timeout: o.CommandArgs().Timeout}
	return a.Trials.WithoutPlan(ctx, c, failed, before, now, h.Plan().Goal)
}
