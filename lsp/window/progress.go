package window

import (
	"cmp"
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"redline/internal/tasks"
	"redline/internal/wire"
)

// reportEvery is the least time between two reports of one turn. lookEvery is how often a
// message that changes with time is looked at again. sayAfter is how long a client without
// progress hears nothing of a turn. answerSoon is how long the end of a turn waits for a client that
// has not yet answered whether it shows the turn's progress.
const (
	reportEvery = 100 * time.Millisecond
	lookEvery   = time.Second
	sayAfter    = 6 * time.Second
	answerSoon  = 2 * time.Second
)

// A Message returns the text to show for work in progress, given the time since it was
// reported. While it returns "", the message before it stays.
type Message func(elapsed time.Duration) string

// Progress shows work in progress (LSP 3.18, "Work Done Progress"): a turn, whose token is
// its name, or the execution of a plan. Each has its own goroutine, so that a client that
// does not answer holds nothing up.
type Progress struct {
	conn    *wire.Conn
	shown   bool // whether the client shows progress
	timeout time.Duration
	log     *zap.Logger

	mu    sync.Mutex
	turns map[string]*turnProgress
	slow  bool // the client did not answer soon: the end of a turn waits for it no more
}

type turnProgress struct {
	after   time.Duration // if not 0, when to show it unless it has ended; then it cannot be cancelled
	message Message       // the newest, guarded by Progress.mu
	since   time.Time     // when it was reported, guarded by Progress.mu
	outcome string        // how it ended, set before ended is closed
	asked   bool          // the editor was asked to show it; guarded by Progress.mu
	begun   bool          // the editor has agreed; guarded by Progress.mu
	changed tasks.Signal  // signals that there is a newer message
	ended   chan struct{}
	hidden  chan struct{} // closed when the editor knows of the end, or never will
}

func newProgress(conn *wire.Conn, shown bool, timeout time.Duration, log *zap.Logger) *Progress {
	return &Progress{conn: conn, shown: shown, timeout: timeout, log: log, turns: map[string]*turnProgress{}}
}

// Begin shows a turn until End is called for it.
func (p *Progress) Begin(turn, message string) { p.BeginLater(turn, message, 0) }

// BeginLater does what Begin does, for something that cannot be cancelled and may end
// soon: nothing is shown if it ends before the given time.
func (p *Progress) BeginLater(turn, message string, after time.Duration) {
	if !p.shown {
		return
	}
	p.begin(turn, message, after, func(ctx context.Context, t *turnProgress) { p.show(ctx, turn, t) })
}

// Say is Begin for a client that shows no progress: it calls say once, with what the turn is
// doing, if the turn takes longer than a few seconds.
func (p *Progress) Say(turn, message string, say func(message string)) {
	if p.shown {
		return
	}
	p.begin(turn, message, sayAfter, func(ctx context.Context, t *turnProgress) {
		defer close(t.hidden)
		if t.wait(ctx) {
			say(p.message(t))
		}
	})
}

// begin notes a turn, and has it shown on a goroutine of its own, unless it is known.
func (p *Progress) begin(turn, message string, after time.Duration, show func(context.Context, *turnProgress)) {
	t := &turnProgress{after: after, message: always(message), since: time.Now(), changed: tasks.NewSignal(), ended: make(chan struct{}), hidden: make(chan struct{})}
	p.mu.Lock()
	_, known := p.turns[turn]
	if !known {
		p.turns[turn] = t
	}
	p.mu.Unlock()
	if !known {
		p.conn.Go("progress", func(ctx context.Context) { show(ctx, t) })
	}
}

// wait waits until the turn is to be shown, and reports whether it is: it may have ended.
func (t *turnProgress) wait(ctx context.Context) bool {
	timer := time.NewTimer(t.after)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.ended:
		return false
	case <-ctx.Done():
		return false
	}
}

// Report replaces the turn's message.
func (p *Progress) Report(turn, message string) { p.ReportAs(turn, always(message)) }

// ReportAs replaces the turn's message by one that changes with time. It is looked at every
// second, and sent again if its text has changed.
func (p *Progress) ReportAs(turn string, message Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.turns[turn]; t != nil {
		before := t.message(time.Since(t.since)) // it may not have been sent yet
		t.message = func(elapsed time.Duration) string { return cmp.Or(message(elapsed), before) }
		t.since = time.Now()
		t.changed.Set()
	}
}

// always returns the message with the same text at all times.
func always(text string) Message { return func(time.Duration) string { return text } }

// End ends the progress of a turn; outcome says in a word how it ended. If the editor
// knows of the progress, End returns only after the editor was sent the end, so that the
// next message stays visible: Helix shows messages and the end of a progress in one line. An
// editor that was asked and has not answered yet would show the progress after that message, so
// End waits for its answer too, but not long, and only until an editor has once let it wait.
func (p *Progress) End(turn, outcome string) {
	p.mu.Lock()
	t := p.turns[turn]
	if t == nil {
		p.mu.Unlock()
		return
	}
	delete(p.turns, turn)
	t.outcome = outcome
	close(t.ended)
	begun, asked := t.begun, t.asked && !p.slow
	p.mu.Unlock()
	switch {
	case begun:
		<-t.hidden
	case asked:
		select {
		case <-t.hidden:
		case <-time.After(answerSoon):
			p.mu.Lock()
			p.slow = true
			p.mu.Unlock()
		}
	}
}

// show asks the client to create a progress for the turn and keeps it up to date. It
// reports no percentages: nobody knows how long a model takes.
func (p *Progress) show(ctx context.Context, turn string, t *turnProgress) {
	defer close(t.hidden)
	if t.after > 0 && !t.wait(ctx) {
		return
	}
	p.mu.Lock()
	t.asked = true
	p.mu.Unlock()
	create, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	token := protocol.String(turn)
	err := p.conn.Call(create, "window/workDoneProgress/create", &protocol.WorkDoneProgressCreateParams{Token: token}, nil)
	if err != nil {
		p.log.Debug("the editor shows no progress", zap.Error(err))
		return
	}
	cancellable := t.after == 0
	p.mu.Lock()
	t.begun = true // from here on End waits for show
	p.mu.Unlock()
	shown := p.message(t)
	p.send(ctx, turn, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Redline", Cancellable: &cancellable, Message: &shown})
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.ended:
			p.send(ctx, turn, &protocol.WorkDoneProgressEnd{Kind: "end", Message: &t.outcome})
			return
		case <-t.changed:
		case <-look.C:
		}
		message := p.message(t)
		if message == shown {
			continue
		}
		shown = message
		p.send(ctx, turn, &protocol.WorkDoneProgressReport{Kind: "report", Message: &message})
		select { // not more often than reportEvery
		case <-time.After(reportEvery):
		case <-t.ended:
		case <-ctx.Done():
		}
	}
}

func (p *Progress) message(t *turnProgress) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return OneLine(t.message(time.Since(t.since)))
}

func (p *Progress) send(ctx context.Context, turn string, value any) {
	raw, err := protocol.Marshal(value)
	if err == nil {
		err = p.conn.Notify(ctx, "$/progress", &protocol.ProgressParams{Token: protocol.String(turn), Value: raw})
	}
	if err != nil {
		p.log.Debug("progress was not sent", zap.Error(err))
	}
}
