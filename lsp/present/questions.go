package present

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"redline/agent/config"
	"redline/agent/state"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
	"redline/lsp/command"
	"redline/lsp/summary"
	"redline/lsp/window"
)

// Ask implements state.Editor with window/showMessageRequest (LSP 3.18). A client that does not
// announce it gets a message instead, and the user decides with code actions and commands. The
// user can also answer an open question in the chat; see tellQuestion.
func (p *Presenter) Ask(ctx context.Context, q state.Question) (state.EditorAnswer, error) {
	if q.Open && !p.offers(q.Options) {
		return state.EditorAnswer{}, nil // tellQuestion shows it as a message
	}
	if !p.Window.Client().Ask {
		if q.Instead != "" {
			p.Window.Info(strings.TrimSuffix(q.Text, "?") + ": " + q.Instead + ".")
		}
		return state.EditorAnswer{}, nil
	}
	choice, err := p.Window.Choose(ctx, q.Text, q.Options)
	return state.EditorAnswer{Choice: choice}, err
}

// offers reports whether the client can show a question with these options. The user can always
// answer in the chat instead.
func (p *Presenter) offers(options []string) bool {
	return p.Window.Client().Ask && len(options) > 0
}

// tellQuestion shows the model's question as a message to a client that cannot offer its
// options. The chat file has the full question.
func (p *Presenter) tellQuestion(e state.Event) {
	if p.offers(e.Options) {
		return
	}
	line, whole := window.Excerpt(edits.Visible(e.Text))
	if !whole {
		line += " …"
	}
	if len(e.Options) > 0 {
		line += " (" + edits.Visible(strings.Join(e.Options, " / ")) + ")"
	}
	p.Window.Info(line + " Answer in the chat, " + p.Pages.ChatName() + ".")
}

// The answers to the question about a plan that is ready.
const (
	answerApprove = "Approve"
	answerReview  = "Review"
	answerReject  = "Reject"
)

// readyQuestions holds the open questions about plans that turns have made, by plan. Nothing
// waits for their answers.
type readyQuestions struct {
	mu   sync.Mutex
	open map[int]*readyQuestion
}

// readyQuestion is a question about one revision, to which its answer is bound.
type readyQuestion struct {
	revision int
	withdraw context.CancelFunc
}

// put replaces the question about a plan with q.
func (r *readyQuestions) put(plan int, q *readyQuestion) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if was := r.open[plan]; was != nil {
		was.withdraw()
	}
	if r.open == nil {
		r.open = map[int]*readyQuestion{}
	}
	r.open[plan] = q
}

// drop removes q once it is answered, unless another question has replaced it.
func (r *readyQuestions) drop(plan int, q *readyQuestion) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[plan] == q {
		delete(r.open, plan)
	}
}

// overtake withdraws the question about a plan if there is a newer revision, or nothing left to
// decide (view may be nil). Some clients keep showing the question; its answer is then ignored.
func (r *readyQuestions) overtake(plan int, view *view.Plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if q := r.open[plan]; q != nil && (view == nil || !view.Plan.State.Decidable() || view.Revision.Number != q.revision) {
		q.withdraw()
		delete(r.open, plan)
	}
}

// asksWhenReady reports whether the user's setting means to ask about a plan that is ready.
func asksWhenReady(setting string, canAsk, beside bool) bool {
	switch setting {
	case config.AskAlways:
		return canAsk
	case config.AskNever:
		return false
	}
	return beside
}

// askWhenReady asks the user whether to approve a plan that a turn has just made, and runs the
// command that the answer names.
func (p *Presenter) askWhenReady(view *view.Plan) {
	text := readyText(view)
	if text == "" || !view.Plan.State.Decidable() || !asksWhenReady(p.UI().AskWhenReady, p.Window.Client().Ask, p.Client.Beside) {
		return
	}
	decision := command.DecisionOn(view)
	ctx, withdraw := context.WithCancel(p.Conn.Context())
	q := &readyQuestion{view.Revision.Number, withdraw}
	p.questions.put(decision.Plan, q)
	p.Conn.Go("question", func(context.Context) {
		choice, _ := p.Window.Choose(ctx, text, []string{answerApprove, answerReview, answerReject}) // its error: the client has left
		overtaken := ctx.Err() != nil
		p.questions.drop(decision.Plan, q)
		withdraw()
		if overtaken {
			return
		}
		switch choice {
		case answerApprove:
			p.Commands.Chosen(p.Commands.Approve(decision))
		case answerReview:
			p.Commands.Chosen(p.Commands.Show(command.ShowArgs{Plan: decision.Plan, View: "plan"}))
		case answerReject:
			p.Commands.Chosen(p.Commands.Reject(decision))
		}
	})
}

// readyText returns the question about a plan, "" if an approval would do nothing. The approval
// it asks for runs no commands but those that rules allow, since the question does not show
// commands in full.
func readyText(view *view.Plan) string {
	n, e := view.Plan.Number, summary.ExtentOf(view.Files...)
	switch {
	case view.Revision.TextOnly:
		return fmt.Sprintf("Approve plan %d (in words: its edits are worked out and shown)?", n)
	case e.Files == 0 || e.Stale > 0:
		return ""
	}
	note := e.String()
	if view.Ruled > 0 {
		note += "; with it your rules run " + phrase.Count(view.Ruled, "command")
	}
	if rest := len(view.Plan.Runnable(view.Revision)) - view.Ruled; rest > 0 {
		note += "; without its " + phrase.Count(rest, "command")
	}
	return fmt.Sprintf("Approve plan %d (%s)?", n, note)
}
