package turn

import (
	"context"
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
	"redline/agent/prompts"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/template"
	"redline/agent/toolset"
	"redline/agent/traces"
	"redline/workspace"
)

// Turns run messages to answers and plans. Their methods may be called from any goroutine.
type Turns struct {
	session       *session.Session
	ws            *workspace.Workspace
	store         *store.Store
	log           *zap.Logger
	now           func() time.Time
	root          context.Context
	traces        *traces.Traces
	chat          *chatfile.File
	conversations *conversation.Conversations
	board         *board.Board
	decisions     *decide.Decisions
	backlog       *backlog.Backlog
	reach         *toolset.Reach
	notes         *notes
	offers        offers
	revisions     *revisions

	model      model.Provider
	prompts    prompts.Set
	templates  *template.Library
	agentFiles agentfiles.Folders

	turnSettings
}

// turnSettings are the user's settings for turns, see [Options].
type turnSettings struct {
	limits         loop.Limits
	brief          brief.Limits
	specialists    bool
	decideBy       string
	classifyBy     string
	classifyWithin time.Duration
	secondLook     string
	summaries      string
	reusePlans     bool
	reachKey       string // what else models can ask, as it is set
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

// Options are the user's settings for turns, see [Options].
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

// revisions make what turns stage revisions of plans, and store them.
type revisions struct {
	session *session.Session
	ws      *workspace.Workspace
	store   *store.Store
	now     func() time.Time
	board   *board.Board
	backlog *backlog.Backlog
	notes   *notes
}

func (rs *revisions) notify(e event.Event) { rs.session.Notify(e) }
func (rs *revisions) workspaceKey() string { return rs.session.Key() }

func New(of Owners, o Options) *Turns {
	s, told := of.Session, newNotes()
	return &Turns{
		session: s, ws: s.Workspace, store: s.Store, log: s.Log, now: s.Now, root: s.Context(),
		traces: of.Traces, chat: of.Chat, conversations: of.Conversations, board: of.Board, decisions: of.Decisions,
		backlog: of.Backlog, reach: of.Reach, notes: told,
		revisions: &revisions{session: s, ws: s.Workspace, store: s.Store, now: s.Now, board: of.Board, backlog: of.Backlog, notes: told},
		model: o.Model, prompts: prompts.Set{Dir: o.Prompts},
		templates:  &template.Library{Workspace: s.Workspace, Dir: o.Templates},
		agentFiles: agentfiles.Folders{Dir: o.Agents, Workspace: s.Workspace},
		turnSettings: turnSettings{
			limits: o.Limits, brief: o.Context, specialists: o.Specialists, decideBy: o.Decide,
			classifyBy: o.Classify, classifyWithin: classifyWithin, secondLook: o.SecondLook,
			summaries: o.Summaries, reusePlans: o.ReusePlans, reachKey: reachOf(o),
		},
	}
}

func (ts *Turns) notify(e event.Event) { ts.session.Notify(e) }
func (ts *Turns) spawn(f func())       { ts.session.Spawn(f) }
func (ts *Turns) workspaceKey() string { return ts.session.Key() }

// ModelState returns the model in use.
func (ts *Turns) ModelState() state.Model {
	info := ts.model.Info()
	return state.Model{Provider: info.Provider, Name: info.Name}
}

// TemplateNames returns the names of the templates that the user can send.
func (ts *Turns) TemplateNames() []string { return ts.templates.Names() }

// ClassifyWithin bounds how long a model may take to classify a message.
func (ts *Turns) ClassifyWithin(d time.Duration) { ts.classifyWithin = d }
