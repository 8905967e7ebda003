package toolset

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"
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
