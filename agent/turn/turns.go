// Package turn takes messages to answers and plans. [Turns] is what others call; a running turn
// is a work. From the top down:
//
//	send.go                         takes a message, a slash command or feedback, and queues it
//	turns.go                        runs a turn: chooses its route, calls the route's handler
//	route.go                        chooses the route, and has the handlers of most
//	beside.go                       asks models what a message wants, and other small things
//	agents.go                       the conversation's agent, and what it may do
//	route_*.go                      a handler for each larger route
//	sorted.go                       the way that the model's first call chooses
//	outside.go, adopt.go            the work of other programs, in a copy
//	stepwise.go                     stages while the user decides
//	briefing.go                     what a model is told
//	converse.go                     its work with tools
//	question.go                     ends a turn with a question, continues it with the answer
//	conclude.go                     ends a turn: makes a revision, remembers what was said, writes the answer into the chat file
//	revising.go                     the revision that a turn makes: its plan, and what was staged or taken out
//	revision_open.go, revisions.go  open, make and store revisions of plans
//
// Most calls go down this list. These go up: the approval of a plan in words begins a turn
// (ApproveWords), and so does the end of its commands (ReportOn), a continued turn calls the handler
// that asked, a turn that ends without operations may make a plan in words (conclude), and what a
// model gets depends on the question that a turn continues after.
package turn

import (
	"cmp"
	"context"
	"slices"
	"time"

	"go.uber.org/zap"

	"redline/agent/board"
	"redline/agent/brief"
	"redline/agent/chat"
	"redline/agent/config"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/outside"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/agent/trial"
	"redline/internal/phrase"
	"redline/workspace"
)

// Owners are the parts of a session that turns use.
type Owners struct {
	Session       *session.Session
	Traces        *conversation.Traces
	Chat          *conversation.ChatFile
	Conversations *conversation.Conversations
	Board         *board.Board
	Decisions     *decide.Decisions
	Comments      *decide.Comments
	Sharing       *decide.Sharing
	Backlog       *board.Backlog
	Reach         *toolset.Reach
	Trials        *trial.Trials  // nil: commands cannot be tried
	Facts         *brief.Project // nil: requests have no facts about the project
	Languages     tool.Languages // nil: no language server can be asked
	Model         model.Provider
}

// Options are the user's settings for turns.
type Options struct {
	Limits      loop.Limits
	Context     brief.Limits // for the context of a request; no Tokens means [brief.DefaultTokens]
	Templates   string       // directory of the user's own templates, "" for none
	Prompts     string       // directory of the user's own prompts, "" for none
	Agents      string       // directory of the user's own agent files, "" for none
	Specialists bool         // send messages that name no mode to specialists
	Decide      string       // when the user decides: config.DecidePlan (also "") or config.DecideAsk
	MustAsk     bool         // Decide is config.DecideAsk, and no conversation may change that
	Classify    string       // who classifies messages: config.ClassifyByModel or config.ClassifyByRules (also "")
	SecondLook  string       // when the user is asked about the edits of an approved plan in words: config.SecondLookAlways (also "") or another
	Summaries   string       // whether a model summarises older exchanges: config.SummariesOn (also "") or config.SummariesOff
	Edits       string       // how models make edits, one of the ways in package tool; "" for tool.EditsAuto
	Report      string       // when the model reports on the commands of a plan: config.ReportAsked (also ""), config.ReportAlways or config.ReportNever
	ReusePlans  bool         // repeat the plan of an equal request without asking the model, see package reuse

	OutsideOptions
}

// OutsideOptions are the settings for outside agents.
type OutsideOptions struct {
	OutsideAgents  []outside.Agent
	OutsideAgent   func(name string) (outside.Agent, error)
	OutsideDefault string // the agent of conversations that have chosen none, "" for the model
	OutsideCheck   bool   // try the project's checks on what an agent has changed
}

// Turns runs messages until they have an answer or a plan. Its methods may be called from any
// goroutine.
type Turns struct {
	Owners
	Templates *chat.Templates // that the user can send
	Agents    Folders         // the agents that the user can choose
	Outsiders *Outsiders      // the outside agents that can work
	Offers    *decide.Offers  // the questions about a plan that is being staged

	ws       *workspace.Workspace
	store    *store.Store
	log      *zap.Logger
	settings Options

	slash          slashCommands
	revisions      *revisions
	classifyWithin time.Duration
}

// New makes the turns of a session.
func New(of Owners, o Options) *Turns {
	if o.Context.Tokens == 0 {
		o.Context.Tokens = brief.DefaultTokens
	}
	s := of.Session
	ts := &Turns{
		Owners: of, ws: s.Workspace, store: s.Store, log: s.Log, settings: o,
		Outsiders:      &Outsiders{s.Workspace, s.Store, o.OutsideOptions},
		Templates:      &chat.Templates{Workspace: s.Workspace, Dir: o.Templates},
		Agents:         Folders{Dir: o.Agents, Workspace: s.Workspace},
		Offers:         decide.NewOffers(s, of.Board, of.Decisions),
		revisions:      &revisions{session: s, ws: s.Workspace, store: s.Store, board: of.Board, backlog: of.Backlog},
		classifyWithin: classifyWithin,
	}
	ts.slash = slashCommands{ts}
	return ts
}

// builtin reports whether the model is the built-in one, which only handles change requests.
func (ts *Turns) builtin() bool { return ts.Model.Info().Provider == "builtin" }

// ClassifyWithin sets how long a model may take to classify a message.
func (ts *Turns) ClassifyWithin(d time.Duration) { ts.classifyWithin = d }

