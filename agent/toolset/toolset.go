// Package toolset adds the tools that reach beyond the user's files to those of a turn.
//
// fetch_url gets texts from the hosts that the user's settings name, and from no others. The address
// is checked when it connects, and again for each redirect, so that neither a redirect nor a changed
// DNS entry leads anywhere else. A request contains only its URL: no cookie, no key, no body.
//
// The tools of servers of the Model Context Protocol (https://modelcontextprotocol.io) are called
// through its SDK. A server is started when it is first needed, and stopped with the session. What it
// sends is data, of limited size. If it hangs or exits, the turn continues without its tools.
package toolset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"redline/agent/commands"
	"redline/agent/draft"
	"redline/agent/plan"
	"redline/agent/session"
	"redline/agent/tool"
	"redline/agent/trace"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/git"
)

// Reach is what models can use besides the files, according to the user's settings.
type Reach struct {
	Fetch   FetchOptions // the zero value allows no host
	Servers *Servers     // nil for none
}

// String describes the hosts and the servers that models can reach.
func (r *Reach) String() string { return fmt.Sprint(r.Fetch) + r.Servers.String() }

// With adds further tools to tools, unless tools is empty. It sets in env what the added tools
// need, and calls warn for a server that cannot be used.
func (r *Reach) With(ctx context.Context, tools []tool.Tool, env *tool.Env, warn func(string)) []tool.Tool {
	if len(tools) == 0 {
		return tools
	}
	if r.Fetch.Allowed() {
		env.Fetch = newFetcher(r.Fetch).Fetch
		tools = append(slices.Clip(tools), tool.FetchURL())
	}
	if r.Servers != nil {
		tools = r.withServers(ctx, tools, warn)
	}
	return tools
}

// maxTools is how many tools a model gets, besides a few that a turn adds. OpenAI and others refuse
// a request with more than 128.
const maxTools = 120

// withServers adds the tools of the configured servers, and starts the servers that do not
// run. A call that may change something is staged like a command, so its tool is added only
// if other tools of the turn stage too. withServers leaves out the tools of a server that
// cannot be used and calls warn for it.
func (r *Reach) withServers(ctx context.Context, tools []tool.Tool, warn func(string)) []tool.Tool {
	stages := slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Buffered })
	found, problems := r.Servers.Tools(ctx)
	for _, problem := range problems {
		warn(problem)
	}
	out := slices.Clone(tools)
	for _, f := range found {
		switch {
		case len(out) >= maxTools:
		case f.ReadOnly:
			out = append(out, tool.Looking(f.Remote, r.look))
		case stages:
			out = append(out, tool.Buffered(f.Remote, callLine))
		}
	}
	trace.Record(ctx, trace.Step{Kind: trace.Server, Summary: fmt.Sprintf("%d tools of servers are offered", len(out)-len(tools))})
	return out
}

// look calls a read-only tool, and checks again that it is one.
func (r *Reach) look(ctx context.Context, name string, arguments json.RawMessage) (string, bool) {
	answer, err := r.Servers.Look(ctx, name, arguments)
	if err != nil {
		return "error: " + err.Error(), true
	}
	server, _ := ServerOf(name)
	return fenced(server, answer), answer.IsError
}

// Call sends a call that the user has approved and returns the server's answer for the user,
// limited in size. failed is true if the server answered with an error. err is a refusal if the
// call is not the one that was shown; otherwise it says why the call could not be sent or got no
// answer. The caller must have checked the approval.
func (r *Reach) Call(ctx context.Context, o *plan.Operation) (output string, failed bool, err error) {
	if !o.CallsServer() || !showsCall(o.Command, o.Tool, o.Args) {
		return "", true, plan.Refuse(plan.HashMismatch, "Operation %s is not the call that was shown: ask for it again.", o.ID)
	}
	answer, err := r.Servers.Call(ctx, o.Tool, o.Args)
	if err != nil {
		return "", true, err
	}
	return strings.TrimRight(answer.Text, "\n"), answer.IsError, nil
}

