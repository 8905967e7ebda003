package web

import (
	"cmp"
	"net/http"
	"strings"
	"sync"

	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
	"redline/internal/phrase"
)

// bound refuses a request about another revision than the current one.
func bound(v *view.Plan, revision int, hash string) error {
	if hash == "" {
		return plan.Refuse(plan.Invalid, "The request does not say which revision was shown.")
	}
	return view.Request{Revision: revision, Hash: hash}.Binds(v.Plan, v.Revision)
}

// maxReply is the most characters of a reply that the page shows.
const maxReply = 8000

// Reply is what a rework came to that made no revision: an answer in words, a question, or why it
// failed.
type Reply struct {
	State string `json:"state"` // of its turn: done, waiting, failed or cancelled
	Text  string `json:"text"`
}

// replies keeps how the turns of this process have ended, for the rework that was asked for last.
type replies struct {
	mu       sync.Mutex
	ended    map[string]Reply // by turn
	asked    string           // the turn of the last rework
	revision int              // the one that it was asked about
}

// hear notes the end of a turn.
func (r *replies) hear(e state.Event) {
	if e.Kind != state.TurnFinished {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended == nil {
		r.ended = map[string]Reply{}
	}
	text := strings.TrimSpace(cmp.Or(e.Error, e.Text, e.Answer))
	r.ended[e.Turn] = Reply{State: e.State, Text: phrase.Start(text, maxReply)}
}

// ask notes that a rework of a revision was asked for. Its turn may have ended already.
func (r *replies) ask(turn string, revision int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked, r.revision = turn, revision
}

// on returns the reply to the last rework of a revision, nil if there is none or it is not there yet.
func (r *replies) on(revision int) *Reply {
	r.mu.Lock()
	defer r.mu.Unlock()
	reply, ended := r.ended[r.asked]
	if !ended || r.revision != revision {
		return nil
	}
	return &reply
}

// rework asks for another revision of the plan, with the open comments as feedback.
func (s *Server) rework(r *http.Request) (any, error) {
	body, err := read[struct {
		Revision int    `json:"revision"`
		Hash     string `json:"hash"`
		Text     string `json:"text"`
	}](r)
	if err != nil {
		return nil, err
	}
	_, v, err := s.viewed(r.Context())
	if err != nil {
		return nil, err
	}
	if err := bound(v, body.Revision, body.Hash); err != nil {
		return nil, err
	}
	turn, _, err := s.a.Turns.Rework(r.Context(), s.o.Plan, body.Text, Client)
	if err != nil {
		return nil, err
	}
	s.replies.ask(turn, body.Revision)
	s.news.tell()
	return map[string]any{"turn": turn}, nil
}
