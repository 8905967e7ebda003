package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/recall"
	"redline/agent/session"
	"redline/agent/state"
	"redline/agent/tool"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/secrets"
)

// conclude ends a turn whose model has stopped: with the model's question, or with a revision
// made from the staged operations. Then it remembers the exchange. It returns runErr, the error
// that ended the model's work. A failed turn keeps its operations, in a revision marked as
// incomplete; a cancelled turn keeps nothing.
func (w *work) conclude(ctx context.Context, runErr error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q := w.outcome.Asked; q != nil {
		return w.park(ctx, q)
	}
	_, submitted := w.env.Draft.Submitted() // a plan with operations also gets a revision if only its steps changed
	staged := w.revising.staged(w.env.Draft) || submitted && w.revising.plan != nil && len(w.env.Draft.Operations()) > 0
	if runErr != nil && !staged {
		return runErr
	}
	answer := withUndone(w.outcome.Text, w.undone)
	if staged {
		description := withUndone(w.outcome.Text, undoneIn(w.turn, w.env.Draft))
		if runErr != nil {
			description = strings.TrimSpace(fmt.Sprintf("%s\n\nIncomplete: %s", description, phrase.SentenceOf(runErr)))
		}
		if err := w.revisions.makeFrom(ctx, w.turn, w.env.Draft, w.revising.plan, description); err != nil {
			return err
		}
	}
	if runErr == nil && !staged && w.wantedPlan() {
		return w.concludeInWords(ctx)
	}
	w.remember(answer)
	return runErr
}

// triedToWrite reports whether the messages of a model call a tool that writes, including calls
// that were refused.
func triedToWrite(messages []model.Message) bool {
	for _, m := range messages {
		for _, c := range m.Calls {
			if t, ok := tool.Find(tool.All(), c.Name); ok && t.Stages() {
				return true
			}
		}
	}
	return false
}

// leftOut names the operations of a turn that are not in its plan because the files end up the
// same without them. idle are operations that had no effect.
func leftOut(left []draft.Left, idle []plan.Operation) string {
	var names []string
	name := func(o plan.Operation, why string) {
		what := strings.TrimSpace(o.Tool + " " + o.Path)
		if o.IsCommand() {
			what = fmt.Sprintf("the command %q%s", phrase.FirstLine(o.Command, 80), plan.InFolder(o.Folder()))
		}
		names = append(names, what+why)
	}
	for _, l := range left {
		name(l.Operation, " ("+l.Why+")")
	}
	for _, o := range idle {
		name(o, " (nothing of it is left in the end)")
	}
	count := "1 redundant operation was"
	if len(names) > 1 {
		count = fmt.Sprintf("%d redundant operations were", len(names))
	}
	return fmt.Sprintf("%s left out: %s.", count, strings.Join(phrase.FirstOf(names, 5, "operation"), "; "))
}

// Ended writes the answer of an ended turn into the chat file.
func (ts *Turns) Ended(t *conversation.Turn, e state.Event) {
	if err := session.Contain(func() error { return ts.appendToChat(t, e) }); err != nil {
		ts.log.Warn("the answer could not be written to the chat file", zap.Error(err))
	}
}

// appendToChat writes a turn's answer under its request. A request that is not in the chat file
// yet is written first. Nothing is written if the plan or one line says it all.
func (ts *Turns) appendToChat(t *conversation.Turn, e state.Event) error {
	asks, cancelled := e.State == conversation.Waits, e.State == conversation.Cancelled
	if !t.Request.FromChat && !asks && (e.PlanNumber != 0 || cancelled || !strings.Contains(e.Answer, "\n") && len(e.Answer) < 200) {
		return nil
	}
	reply := e.Answer
	if e.PlanNumber != 0 {
		reply = chat.Reply(reply, ts.planLine(e.PlanNumber))
	}
	if e.Error != "" {
		reply = chat.Reply(reply, e.Error)
	}
	if asks {
		reply = chat.Reply(reply, "I wait for your answer: write it below and send it, or give the question up with `/cancel`.")
	}
	if cancelled {
		reply = "Cancelled."
	}
	request := t.Request.Text
	if t.Request.FromChat {
		request = ""
	}
	return ts.Chat.Answer(request, edits.Visible(reply)) // the user decides by this text, and it may quote invisible characters
}

// planLine says in one line which plan a turn made and how to decide on it.
func (ts *Turns) planLine(n int) string {
	h := ts.Board.Held(n)
	if h == nil || !h.Plan().State.Open() {
		return ""
	}
	v, where := ts.Board.View(h), ""
	if v.Preview != "" {
		where = ", shown in " + v.Preview
	}
	return fmt.Sprintf("Plan %d, revision %d, waits for you%s. Decide with `/approve %d`, `/reject %d` or `/rework %d` and what should be different.",
		n, v.Revision.Number, where, n, n, n)
}

// removeComment stages the removal of the comment that asked for the plan.
func removeComment(d *draft.Draft, m conversation.Request) error {
	text, exists, err := d.Read(m.Path)
	if err != nil || !exists {
		return err
	}
	r, found := chat.FindMoved(m.TextWhenAsked, *m.Comment, text)
	if !found {
		return nil // the model has removed it itself
	}
	args, err := json.Marshal(map[string]any{
		"path": m.Path, "old_string": text[r.Remove.Start:r.Remove.End], "new_string": r.Remove.New,
	})
	if err != nil {
		return err
	}
	return d.Besides(func() error {
		_, err := d.Splice(m.Path, r.Remove, plan.Operation{Step: onlyStep, Tool: "edit_file", Args: args, Path: m.Path})
		return err
	})
}

