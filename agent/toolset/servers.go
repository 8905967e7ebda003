package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"redline/agent/tool"
	"redline/internal/lazyregexp"
)

// ServerOptions are the settings for running servers.
type ServerOptions struct {
	Workspace func() string    // returns the directory for ${workspace}
	Go        func(func())     // runs a function on a goroutine that the session waits for; nil: go
	Now       func() time.Time // nil: time.Now
	Log       *zap.Logger      // nil: no log
}

// Servers are the configured servers of a session. Its methods may be called from any
// goroutine. A nil Servers has no servers.
type Servers struct {
	o    ServerOptions
	list []*server
	stop context.CancelFunc
	root context.Context
}

// NewServers returns the servers. It starts none of them.
func NewServers(list []Server, o ServerOptions) *Servers {
	if len(list) == 0 {
		return nil
	}
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	if o.Workspace == nil {
		o.Workspace = func() string { return "" }
	}
	s := &Servers{o: o}
	s.root, s.stop = context.WithCancel(context.Background())
	for _, one := range list {
		s.list = append(s.list, newServer(one, s))
	}
	return s
}

// String lists the names of the servers and the tools that the settings call read-only.
func (s *Servers) String() string {
	if s == nil {
		return ""
	}
	var list string
	for _, one := range s.list {
		list += fmt.Sprintf(" %q %q", one.Name, one.ReadOnly)
	}
	return list
}

// Tools returns the tools of all servers. It starts the servers that are not running, in
// parallel. It leaves out servers that cannot be started; problems has a sentence for the
// user about each one that has failed since the last call. When ctx ends, Tools returns those
// it has.
func (s *Servers) Tools(ctx context.Context) (tools []ServerTool, problems []string) {
	if s == nil {
		return nil, nil
	}
	type found struct {
		tools   []ServerTool
		problem string
	}
	all := make([]found, len(s.list))
	var work sync.WaitGroup
	for i, one := range s.list {
		work.Add(1)
		s.o.Go(func() {
			defer work.Done()
			live, err := one.ensure(ctx)
			if err == nil {
				all[i].tools = live.tools
			}
			all[i].problem = one.news(ctx, err)
		})
	}
	work.Wait() // each is bounded by startTimeout and by ctx
	taken := map[string]bool{}
	for _, f := range all {
		for _, t := range f.tools {
			if !taken[t.Name] {
				taken[t.Name] = true
				tools = append(tools, t)
			}
		}
		if f.problem != "" {
			problems = append(problems, f.problem)
		}
	}
	return tools, problems
}

// Look calls a read-only tool and refuses any other; models can reach only this method. The
// error is an [*Unavailable], ctx's, or a sentence on what is wrong with the call.
func (s *Servers) Look(ctx context.Context, tool string, arguments json.RawMessage) (ServerResult, error) {
	return s.call(ctx, tool, arguments, true)
}

// Call calls any tool. Use it only for a call that the user has approved. Errors are as for
// [Servers.Look].
func (s *Servers) Call(ctx context.Context, tool string, arguments json.RawMessage) (ServerResult, error) {
	return s.call(ctx, tool, arguments, false)
}

func (s *Servers) call(ctx context.Context, tool string, arguments json.RawMessage, looks bool) (ServerResult, error) {
	arguments, err := object(arguments)
	if err != nil {
		return ServerResult{}, err
	}
	one := s.of(tool)
	if one == nil {
		return ServerResult{}, fmt.Errorf("there is no tool server for %q in the user's settings", oneLine(tool, maxName))
	}
	return one.call(ctx, tool, arguments, looks)
}

