// Package reuse repeats a plan without asking the model.
//
// It runs the model's calls again in a new draft. Each call must give the same result as before,
// byte for byte, and the same files must end up with the same texts. A request is identified by
// a hash of the first messages to the model, so that the model would do the same again. The new
// plan has nothing from the earlier one but its number, for the sentence that names it, and
// waits like any other plan.

package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"go.uber.org/zap"

	"redline/agent/draft"
	"redline/agent/loop"
	"redline/agent/model"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/store"
	"redline/agent/tool"
	"redline/agent/toolset"
	"redline/internal/stable"
)

// Message has all that identifies a request.
type Message struct {
	Route, Mode string
	Quoted      bool
	Own, Text   string          // the user's own words, and the whole text
	Told        []model.Message // the first messages to the model; the last one begins with Text
	Model       model.Info
	Limits      loop.Limits
	Reach       string // what else models can reach
}

// Request is a request whose plan may be repeated. A nil Request must not be.
type Request struct {
	session *session.Session
	key     string
}

// For returns the request of a message in a session.
func For(s *session.Session, m Message) *Request {
	h := sha256.New()
	enc := json.NewEncoder(h)
	last := len(m.Told) - 1
	rest := strings.TrimPrefix(m.Told[last].Content, m.Text)
	err := enc.Encode([]any{"2", m.Route, m.Mode, m.Quoted, normal(m.Own), normal(m.Text), rest, m.Model, m.Limits, offered(tool.All()), m.Reach})
	for _, told := range m.Told[:last] {
		if err == nil {
			err = enc.Encode([]any{told.Role, told.Content})
		}
	}
	if err != nil {
		return nil // it never fails: all are strings and numbers
	}
	return &Request{s, hex.EncodeToString(h.Sum(nil))}
}

// Made is the repeated work for a request.
type Made struct {
	Plan   int // the number of the earlier plan
	Draft  *draft.Draft
	Answer string
	Calls  []Called
}

// Called is a repeated call.
type Called struct {
	Tool   string
	Result tool.Result
}

// Again repeats what was done for an equal request. envFor returns the environment of the calls
// on a draft; for live see [draft.Draft.Seal]. Again returns false if the model has to be asked:
// nothing was stored, or the same calls no longer give the same results.
func (r *Request) Again(ctx context.Context, envFor func(*draft.Draft) *tool.Env, live func(path string) (text string, exists bool, mode uint32, err error)) (*Made, bool) {
	s := r.session
	kept, ok, err := s.Store.Reusable(ctx, s.Key(), r.key, s.Now())
	var was record
	if err == nil && ok {
		err = json.Unmarshal([]byte(kept.Record), &was)
	}
	if err != nil {
		s.Log.Info("it could not be found out whether a plan can be reused", zap.Error(err))
	}
	if err != nil || !ok || !stillWelcome(ctx, s, kept.Plan) {
		return nil, false
	}
	made := &Made{Plan: kept.Plan, Draft: draft.New(s.Workspace), Answer: was.Answer}
	env, tools := envFor(made.Draft), tool.All()
	for _, c := range was.Calls {
		t, ok := tool.Find(tools, c.Tool)
		if !ok || ctx.Err() != nil {
			return nil, false
		}
		result := t.RunAsStep(ctx, env, c.Step, json.RawMessage(c.Arguments))
		if sum(result.Text) != c.Result {
			return nil, false
		}
		made.Calls = append(made.Calls, Called{t.Name, result})
	}
	lean, _ := made.Draft.Lean(toolset.Replay(ctx, s.Workspace))
	sealed, err := lean.Seal(live)
	if err != nil || !slices.Equal(states(sealed.Changes), was.Files) {
		return nil, false
	}
	return made, true
}

// stillWelcome reports whether the user accepted a plan unchanged or has not decided yet. A plan
// that they rejected, undid, changed or rated as poor is not proposed again without asking the
// model.
func stillWelcome(ctx context.Context, s *session.Session, number int) bool {
	p, err := s.Store.Plan(ctx, s.Key(), number)
	if err != nil || len(p.Revisions) != 1 || p.State == plan.Cancelled || p.State == plan.Failed || p.Rating == 1 || p.Rating == 2 {
		return false
	}
	decisions, err := s.Store.Decisions(ctx, s.Key(), number)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(decisions, func(d plan.Decision) bool { return d.Verdict != plan.VerdictApprove })
}

// Keep stores what the model did for the request: its answer and its messages, which led to the
// revision of plan number. It stores nothing for a revision without operations. It only logs a
// failure.
func (r *Request) Keep(number int, revision *plan.Revision, answer string, messages []model.Message) {
	if len(revision.Operations) == 0 {
		return
	}
	done := record{Answer: answer, Files: states(revision.Changes)}
	results := map[string]string{} // results of calls, by call id
	for _, m := range messages {
		if m.Role == model.RoleTool {
			results[m.CallID] = sum(m.Content)
		}
	}
	tools := tool.All()
	for _, m := range messages {
		for _, c := range m.Calls {
			if t, ok := tool.Find(tools, c.Name); !ok || !slices.Contains(repeatable, t.Name) {
				return
			}
			done.Calls = append(done.Calls, call{c.Name, c.Arguments, c.Step, results[c.ID]})
		}
	}
	s := r.session
	doc, err := json.Marshal(done)
	if err != nil {
		s.Log.Warn("a plan could not be kept for reuse", zap.Int("plan", number), zap.Error(err))
		return
	}
	if len(doc) <= maxRecord {
		s.Store.SaveReuse(s.Key(), store.Reuse{Key: r.key, Plan: number, Kept: s.Now().UTC(), Record: string(doc)})
	}
}

// offered returns the descriptions of the tools that the model gets.
func offered(tools []tool.Tool) []string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name, t.Description, string(t.Schema))
	}
	return all
}

// record is the stored form of a turn.
type record struct {
	Answer string      `json:"answer"`
	Calls  []call      `json:"calls"`
	Files  []fileState `json:"files"`
}

// call is a tool call of the model.
type call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	Step      string `json:"step,omitempty"` // see [model.Call]
	Result    string `json:"result"`         // SHA-256 of the result's text
}

// fileState is a file as the turn left it.
type fileState struct {
	Path     string      `json:"path"`
	NewPath  string      `json:"newPath,omitempty"`
	Action   plan.Action `json:"action"`
	Base     plan.Blob   `json:"base"`
	Proposed plan.Blob   `json:"proposed"`
}

// maxRecord is how many bytes a record may have.
const maxRecord = 1 << 20

// repeatable are the tools whose results depend only on the files and their history. A turn that
// has called another tool is not stored.
var repeatable = []string{
	"read_file", "list_files", "search", "outline", "git_log", "git_diff", "git_blame",
	"submit_plan", "edit_file", "apply_patch", "write_file", "delete_file", "rename_file", "text_editor", "run_command",
}

// states describes the files after changes, sorted by path.
func states(changes []plan.Change) []fileState {
	var all []fileState
	for _, c := range changes {
		all = append(all, fileState{c.Path, c.NewPath, c.Action, c.Base, c.Proposed})
	}
	stable.Sort(all, func(x, y fileState) int { return strings.Compare(x.Path, y.Path) })
	return all
}

// sum returns the SHA-256 of a text.
func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}