// commentStays tells the user that the comment could not be removed.
func commentStays(m conversation.Request, err error) string {
	return fmt.Sprintf("The comment in %s that asked for this stays, remove it yourself: %s", m.Path, phrase.SentenceOf(err))
}

// A turn may end before all that its model tried is done: a limit was reached, or a call was
// refused and not made good. Its operations are kept, and the answer, the plan and the exit status
// of the command line say that something is missing. Such a turn is never approved automatically.

// leftUndone returns the calls of a turn that were refused and not made good. If the turn has staged
// nothing, it leaves out those that the answer reports as not done: the user has read about them, and
// there is no plan that could look complete.
func (r *revising) leftUndone(d *draft.Draft, answer string) []plan.Refused {
	all := d.Refused(true)
	if d.HasNews() || len(r.taken) > 0 {
		return all
	}
	unread := d.Unread() // the answer cannot be about these
	return slices.DeleteFunc(all, func(call plan.Refused) bool {
		return call.Tool == tool.SubmitPlan || !slices.Contains(unread, call) && chat.Admits(answer, call.Path) // steps without operations are an answer in words
	})
}

// withUndone adds to an answer a list of what was left undone.
func withUndone(answer string, u plan.Unfinished) string {
	return strings.TrimSpace(answer + "\n\n" + strings.Join(u.Sentences(), "\n\n"))
}

// undoneIn returns what a revision made from d lacks: what this turn left undone, and what earlier
// turns left undone and nobody has made good since.
func undoneIn(t *turn, d *draft.Draft) plan.Unfinished {
	u := t.Result().Unfinished.Clone()
	u.Refused = d.Refused(false)
	return u
}

// remember adds the turn's messages and its answer to the memory of its conversation.
func (w *work) remember(answer string) {
	t := w.turn
	t.Update(func(r *conversation.Result) { r.Answer, r.Remembered = answer, true })
	if c := t.continued; c != nil {
		asked := c.request.Text
		for _, e := range c.exchanges() {
			t.Conversation.Memory.Remember(asked, e.Question, recall.Read{})
			asked = e.Answer
		}
	}
	t.Conversation.Memory.Remember(cmp.Or(t.request.Remembered, t.request.Text), answer, t.reads.value())
}

// makeRoom shortens a conversation's memory to its budget. A model summarises the older
// exchanges; if it fails or is switched off, they are cut. The result is stored, so each
// exchange is shortened once, and the user is told.
func (w *work) makeRoom(ctx context.Context) {
	conv := w.turn.Conversation
	m := conv.Memory.Value()
	n := m.Older(w.settings.Context.Tokens)
	if n == 0 {
		return
	}
	text, how := w.beside().summary(ctx, m, n), "summarised"
	if ctx.Err() != nil {
		return
	}
	if text == "" {
		how = "shortened"
	}
	conv.Memory.Fold(ctx, m, m.Fold(n, text, w.settings.Context.Tokens), n)
	w.turn.Notice(fmt.Sprintf("What was said earlier in this conversation was %s so that it fits (%s); context.tokens says how much fits.", how, phrase.Count(n, "turn")))
}

// reads are the lines that a turn has read, for the next one. Several specialists may read at the
// same time.
type reads struct {
	ws     *workspace.Workspace
	memory *conversation.Memory // has what earlier turns have read

	mu  sync.Mutex
	all recall.Read
}

// value returns what was read so far.
func (r *reads) value() recall.Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	return recall.DecodeRead(r.all.Encode()) // a copy
}

// saw notes lines that a tool has shown, unless the file may hold secrets.
func (r *reads) saw(path, text string, first, last int) {
	if r.ws.Secret(path) || secrets.Text(path, text) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.Add(path, text, first, last)
}

// known returns the lines that earlier turns of the conversation have read and that are still the
// same in the draft d, the newest first.
func (r *reads) known(d *draft.Draft) []recall.Known {
	return r.memory.Value().Read().In(func(path string) (string, bool) {
		if r.ws.Secret(path) || r.ws.OffLimits(path) != nil {
			return "", false
		}
		text, exists, err := d.Read(path)
		return text, err == nil && exists && !secrets.Text(path, text)
	})
}

// maxKnown is how many places are named in a request, and maxKnownText how many bytes of their
// texts a plan in words begins with.
const (
	maxKnown     = 30
	maxKnownText = 24 << 10
)

// places names the lines that earlier turns have read, for the context of a request.
func (r *reads) places(d *draft.Draft) (lines []string) {
	for i, k := range r.known(d) {
		if i == maxKnown {
			break
		}
		lines = append(lines, k.String())
	}
	return lines
}

// texts quotes the lines that earlier turns have read, as they are now, for the turn that
// works out a plan; "" for none. Those that have no room are named.
func (r *reads) texts(d *draft.Draft) string {
	var b strings.Builder
	var rest []string
	for _, k := range r.known(d) {
		if b.Len()+len(k.Text) > maxKnownText {
			rest = append(rest, k.String())
			continue
		}
		marks := fence.Around(k.Text)
		fmt.Fprintf(&b, "%s lines %d-%d of %d:\n%s\n%s\n%s\n", k.Path, k.First, k.Last, k.Of, marks, strings.TrimSuffix(k.Text, "\n"), marks)
		r.saw(k.Path, k.Whole, k.First, k.Last)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "Read too, and unchanged: %s\n", strings.Join(rest[:min(len(rest), maxKnown)], ", "))
	}
	if b.Len() == 0 {
		return ""
	}
	return "What was read for it, as it is now; do not read it again:\n" + b.String()
}