// turn adds to a conversation's turn the state that only the turn's own goroutine uses.
type turn struct {
	*conversation.Turn
	request   conversation.Request // the turn's; if it continues after a question, that of the turn that asked
	steps     []plan.Step          // the steps of its plan; nil means one
	about     *board.Held          // the plan that the message names, or else the one that its conversation goes on with; nil for none
	before    string               // the goal of the plan that it changes without naming it, else ""
	found     *situation           // what its message has found, nil until somebody asks
	continued *continuation        // the question after which it continues, nil for none
	tried     attempts
	reads     reads
	spent     spent
}

// A routeHandler runs a turn of one route until it has an answer or a plan. It returns nil if
// the turn has ended well, also at a limit, and an error if the turn has failed.
//
// The handlers are in route*.go, and in [routeHandlers]. They share these parts: [revising] opens a
// draft to stage in, [briefing] makes the messages to the model, converse has the model work with its
// tools, conclude ends the turn with a question or with a revision, and remembers the exchange.
type routeHandler func(ctx context.Context, w *work) error

// routeHandlers are the handlers by route.
var routeHandlers map[string]routeHandler

func init() { // a handler may begin another turn, so a declaration would be an initialization cycle
	routeHandlers = map[string]routeHandler{
		routeTools:       handleTools,
		routeAsk:         handleAsk,
		routeProceed:     handleProceed,
		routeOffTopic:    handleOffTopic,
		routeRender:      handleRender,
		routeSpecialists: handleSpecialists,
		routeText:        handleText,
		routeWorkOut:     handleWorkOut,
		routeReport:      handleReport,
		routeOutside:     handleOutside,
	}
}

// needsMemory has the routes whose model reads the earlier messages.
var needsMemory = map[string]bool{routeTools: true, routeAsk: true, routeText: true, routeSpecialists: true, routeReport: true, routeOutside: true}

// work is a running turn. Only the turn's goroutine uses it.
type work struct {
	*Turns
	turn     *turn
	route    string
	by       string        // the reason for the route
	flags    *state.Intent // what the message wants, nil if it was not classified
	revising revising      // the revision that it makes
	env      *tool.Env     // the environment of its tools, with the draft; nil on a route without a model
	briefing *briefing     // what its model is told; nil like env

	choices conversation.Choices // what the user has chosen for the conversation
	agent   *primary             // the agent chosen there, nil for none

	outcome loop.Outcome    // what the model's work has led to so far
	undone  plan.Unfinished // what the model left undone, once it has stopped
}

// begin returns the work on a turn.
func (ts *Turns) begin(t *conversation.Turn) *work {
	own := &turn{Turn: t, request: t.Request, reads: reads{ws: ts.ws, memory: t.Conversation.Memory}}
	return &work{Turns: ts, turn: own, revising: revising{revisions: ts.revisions, turn: own}}
}

// stageIn has the model of the turn stage in the draft d.
func (w *work) stageIn(d *draft.Draft) {
	w.env = w.envFor(d)
	w.briefing = &briefing{ts: w.Turns, turn: w.turn, route: w.route, mode: w.mode(), flags: w.flags, agent: w.agent, revising: &w.revising, env: w.env}
}

// Run runs a turn until it has an answer or a plan, or waits for the user's answer.
func (ts *Turns) Run(ctx context.Context, t *conversation.Turn) error {
	w := ts.begin(t)
	defer ts.revisions.hideDraft(t.ID)
	if err := ts.ws.HidesAll(); err != nil {
		t.Warn(phrase.SentenceOf(err))
	}
	if t.Request.Answers != nil {
		return w.continueTurn(ctx)
	}
	if !t.Request.Fresh {
		if err := ts.Board.Follower.Refresh(ctx); err != nil && t.Request.Mode != "ask" {
			return err // a question does not need the plans
		}
	}
	if err := w.recollect(ctx); err != nil {
		return err
	}
	w.turn.about = ts.revisions.planMeant(w.turn)
	r, err := w.chooseRoute(ctx)
	if err != nil {
		return err
	}
	w.route, w.by, w.flags = r.route, r.by, r.flags
	if needsMemory[r.route] {
		if err := w.takeAgent(); err != nil {
			return err
		}
		w.makeRoom(ctx)
	}
	t.Notify(state.Event{Kind: state.Routed, Route: r.route, Intent: r.flags, By: r.by, Reason: r.reason, Agent: w.choices.Agent.Name, Mode: w.choices.Mode})
	return routeHandlers[r.route](ctx, w)
}

// decidesStepwise reports whether the user is asked about each operation of a conversation's
// plans as it is staged.
func (ts *Turns) decidesStepwise(conv *conversation.Conversation) bool {
	return ts.settings.MustAsk || cmp.Or(ts.Conversations.Decide(conv), ts.settings.Decide, config.DecidePlan) == config.DecideAsk
}

// changeDecide changes how the user decides on the plans of a conversation, if a setting is
// given, and describes the result.
func (ts *Turns) changeDecide(conv *conversation.Conversation, way []string) string {
	if ts.settings.MustAsk && slices.Contains(way, config.DecidePlan) {
		return "The policy of this machine makes Redline ask you about each edit, so you cannot turn that off."
	}
	if len(way) > 0 {
		ts.Conversations.SetDecide(conv, way[0])
	}
	if ts.decidesStepwise(conv) {
		return "In this conversation you are asked about each edit as it is staged, from the next message on."
	}
	return "In this conversation you decide on the plan when a turn has ended, from the next message on."
}
