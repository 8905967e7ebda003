package toolset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"redline/agent/tool"
	"redline/internal/phrase"
	"redline/workspace/secrets"
)

// Delays before a failed server is started again: each failure in a row doubles the delay.
const (
	firstWait = 2 * time.Second
	longWait  = 5 * time.Minute
	settled   = time.Minute // a server that ran this long starts over with the shortest delay
)

// server is one server with its state.
type server struct {
	Server
	all   *Servers
	scrub *strings.Replacer // removes the configuration's secrets from texts
	turn  chan struct{}     // locked while the server is started or stopped

	mu       sync.Mutex
	live     *serverSession // nil while it is not running
	closed   bool
	failures int
	why      string          // the last problem
	retryAt  time.Time       // no start before this time
	writes   map[string]bool // tools that the server has at some time not declared read-only
	told     string          // the last problem that was shown to the user, without its details
}

// serverSession is a running server.
type serverSession struct {
	*client
	tools []ServerTool
	since time.Time
}

func newServer(s Server, all *Servers) *server {
	s.Timeout = cmp.Or(s.Timeout, DefaultServerTimeout)
	s.StartTimeout = cmp.Or(s.StartTimeout, DefaultStartTimeout)
	var pairs []string
	if u, err := url.Parse(s.URL); err == nil && s.URL != "" {
		if about := s.About(); about != s.URL {
			pairs = append(pairs, s.URL, about)
		}
		password, _ := u.User.Password()
		s.Secrets = append(slices.Clone(s.Secrets), u.RawQuery, u.User.Username(), password)
		for _, values := range u.Query() {
			s.Secrets = append(s.Secrets, values...)
		}
	}
	return &server{Server: s, all: all, scrub: secrets.Replacer(s.Secrets, pairs...), turn: make(chan struct{}, 1), writes: map[string]bool{}}
}

// ensure returns the running server, and starts it if necessary.
func (s *server) ensure(ctx context.Context) (*serverSession, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	live, closed, retryAt, why := s.live, s.closed, s.retryAt, s.why
	s.mu.Unlock()
	now := s.all.o.Now()
	switch {
	case closed:
		return nil, s.unavailable("is ended with the session")
	case live != nil && !live.over():
		return live, nil
	case live != nil:
		reason := s.ended(live, "has ended")
		s.drop(live, reason)
		return nil, s.unavailable(reason)
	case now.Before(retryAt):
		return nil, &Unavailable{Server: s.Name, Reason: why, retryAt: retryAt}
	}
	live, err := s.start(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err() // the turn was cancelled, so the server has not failed
		}
		s.failed(err.Error())
		return nil, s.unavailable(err.Error())
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		s.end(live)
		return nil, s.unavailable("is ended with the session")
	}
	s.live = live
	s.mu.Unlock()
	s.happened(fmt.Sprintf("was started, with %d tools", len(live.tools)))
	return live, nil
}

// start starts the server and lists its tools. The error is a part of a sentence.
func (s *server) start(ctx context.Context) (*serverSession, error) {
	ctx, cancel := context.WithTimeout(ctx, s.StartTimeout)
	defer cancel()
	defer context.AfterFunc(s.all.root, cancel)()
	live, err := s.connect()
	if err != nil {
		return nil, err
	}
	if err = live.initialize(ctx); err == nil {
		live.tools, err = s.list(ctx, live.client)
	}
	if err == nil {
		return live, nil
	}
	reason := ""
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		reason = s.ended(live, fmt.Sprintf("did not answer within %s of being started (start_seconds in [mcp.%s])", s.StartTimeout, s.Name))
	case errors.Is(err, errGone) || live.over() && context.Cause(live.ctx) != errClosed:
		reason = s.ended(live, "ended as it was started")
	default:
		reason = "could not be used: " + s.said(err.Error())
	}
	s.end(live)
	return nil, errors.New(reason)
}

// ended returns the reason why a server cannot be used any more, as a part of a sentence: text and
// the last line of the program's standard error, unless Redline has ended the program because of
// what it sent.
func (s *server) ended(live *serverSession, text string) string {
	if err := context.Cause(live.ctx); errors.Is(err, errNested) || errors.Is(err, errTooLarge) {
		return "was ended: " + err.Error()
	}
	if last := live.to.lastError(); last != "" {
		return text + ": " + strings.TrimRight(s.said(last), ".")
	}
	return text
}

// connect starts the server's program, if it has one, and returns the connection.
func (s *server) connect() (*serverSession, error) {
	live := &serverSession{since: s.all.o.Now()}
	if s.URL != "" {
		live.client = newClient(newAddress(&s.Server))
		return live, nil
	}
	p, err := startProcess(s)
	if err != nil {
		return nil, err
	}
	live.client = newClient(p)
	s.all.o.Go(func() { live.stop(cmp.Or(p.read(live.client), errGone)) })
	return live, nil
}

// heard logs a line that the program wrote.
func (s *server) heard(what, line string) {
	s.all.o.Log.Info(what, zap.String("server", s.Name), zap.String("text", oneLine(s.scrub.Replace(line), maxLoggedLine)))
}

// list returns the server's tools, at most maxTools. It skips tools without a name.
func (s *server) list(ctx context.Context, c *client) ([]ServerTool, error) {
	var tools []ServerTool
	cursor := ""
	for range maxServerTools { // the number of pages may be unlimited
		page, err := c.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, reason(err)
		}
		for _, t := range page.Tools {
			if t.Name != "" && len(tools) < maxServerTools {
				tools = append(tools, s.tool(t))
			}
		}
		if cursor = page.NextCursor; cursor == "" || len(tools) == maxServerTools {
			break
		}
	}
	return tools, nil
}

