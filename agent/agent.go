package agent

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/store"
	"redline/workspace"
)

// Options are what an agent is made of.
type Options struct {
	Workspace *workspace.Workspace
	Store     *store.Store
	Model     model.Provider
	Limits    loop.Limits
	Log       *zap.Logger      // nil: nothing is logged
	Now       func() time.Time // nil: time.Now
}

// Agent owns the conversations and the plans of one workspace. Its methods may
// be called from any goroutine.
type Agent struct {
	ws     *workspace.Workspace
	store  *store.Store
	model  model.Provider
	limits loop.Limits
	log    *zap.Logger
	now    func() time.Time
	editor Editor

	root context.Context // every turn and every execution hangs from it
	stop context.CancelFunc
	work sync.WaitGroup

	// deciding is held while a plan is given a new value: from reading it to
	// having stored it. It guards the three fields below, and is taken before mu.
	deciding  sync.Mutex
	loaded    bool   // the store's open plans have been read
	loadedKey string // the workspace that they are of
	behind    bool   // the store has something newer that was not taken yet

	chatting sync.Mutex // held while the chat file is changed

	// mu guards everything below. Typing waits for it, so it is never held
	// during a call to the editor, the model or the store.
	mu            sync.Mutex
	plans         map[int]*heldPlan
	conversations map[string]*conversation
	current       map[string]string // client → its conversation
	turns         []*turn           // of this session, newest last; the oldest ended ones are forgotten
	lastTurn      int               // the last turn was t and this number
	chatOpened    *string           // the chat file's text when it was opened; nil while it is not
	snapshot      *Snapshot         // nil when out of date
}

// New makes an agent. It reads and opens nothing: a server must start at once.
func New(o Options) *Agent {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	root, stop := context.WithCancel(context.Background())
	a := &Agent{
		ws: o.Workspace, store: o.Store, model: o.Model, limits: o.Limits, log: o.Log, now: o.Now,
		root: root, stop: stop,
		plans:         map[int]*heldPlan{},
		conversations: map[string]*conversation{},
		current:       map[string]string{},
	}
	o.Workspace.Observe(a.onBuffer)
	return a
}

// Attach names the editor that holds the user's text. It must be called once,
// before the first message or decision.
func (a *Agent) Attach(ed Editor) { a.editor = ed }

// Close cancels every turn and waits until they have ended, at most two
// seconds. Plans stay as the store has them.
func (a *Agent) Close() {
	a.stop()
	done := make(chan struct{})
	go func() { a.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		a.log.Warn("a turn did not end in time")
	}
}

// workspaceKey names this workspace in the store: the first folder's directory.
func (a *Agent) workspaceKey() string {
	folders := a.ws.Folders()
	if len(folders) == 0 {
		return ""
	}
	return folders[0].Dir
}
