package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/conversation"
	"redline/agent/draft"
	"redline/agent/event"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/internal/phrase"
)

// A plan is reused by running the model's calls again without the model, in a fresh draft.
// Each call must be answered as it was then, byte for byte, and the same files must get the
// same texts. The key is a hash of all that the model was told first, so the model would do
// the same again. Nothing is taken over from the earlier plan but its number, for the
// sentence that says so, and the new plan waits like any other.

// reuse is a request whose plan may be reused, or kept to be. nil stands for one that must not
// be.
type reuse struct {
	*parts
	key string
}

// reuseRecord is what is stored of a turn.
type reuseRecord struct {
	Answer string       `json:"answer"`
	Calls  []reuseCall  `json:"calls"`
	Files  []reuseState `json:"files"`
}

// reuseCall is a call that the model made, and its result.
type reuseCall struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	Result    string `json:"result"` // SHA-256
}

// reuseState is a file as the turn left it.
type reuseState struct {
	Path     string      `json:"path"`
	NewPath  string      `json:"newPath,omitempty"`
	Action   plan.Action `json:"action"`
	Base     plan.Blob   `json:"base"`
	Proposed plan.Blob   `json:"proposed"`
}

// maxReuse bounds what is kept of a turn, in bytes.
const maxReuse = 1 << 20

// repeatable are the tools of which the answer, and what they stage, depends on
// the files alone. A turn that has called another is not kept.
var repeatable = []string{
	"read_file", "list_files", "search", "outline",
	"submit_plan", "edit_file", "apply_patch", "write_file", "delete_file", "rename_file", "text_editor", "str_replace_based_edit_tool", "run_command",
}

// reusing returns the request of a turn for reuse, nil unless it is the first message of a
// conversation, which begins a new plan.
func (w *work) reusing(ctx context.Context, messages []model.Message) *reuse {
	m := &w.turn.request
	if !w.reusePlans || w.model.Info().Provider == "builtin" || w.revised != nil || m.Revise != 0 || m.Comment != nil || m.Answers != nil {
		return nil
	}
	if in, err := w.router.situation(ctx, w.turn); err != nil || !in.First {
		return nil
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	info := model.For(w.model, model.Editing).Info()
	last := len(messages) - 1
	rest := strings.TrimPrefix(messages[last].Content, m.Text)
	err := enc.Encode([]any{"1", w.route, m.Mode, m.Quoted, normal(m.Own()), normal(m.Text), rest, info, w.limits, offered(tool.All()), w.reachKey})
	for _, told := range messages[:last] {
		if err == nil {
			err = enc.Encode([]any{told.Role, told.Content})
		}
	}
	if err != nil {
		return nil // it is all strings and numbers
	}
	return &reuse{w.parts, hex.EncodeToString(h.Sum(nil))}
}

// offered returns what the model is told about the tools.
func offered(tools []tool.Tool) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name, t.Description, string(t.Schema))
	}
	return all
}

// reachOf describes what else the user lets models reach.
func reachOf(o Options) string {
	reach := fmt.Sprint(o.Fetch)
	for _, s := range o.Servers {
		reach += fmt.Sprintf(" %q %q", s.Name, s.ReadOnly)
	}
	return reach
}

// normal returns a request without what does not change its meaning: spacing, and a full stop
// or "please" at its end.
func normal(text string) string {
	text = phrase.OneLine(text)
	for {
		cut := strings.TrimRight(text, " .!,")
		if len(cut) > len("please") && strings.EqualFold(cut[len(cut)-len(" please"):], " please") {
			cut = cut[:len(cut)-len(" please")]
		}
		if cut == text {
			return text
		}
		text = cut
	}
}

