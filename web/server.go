// Package web serves a page in which a user reviews one plan: [Server]. It is a front like package
// lsp: it decides nothing, and calls the owners that the language server and the command line call.
//
// The page comes from the program itself. Everything about the plan needs a token, which only the
// user's browser gets ([Server.Door]), or a short code that the user types; guard.go has what every
// request must fulfil. A file for each route; rows.go draws the changes, from the same blocks and
// words as the preview.
package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"golang.org/x/net/netutil"

	"redline/agent"
	"redline/agent/plan"
	"redline/agent/state"
	"redline/agent/view"
)

// Client is the name of the page in the records of decisions.
const Client = "redline review"

// Options configure a server.
type Options struct {
	Agent     *agent.Agent
	Plan      int
	Port      int    // 0: one that is free
	Version   string // of the program
	Outputs   bool   // a page as a file has what commands and trials have printed
	Forbidden view.Forbidden
	Ranges    func(*state.Plan) any // the JSON of a plan, as the command line prints it
	Seen      func(*state.Plan) int // the revision that the user saw last, 0 for none
	Note      func(*state.Plan)     // notes that the user sees the current revision
	// TakeWithin is how long an editor that has the workspace open has to take a decision up; 0: 5 s.
	TakeWithin time.Duration
}

// Server is the review of one plan. It serves from [Start] until Close.
type Server struct {
	o        Options
	a        *agent.Agent
	listener net.Listener
	http     *http.Server
	key      key
	code     code
	marks    marks
	news     news
	replies  replies
	streams  atomic.Int32 // pages that listen
	work     work

	ending sync.Once
	ended  chan struct{} // closed when the review is over
	why    string        // set before ended is closed
}

// Start listens on a port of 127.0.0.1 and serves the page of a plan.
func Start(o Options) (*Server, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", o.Port))
	if err != nil {
		return nil, fmt.Errorf("no page can be served: %w", err)
	}
	s := &Server{o: o, a: o.Agent, listener: listener, key: newKey(), code: newCode(), ended: make(chan struct{})}
	s.news.changed = make(chan struct{})
	s.http = &http.Server{
		Handler: s.guarded(s.routes()), ErrorLog: zap.NewStdLog(s.a.Session.Log),
		ReadHeaderTimeout: headerWithin, ReadTimeout: readWithin, IdleTimeout: idleFor, MaxHeaderBytes: maxHeader,
	}
	s.a.Session.Observe(func(e state.Event) {
		s.replies.hear(e)
		if e.PlanNumber == o.Plan || e.Kind == state.TurnFinished {
			s.news.tell()
		}
	})
	go func() {
		if err := s.http.Serve(netutil.LimitListener(listener, maxConnections)); !errors.Is(err, http.ErrServerClosed) {
			s.end("The page cannot be served any more.")
		}
	}()
	return s, nil
}

// Address returns the address of the page, which holds no token.
func (s *Server) Address() string { return "http://" + s.listener.Addr().String() + "/" }

// Ended is closed when the review is over.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// end ends the review. The page hears why.
func (s *Server) end(why string) {
	s.ending.Do(func() {
		s.work.shutIf(true)
		s.why = why
		close(s.ended)
	})
}

// stay is how long the page can still ask for the plan once it has heard that the review has ended.
const stay = time.Second

// Close ends the review. It waits a moment, until pages that listen have shown how it ended.
func (s *Server) Close() {
	s.end("The review has ended.")
	if s.streams.Load() > 0 {
		time.Sleep(stay)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.file("index.html"))
	mux.HandleFunc("GET /page.js", s.file("page.js"))
	mux.HandleFunc("GET /page.css", s.file("page.css"))
	mux.HandleFunc("POST /api/code", s.typed)
	for route, handle := range map[string]handler{
		"GET /api/plan":              s.plan,
		"GET /api/file":              s.oneFile,
		"GET /api/context":           s.context,
		"GET /api/hunk":              s.hunk,
		"POST /api/preview-decision": s.whileOpen(s.previewDecision),
		"POST /api/rework":           s.whileOpen(s.rework),
		"POST /api/edit":             s.whileOpen(s.edit),
		"POST /api/seen":             s.seen,
		"POST /api/comments":         s.whileOpen(s.comment),
		"DELETE /api/comments/{id}":  s.whileOpen(s.uncomment),
		"POST /api/close":            s.close,
	} {
		mux.HandleFunc(route, answering(handle))
	}
	mux.HandleFunc("POST /api/decide", patient(answering(s.whileOpen(s.decide))))
	mux.HandleFunc("POST /api/undo", patient(answering(s.whileOpen(s.undo))))
	mux.HandleFunc("GET /api/events", s.events)
	return mux
}

// close ends the review for the page, and says what was decided and what still runs. The command line
// waits for that.
func (s *Server) close(r *http.Request) (any, error) {
	s.work.shutIf(true) // before the plan is read: what is decided afterwards would not be told
	p, err := s.state(r.Context())
	if err != nil {
		select {
		case <-s.ended:
		default:
			s.work.shutIf(false)
		}
		return nil, err
	}
	sentences := s.closing(&p)
	s.end(strings.Join(sentences, "\n"))
	return map[string]any{"sentences": sentences}, nil
}

// state describes the plan for the page.
func (s *Server) state(ctx context.Context) (state.Plan, error) {
	if err := s.a.Board.Follower.Refresh(ctx); err != nil {
		return state.Plan{}, err
	}
	p, err := s.a.Board.PlanState(ctx, s.o.Plan)
	s.a.Trials.Told(&p)
	return p, err
}

// over reports whether nothing is left to decide on or to wait for.
func (s *Server) over(p *state.Plan) bool {
	return !plan.State(p.State).Open() && !s.busy()
}

// endIfOver ends the review of a plan that is decided.
func (s *Server) endIfOver(p *state.Plan) bool {
	if !s.over(p) {
		return false
	}
	s.end(strings.Join(s.closing(p), "\n"))
	return true
}
