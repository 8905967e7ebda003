package turn

import (
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/agentfiles"
	"redline/agent/backlog"
	"redline/agent/board"
	"redline/agent/brief"
	"redline/agent/chatfile"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/offer"
	"redline/agent/session"
	"redline/agent/slash"
	"redline/agent/store"
	"redline/agent/template"
	"redline/agent/toolset"
	"redline/agent/traces"
	"redline/workspace"
)

// Owners are the parts of a session that turns use.
type Owners struct {
	Session       *session.Session
	Traces        *traces.Traces
	Chat          *chatfile.File
	Conversations *conversation.Conversations
	Board         *board.Board
	Decisions     *decide.Decisions
	Backlog       *backlog.Backlog
	Reach         *toolset.Reach
	Model         model.Provider
}

// Options are the user's settings for turns.
type Options struct {
	Limits      loop.Limits
	Context     brief.Limits // of the context of a request; no Tokens: [brief.DefaultTokens]
	Templates   string       // directory of the user's own templates, "" for none
	Prompts     string       // directory of the user's own prompts, "" for none
	Agents      string       // directory of the user's own agent files, "" for none
	Specialists bool         // send messages that name no mode to specialists
	Decide      string       // when the user decides: config.DecidePlan (also "") or config.DecideAsk
	Classify    string       // who classifies messages: config.ClassifyByModel or config.ClassifyByRules (also "")
	SecondLook  string       // when the user is asked about the edits of an approved plan in words: config.SecondLookAlways (also "") or another
	Summaries   string       // whether a model summarises older turns: config.SummariesOn (also "") or config.SummariesOff
	ReusePlans  bool         // the plan of a repeated request is made again without the model, see package reuse
}

// Turns take messages and run them until they have an answer or a plan. Their methods may be called
// from any goroutine.
type Turns struct {
	Owners
	ws         *workspace.Workspace
	store      *store.Store
	log        *zap.Logger
	settings   Options
	agentFiles agentfiles.Folders

	reports        sync.Map // conversation to madeReport
	slash          *slash.Commands
	offers         *offer.Offers
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
		agentFiles:     agentfiles.Folders{Dir: o.Agents, Workspace: s.Workspace},
		offers:         offer.New(s, of.Board, of.Decisions),
		revisions:      &revisions{session: s, ws: s.Workspace, store: s.Store, board: of.Board, backlog: of.Backlog},
		classifyWithin: classifyWithin,
	}
	ts.slash = &slash.Commands{
		Session: s, Conversations: of.Conversations, Board: of.Board, Decisions: of.Decisions,
		Model: of.Model, Templates: &template.Library{Workspace: s.Workspace, Dir: o.Templates}, Agents: ts.agentFiles,
		Decide: ts.changeDecide,
	}
	return ts
}

// builtin reports whether the model is the built-in one, which only works on change requests.
func (ts *Turns) builtin() bool { return ts.Model.Info().Provider == "builtin" }

// ClearStaging drops the questions about a plan that were not asked yet. It may be called with
// any lock held.
func (ts *Turns) ClearStaging(h *board.Held) { ts.offers.Clear(h) }

// TemplateNames returns the names of the templates that the user can send.
func (ts *Turns) TemplateNames() []string { return ts.slash.Templates.Names() }

// ClassifyWithin bounds how long a model may take to classify a message.
func (ts *Turns) ClassifyWithin(d time.Duration) { ts.classifyWithin = d }