// Run sends an approved call and returns the answer in the form of a command's result. The exit
// code is 1 if the server answered with an error.
func (r *Reach) Run(ctx context.Context, o *plan.Operation) commands.Observation {
	var output string
	var failed bool
	err := session.Contain(func() (err error) {
		output, failed, err = r.Call(ctx, o)
		return err
	})
	if err != nil {
		return commands.Observation{Problem: phrase.SentenceOf(err)}
	}
	code := 0
	if failed {
		code = 1
	}
	return commands.Observation{ExitCode: &code, Output: output}
}

// Replay stages operations again by their tool calls. No model sees the results, so files with
// secrets need not be named again.
func Replay(ctx context.Context, ws *workspace.Workspace) draft.Replay {
	tools := tool.All()
	return func(d *draft.Draft, o plan.Operation) ([]draft.Staged, error) {
		if o.CallsServer() {
			if !showsCall(o.Command, o.Tool, o.Args) {
				return nil, fmt.Errorf("%s is not the call that it shows", o.ID)
			}
			s, err := d.Command(o.Command, "", plan.Operation{Tool: o.Tool, Args: o.Args})
			return []draft.Staged{s}, err
		}
		t, ok := tool.Find(tools, o.Tool)
		if !ok || !t.Stages() {
			return nil, fmt.Errorf("there is no tool %s", o.Tool)
		}
		r := t.Run(ctx, &tool.Env{Draft: d, Workspace: ws, Named: func(string) bool { return true }, Step: o.Step, Fixed: true, Again: true}, o.Args)
		if r.IsError {
			return nil, errors.New(r.Text)
		}
		return r.Staged, nil
	}
}

// repositories are the Git repositories of the workspace folders, for the tools of a turn.
type repositories struct {
	ws *workspace.Workspace

	mu    sync.Mutex
	known map[string]repository // by folder
}

type repository struct {
	repo *git.Repo
	err  error
}

// Repositories returns the repositories of a workspace for tools, nil if no folder has one.
func Repositories(ws *workspace.Workspace) tool.Git {
	rs := &repositories{ws: ws, known: map[string]repository{}}
	if _, _, err := rs.Of("."); err != nil {
		return nil
	}
	return rs
}

// Of implements [tool.Git].
func (rs *repositories) Of(path string) (r tool.Repository, prefix string, err error) {
	err = git.ErrNone // the workspace has no folders
	single := rs.ws.Single()
	for _, f := range rs.ws.Folders() {
		if prefix = f.Name + "/"; single {
			prefix = ""
		}
		if path != "." && !strings.HasPrefix(path+"/", prefix) {
			continue
		}
		if path != "." {
			if repo, below, ok := rs.nested(f.Dir, strings.TrimPrefix(path+"/", prefix)); ok {
				return repo, prefix + below, nil
			}
		}
		repo, why := rs.at(f.Dir)
		if why == nil {
			return repo, prefix, nil
		}
		if err = why; path != "." {
			break
		}
	}
	return nil, "", err
}

// nested returns the innermost repository within a folder that holds a path of it, such as a
// submodule: the folder's own repository has no history of its files. below is the path of its
// root. path, like below, ends with a slash. A symbolic link leads to no repository.
func (rs *repositories) nested(folder, path string) (r *git.Repo, below string, ok bool) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, "", false
	}
	for below = strings.TrimSuffix(path, "/"); below != ""; below = below[:max(0, strings.LastIndexByte(below, '/'))] {
		dir := filepath.Join(real, filepath.FromSlash(below))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue
		}
		if is, err := filepath.EvalSymlinks(dir); err != nil || is != dir {
			continue
		}
		if repo, err := rs.at(dir); err == nil {
			return repo, below + "/", true
		}
	}
	return nil, "", false
}

func (rs *repositories) at(dir string) (*git.Repo, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	f, ok := rs.known[dir]
	if !ok {
		f.repo, f.err = git.At(dir, rs.ws.Leftovers())
		rs.known[dir] = f
	}
	return f.repo, f.err
}

// Unsaved implements [tool.Git].
func (rs *repositories) Unsaved() (paths []string) {
	for _, b := range rs.ws.Buffers() {
		if b.Dirty && b.Path != "" {
			paths = append(paths, b.Path)
		}
	}
	return paths
}
