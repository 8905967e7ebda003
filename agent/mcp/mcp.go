// Package mcp reaches the tools of servers that speak the Model Context Protocol,
// as the user has configured them: started when they are first needed, bounded in
// what they send, and ended with the session. What a server says is data. A server
// that hangs or dies costs its tools, not the turn.
package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"redline/internal/lazyregexp"
)

// Server is one server of the user's configuration: a program, or an address.
type Server struct {
	Name    string            // as in [mcp.NAME]
	Command string            // the program: an absolute path, or a name that is looked for in PATH
	Args    []string          // ${workspace} stands for the first workspace folder
	Env     map[string]string // what the program has in its environment besides the usual
	URL     string            // instead of Command: an http or https address
	Headers map[string]string // sent to URL
	Secrets []string          // values in Env and Headers that no log and no result may hold
	// ReadOnly names the tools that change nothing and may be called at once. nil:
	// those that the server itself says so of.
	ReadOnly []string
	Timeout  time.Duration // of one call; 0: [DefaultTimeout]
}

// Defaults and limits.
const (
	DefaultTimeout = 60 * time.Second
	startTimeout   = 10 * time.Second
	maxTools       = 64       // of one server
	maxDescription = 1 << 10  // bytes
	maxSchema      = 16 << 10 // bytes
	maxResult      = 64 << 10 // bytes of text
	maxMessage     = 4 << 20  // bytes of one message of a server
	maxArguments   = 256 << 10
)

var serverName = lazyregexp.New(`^[a-z0-9](?:[a-z0-9_-]{0,22}[a-z0-9])?$`)

// Check tells in a part of a sentence what is wrong with a configuration.
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

// About says in a few words what the server is, without anything secret.
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

// Tool is a tool of a server, as a model is told of it.
type Tool struct {
	Name        string // mcp__SERVER__TOOL
	Description string
	Schema      json.RawMessage // of type object
	ReadOnly    bool            // it may be called at once

	server string
	real   string // its name at the server
}

// Result is what a call came to.
type Result struct {
	Text    string // bounded; data, for the model or the user to read
	IsError bool   // the server says that the call failed
}

// Unavailable is why a call was not made or not answered: something about the
// server, as a sentence for the model and the user. What became of a call that was
// sent is not known.
type Unavailable struct {
	Server string
	Reason string
	Sent   bool
}

func (u *Unavailable) Error() string {
	text := fmt.Sprintf("The tool server %s %s", u.Server, u.Reason)
	if u.Sent {
		text += "; what became of the call is not known"
	}
	return text
}
