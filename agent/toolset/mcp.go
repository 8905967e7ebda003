package toolset

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"redline/agent/tool"
	"redline/internal/lazyregexp"
)

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

// About describes the server in a few words, without secrets.
func (s *Server) About() string {
	if s.URL != "" {
		u, err := url.Parse(s.URL)
		if err != nil {
			return "(not an address)"
		}
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		return u.String()
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