func (s *Servers) of(tool string) *server {
	name, ok := ServerOf(tool)
	if s == nil || !ok {
		return nil
	}
	for _, one := range s.list {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// Close stops all servers. Later calls fail.
func (s *Servers) Close() {
	if s == nil {
		return
	}
	s.stop()
	var work sync.WaitGroup
	for _, one := range s.list {
		work.Go(one.close)
	}
	work.Wait()
}

// Server is one configured server: a program or a URL.
type Server struct {
	Name    string            // NAME in [mcp.NAME]
	Command string            // the program: an absolute path, or a name in PATH
	Args    []string          // its arguments; ${workspace} is replaced with the first workspace folder
	Env     map[string]string // the program's environment besides the usual variables
	URL     string            // instead of Command: an http or https address
	Headers map[string]string // sent to URL
	Secrets []string          // values in Env and Headers that must not appear in a log or a result
	// ReadOnly names the tools that change nothing and may be called at once. nil: those that
	// the server declares read-only.
	ReadOnly []string
	Timeout  time.Duration // the timeout of a call; 0: [DefaultTimeout]
	// StartTimeout is how long the server may take from its start until its tools are listed; 0:
	// [DefaultStartTimeout].
	StartTimeout time.Duration
}

// Defaults and limits.
const (
	DefaultServerTimeout = 60 * time.Second
	// DefaultStartTimeout is enough for a program that is downloaded first, as npx and uvx do.
	DefaultStartTimeout = 30 * time.Second

	maxServerTools = 64       // tools per server
	maxDescription = 1 << 10  // bytes
	maxSchema      = 16 << 10 // bytes
	maxResult      = 64 << 10 // bytes of text
	maxMessage     = 4 << 20  // bytes of one message from a server
	maxArguments   = 256 << 10
)

// serverName matches the name of a server in the settings, such as issue-tracker.
var serverName = lazyregexp.New(`^[a-z0-9](?:[a-z0-9_-]{0,22}[a-z0-9])?$`)

// Check returns what is wrong with a configuration, as a part of a sentence; "" if nothing is.
func (s *Server) Check() error {
	switch {
	case !serverName().MatchString(s.Name) || strings.Contains(s.Name, separator):
		return errors.New("must have a name of at most 24 small letters, digits, single _ and -")
	case s.Command == "" && s.URL == "":
		return errors.New("must have a command or a url")
	case s.Command != "" && s.URL != "":
		return errors.New("must have either a command or a url, not both")
	case s.Command != "" && !filepath.IsAbs(s.Command) && strings.ContainsAny(s.Command, `/\`):
		return errors.New("must name its command by an absolute path, or by a name without a path that is found in PATH")
	case s.URL != "":
		u, err := url.Parse(s.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return errors.New("must have an http or https address as its url")
		}
	}
	return nil
}

// PlainAddress returns an address without the parts that may be secret.
func PlainAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(not an address)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// About describes the server in a few words, without secrets.
func (s *Server) About() string {
	if s.URL != "" {
		return PlainAddress(s.URL)
	}
	switch len(s.Args) {
	case 0:
		return s.Command
	case 1:
		return s.Command + " (1 argument)"
	}
	return fmt.Sprintf("%s (%d arguments)", s.Command, len(s.Args))
}

// ServerTool is a server's tool in the form that models see.
type ServerTool struct {
	tool.Remote      // its name is mcp__SERVER__TOOL
	ReadOnly    bool // it may be called without approval

	real string // its name on the server
}

// ServerResult is the result of a call.
type ServerResult struct {
	Text    string // limited in size; data, for the model or the user to read
	IsError bool   // the server reports that the call failed
}

// Unavailable is the error of a call that was not made, or got no answer, because of the server.
// Its text is a sentence for the model and the user. If the call was sent, its effect is
// unknown.
type Unavailable struct {
	Server string
	Reason string
	Sent   bool

	retryAt time.Time // the server is not started before; zero if this was the first failure
}

func (u *Unavailable) Error() string {
	text := fmt.Sprintf("The tool server %s %s", u.Server, u.Reason)
	if !u.retryAt.IsZero() {
		text += "; it is not tried again before " + u.retryAt.Format(time.TimeOnly)
	}
	if u.Sent {
		text += "; whether the call had an effect is not known"
	}
	return text
}
