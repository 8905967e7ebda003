package turn

import (
	"time"

	"go.uber.org/zap"

	"redline/agent/agentfiles"
	"redline/agent/backlog"
	"redline/agent/board"
	"redline/agent/brief"
	"redline/agent/chatfile"
	"redline/agent/conversation"
	"redline/agent/decide"
	"redline/agent/event"
	"redline/agent/fetch"
	"redline/agent/loop"
	"redline/agent/mcp"
	"redline/agent/model"
	"redline/agent/offer"
	"redline/agent/prompts"
	"redline/agent/reuse"
	"redline/agent/session"
	"redline/agent/slash"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/template"
	"redline/agent/toolset"
	"redline/agent/traces"
	"redline/workspace"
)

// Turns take messages and run them until they have an answer or a plan. Their methods may be called from any goroutine.
type Turns struct{ *parts }

// parts are shared by all turns: the owners of the session, the settings, and the owners in
// this package.
type parts struct {
	session       *session.Session
	ws            *workspace.Workspace
	store         *store.Store
	log           *zap.Logger
	traces        *traces.Traces
	chat          *chatfile.File
	conversations *conversation.Conversations
	board         *board.Board
	decisions     *decide.Decisions
	reach         *toolset.Reach

	model      model.Provider
	agentFiles agentfiles.Folders
	turnSettings

	texts     *texts
	deciding  *deciding
	reports   *reports
	unnamed   *unnamed
	slash     *slash.Commands
	reuse     *reuse.Plans
	offers    *offer.Offers
	revisions *revisions
	router    *router
}

// turnSettings are the user's settings for turns, see [Options].
type turnSettings struct {
	limits     loop.Limits
	brief      brief.Limits
	secondLook string
	summaries  string
	reusePlans bool
	reachKey   string // describes the hosts and servers that models can reach
}

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
}

// Options are what turns depend on besides the session. agent.Options says what each is.
type Options struct {
	Model       model.Provider
	Limits      loop.Limits
	Context     brief.Limits
	Templates   string
	Prompts     string
	Agents      string
	Specialists bool
	Decide      string
	Classify    string
	SecondLook  string
	Summaries   string
	ReusePlans  bool
	Fetch       fetch.Config
	Servers     []mcp.Server
}

// New makes the turns of a session.
func New(of Owners, o Options) *Turns {
	s := of.Session
	p := &parts{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log,
		traces: of.Traces, chat: of.Chat, conversations: of.Conversations, board: of.Board, decisions: of.Decisions, reach: of.Reach,
		model:      o.Model,
		agentFiles: agentfiles.Folders{Dir: o.Agents, Workspace: s.Workspace},
		turnSettings: turnSettings{
			limits: o.Limits, brief: o.Context, secondLook: o.SecondLook, summaries: o.Summaries,
			reusePlans: o.ReusePlans, reachKey: reachOf(o),
		},
		texts:    &texts{s, prompts.Set{Dir: o.Prompts}},
		deciding: &deciding{of.Conversations, o.Decide},
		unnamed:  newUnnamed(),
		reuse:    &reuse.Plans{Session: s},
		offers:   offer.New(s, of.Board, of.Decisions),
	}
	p.reports = newReports(s, of.Board, p.texts)
	p.revisions = &revisions{session: s, ws: s.Workspace, store: s.Store, board: of.Board, backlog: of.Backlog, unnamed: p.unnamed}
	p.router = &router{
		session: s, board: of.Board, model: o.Model, texts: p.texts, revisions: p.revisions, deciding: p.deciding,
		specialists: o.Specialists, classifyBy: o.Classify, classifyWithin: classifyWithin,
	}
	p.slash = &slash.Commands{
		Session: s, Conversations: of.Conversations, Board: of.Board, Decisions: of.Decisions,
		Model: o.Model, Templates: &template.Library{Workspace: s.Workspace, Dir: o.Templates}, Agents: p.agentFiles,
		Decide: p.deciding.changeDecide,
	}
	return &Turns{p}
}

func (p *parts) notify(e event.Event) { p.session.Notify(e) }

// ClearStaging drops the questions about a plan that were not asked yet. It may be called with
// any lock held.
func (ts *Turns) ClearStaging(h *board.Held) { ts.offers.Clear(h) }

// ModelState returns the model in use.
func (ts *Turns) ModelState() state.Model {
	info := ts.model.Info()
	return state.Model{Provider: info.Provider, Name: info.Name}
}

// TemplateNames returns the names of the templates that the user can send.
func (ts *Turns) TemplateNames() []string { return ts.slash.Templates.Names() }

// ClassifyWithin bounds how long a model may take to classify a message.
func (ts *Turns) ClassifyWithin(d time.Duration) { ts.router.classifyWithin = d }