// tool returns a server's tool for models. The description marks the server's own words.
func (s *server) tool(t *sdk.Tool) ServerTool {
	out := ServerTool{Remote: tool.Remote{Name: nameOf(s.Name, t.Name)}, real: t.Name, ReadOnly: s.readOnly(t)}
	kind := "The call is staged, and made after the user has approved it."
	if out.ReadOnly {
		kind = "It changes nothing and is called at once."
	}
	out.Description = fmt.Sprintf("A tool of the server %s. %s In the server's words: %s", s.Name, kind, s.said(phrase.ClipBytes(t.Description, 4*maxDescription)))
	out.Description = phrase.ClipBytes(out.Description, maxDescription)
	out.Schema, _ = json.Marshal(t.InputSchema) // see listed.complete
	return out
}

// readOnly reports whether a tool may be called without approval: the user's settings allow
// it or, if they do not mention this server's tools, the server declares it read-only and
// always has.
func (s *server) readOnly(t *sdk.Tool) bool {
	if s.ReadOnly != nil {
		return slices.Contains(s.ReadOnly, t.Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Annotations == nil || !t.Annotations.ReadOnlyHint {
		s.writes[t.Name] = true
	}
	return !s.writes[t.Name]
}

// call calls a tool by its name for models.
func (s *server) call(ctx context.Context, name string, arguments json.RawMessage, looks bool) (ServerResult, error) {
	live, err := s.ensure(ctx)
	if err != nil {
		return ServerResult{}, err
	}
	i := slices.IndexFunc(live.tools, func(t ServerTool) bool { return t.Name == name })
	switch {
	case i < 0:
		return ServerResult{}, s.unavailable(fmt.Sprintf("has no tool %s", oneLine(name, maxName)))
	case looks && !live.tools[i].ReadOnly:
		return ServerResult{}, fmt.Errorf("the tool %s changes something and is called only after the user has approved it", name)
	}
	timed, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	defer context.AfterFunc(s.all.root, cancel)()
	got, err := live.callTool(timed, live.tools[i].real, arguments)
	var refused *jsonrpc.Error
	switch {
	case err == nil:
		return ServerResult{Text: s.scrub.Replace(got.Text), IsError: got.IsError}, nil
	case ctx.Err() != nil:
		return ServerResult{}, ctx.Err()
	case timed.Err() != nil:
		return ServerResult{}, s.lost(live, fmt.Sprintf("did not answer within %s and was ended", s.Timeout))
	case errors.As(err, &refused) && !live.over() && !(refused.Code >= lowestOwn && refused.Code <= highestOwn):
		return ServerResult{Text: s.said(refused.Message), IsError: true}, nil
	}
	if s.URL != "" {
		return ServerResult{}, s.lost(live, "cannot be used any more: "+s.said(err.Error()))
	}
	return ServerResult{}, s.lost(live, s.ended(live, "has ended"))
}

// The range of error codes by which servers that are ending report that a call did not get through.
const (
	lowestOwn  = -32005
	highestOwn = -32003
)

// lost stops a server that a call has found unusable.
func (s *server) lost(live *serverSession, reason string) error {
	s.drop(live, reason)
	return &Unavailable{Server: s.Name, Reason: reason, Sent: true}
}

// drop stops a failed server. It is started again after a delay.
func (s *server) drop(live *serverSession, reason string) {
	s.mu.Lock()
	if s.live != live {
		s.mu.Unlock()
		return
	}
	s.live = nil
	if s.all.o.Now().Sub(live.since) > settled {
		s.failures = 0
	}
	s.mu.Unlock()
	s.failed(reason)
	s.end(live)
	s.happened(reason)
}

// end stops a running server. A server at an address that takes long to hear of it is not waited for.
func (s *server) end(live *serverSession) {
	live.stop(errClosed)
	done := make(chan struct{})
	s.all.o.Go(func() {
		defer close(done)
		live.to.end()
	})
	var late <-chan time.Time
	if s.URL != "" {
		late = time.After(grace)
	}
	select {
	case <-done:
	case <-late:
	}
}

// failed records a failure, and sets the delay before the next start.
func (s *server) failed(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wait := longWait
	if s.failures < 8 {
		wait = min(firstWait<<s.failures, longWait)
	}
	s.failures++
	s.why, s.retryAt = why, s.all.o.Now().Add(wait)
}

// news returns the sentence to report to the user about the server, "" if nothing has changed.
func (s *server) news(ctx context.Context, err error) string {
	if err != nil && ctx.Err() != nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.told = ""
		return ""
	}
	if s.closed || s.why == "" {
		return err.Error() + "."
	}
	why, _, _ := strings.Cut(s.why, ": ") // the rest may hold a time, and differ each time
	if s.told == why {
		return ""
	}
	s.told = why
	return fmt.Sprintf("The tool server %s %s. Its tools are left out until it can be used; Redline does not try again before %s.", s.Name, s.why, s.retryAt.Format(time.TimeOnly))
}

func (s *server) unavailable(reason string) error {
	return &Unavailable{Server: s.Name, Reason: reason}
}

// said formats a server's words as one line, without the configuration's secrets.
func (s *server) said(text string) string {
	return s.scrub.Replace(oneLine(s.scrub.Replace(text), maxDescription))
}

// happened logs an event of the server.
func (s *server) happened(what string) {
	s.all.o.Log.Info("a tool server "+what, zap.String("server", s.Name))
}

// close stops the server for good.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	live := s.live
	s.live = nil
	s.mu.Unlock()
	if live != nil {
		s.end(live)
	}
}