// again repeats what was done for the same request if the same calls still give the same
// results, and leaves the work as the model would have. false means that the model has to be
// asked.
func (r *reuse) again(ctx context.Context, w *work) bool {
	if r == nil || w.turn.request.Again {
		return false
	}
	a := r.parts
	kept, ok, err := a.store.Reusable(ctx, a.session.Key(), r.key, a.session.Now())
	var record reuseRecord
	if err == nil && ok {
		err = json.Unmarshal([]byte(kept.Record), &record)
	}
	if err != nil {
		a.log.Info("it could not be found out whether a plan can be reused", zap.Error(err))
	}
	if err != nil || !ok || !a.stillWelcome(ctx, kept.Plan) {
		return false
	}
	again := *w
	again.draft = draft.New(a.ws)
	env, tools := again.env(), tool.All()
	var results []tool.Result
	for _, c := range record.Calls {
		t, ok := tool.Find(tools, c.Tool)
		if !ok || ctx.Err() != nil {
			return false
		}
		result := t.Run(ctx, env, json.RawMessage(c.Arguments))
		if sum(result.Text) != c.Result {
			return false
		}
		results = append(results, result)
	}
	lean, _ := again.draft.Lean(toolset.Replay(ctx, a.ws))
	sealed, err := lean.Seal(a.revisions.liveText)
	if err != nil || !slices.Equal(states(sealed.Changes), record.Files) {
		return false
	}
	hooks := w.hooks()
	for i, result := range results {
		t, _ := tool.Find(tools, record.Calls[i].Tool)
		hooks.Tool(t.Name, result.Summary)
		for _, s := range result.Staged {
			hooks.Staged(s)
		}
	}
	said := fmt.Sprintf("This is plan %d once more, without asking the model: the same was asked, and no file that it looked at has changed. /retry asks the model.", kept.Plan)
	a.notify(event.Event{Kind: event.Noticed, Turn: w.turn.ID, Conversation: w.turn.Conversation.ID, Reused: kept.Plan, Text: said})
	w.draft = again.draft
	w.outcome = loop.Outcome{Text: strings.TrimSpace(record.Answer + "\n\n" + said)}
	w.turn.Update(func(r *conversation.Result) { r.Answer, r.Usage = w.outcome.Text, asUsage(w.aside) })
	return true
}

// stillWelcome reports whether the user accepted a plan as it is or has not decided yet. What
// they rejected, undid, changed or rated as poor is not proposed again without asking the
// model.
func (ts *parts) stillWelcome(ctx context.Context, number int) bool {
	p, err := ts.store.Plan(ctx, ts.session.Key(), number)
	if err != nil || len(p.Revisions) != 1 || p.State == plan.Cancelled || p.State == plan.Failed || p.Rating == 1 || p.Rating == 2 {
		return false
	}
	decisions, err := ts.store.Decisions(ctx, ts.session.Key(), number)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(decisions, func(d plan.Decision) bool { return d.Verdict != plan.VerdictApprove })
}

// keep stores what the model did in a turn that made a plan. A failure is only logged.
func (r *reuse) keep(ctx context.Context, w *work) {
	if r == nil || !w.undone.None() {
		return
	}
	a := r.parts
	made := w.turn.Result().Plan
	h := a.board.Held(made)
	if h == nil || len(h.Revision().Operations) == 0 {
		return
	}
	record := reuseRecord{Answer: w.outcome.Text, Files: states(h.Revision().Changes)}
	results := map[string]string{} // of calls, by their ids
	for _, m := range w.outcome.Messages {
		if m.Role == model.RoleTool {
			results[m.CallID] = sum(m.Content)
		}
	}
	for _, m := range w.outcome.Messages {
		for _, c := range m.Calls {
			if !slices.Contains(repeatable, c.Name) {
				return
			}
			record.Calls = append(record.Calls, reuseCall{c.Name, c.Arguments, results[c.ID]})
		}
	}
	doc, err := json.Marshal(record)
	if err == nil && len(doc) <= maxReuse {
		err = session.Contain(func() error {
			return a.store.SaveReuse(context.WithoutCancel(ctx), a.session.Key(), &store.Reuse{Key: r.key, Plan: h.Plan().Number, Kept: a.session.Now().UTC(), Record: string(doc)})
		})
	}
	if err != nil {
		a.log.Warn("a plan could not be kept for reuse", zap.Int("plan", h.Plan().Number), zap.Error(err))
	}
}

// states returns how the files end up, sorted by path.
func states(changes []plan.Change) []reuseState {
	var all []reuseState
	for _, c := range changes {
		all = append(all, reuseState{c.Path, c.NewPath, c.Action, c.Base, c.Proposed})
	}
	slices.SortFunc(all, func(x, y reuseState) int { return strings.Compare(x.Path, y.Path) })
	return all
}

func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}
