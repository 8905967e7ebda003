package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// How often the plan is compared with what was sent, which also reads what other processes have
// stored, and how often a quiet stream shows that it lives.
const (
	lookEvery = time.Second
	pingEvery = 15 * time.Second
)

// news wakes the streams when something has happened in this process.
type news struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced by tell
}

func (n *news) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.changed)
	n.changed = make(chan struct{})
}

func (n *news) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changed
}

// event is one line of the stream.
type event struct {
	Seq  int    `json:"seq"`
	Kind string `json:"kind"` // plan: something of it has changed; ping; ended
	Text string `json:"text,omitempty"`
}

// events sends a line of JSON whenever the plan looks different from before, until the review ends.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	control := http.NewResponseController(w)
	s.streams.Add(1)
	defer s.streams.Add(-1)
	seq := 0
	send := func(e event) bool {
		seq++
		e.Seq = seq
		line, err := encode(e)
		if err != nil {
			return false
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeWithin))
		_, err = w.Write(append(line, '\n'))
		return err == nil && control.Flush() == nil
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	var last [sha256.Size]byte
	for {
		news := s.news.wait()
		now, over := s.fingerprint(r.Context())
		if now != last && !send(event{Kind: "plan"}) {
			return
		}
		last = now
		if over {
			return
		}
		select {
		case <-news:
		case <-look.C:
		case <-ping.C:
			if !send(event{Kind: "ping"}) {
				return
			}
		case <-s.ended:
			if now, _ := s.fingerprint(r.Context()); now == last || send(event{Kind: "plan"}) {
				send(event{Kind: "ended", Text: s.why})
			}
			return
		case <-r.Context().Done():
			return
		}
	}
}

// fingerprint returns a value that differs whenever the page would show something else.
func (s *Server) fingerprint(ctx context.Context) (sum [sha256.Size]byte, gone bool) {
	p, err := s.state(ctx)
	if err != nil {
		return sum, ctx.Err() != nil
	}
	data, err := json.Marshal([]any{s.o.Ranges(&p), editorOf(s.a), pendingOn(ctx, s.a, s.o.Plan), s.replies.on(p.Revision)})
	if err != nil {
		return sum, false
	}
	return sha256.Sum256(data), false
}

// Watch ends the review once nothing is left to decide.
func (s *Server) Watch(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		news := s.news.wait()
		if p, err := s.state(ctx); err == nil && s.endIfOver(&p) {
			return
		}
		select {
		case <-news:
		case <-look.C:
		case <-s.ended:
			return
		case <-ctx.Done():
			return
		}
	}
}
