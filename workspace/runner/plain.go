package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"redline/workspace/network"
	"redline/workspace/secrets"
	"redline/workspace/world"
)

// captureTime is how long listing what a command has left may take, and then reading it.
const captureTime = time.Minute

var errStopped = errors.New("it was stopped before that could be read")

// runPlain runs a command in its plain copy. Once the command has ended, with what it started as far as
// this system can end that, it reads what the command has left.
func runPlain(ctx context.Context, c Command, tell func(Stream, string)) (Outcome, error) {
	if len(c.Network.Peers) > 0 {
		return Outcome{}, errors.New("in a plain copy it cannot be limited to named hosts: allow it the network of the host, or run it where there is an overlay")
	}
	p, choose := c.Plain, c.Capture
	c.World, c.Capture, c.Network = nil, nil, network.Access{}
	c.Write = append(slices.Clip(c.Write), p.Dir())
	line, err := p.Into(c.Line, true)
	if err != nil {
		return Outcome{}, err
	}
	input, _ := p.Into(string(c.Input), false)
	if c.Line = line; c.Input != nil {
		c.Input = []byte(input)
	}
	stop := watchRoom(p)
	o, err := run(ctx, c, func(s Stream, text string) { tell(s, p.Out(text)) })
	o.Filled = stop()
	o.Stdout, o.Stderr, o.Output = p.Out(o.Stdout), p.Out(o.Stderr), p.Out(o.Output)
	o.Network = network.Report{Host: true} // nothing keeps it from that
	if err != nil || choose == nil {
		return o, err
	}
	if o.End == Cancelled || o.End == Lost || ctx.Err() != nil {
		o.NotCaptured = errStopped
		return o, nil
	}
	o.Left, o.NotCaptured = takeFrom(ctx, p, choose)
	return o, nil
}

// takeFrom reads what a command has left in a plain copy.
func takeFrom(ctx context.Context, p *world.Plain, choose func([]world.Entry) []int) ([]world.Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, captureTime)
	defer cancel()
	left, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	room := int64(world.MaxCaptured)
	for _, i := range choose(left) {
		if room -= left[i].Size; room < 0 {
			return nil, fmt.Errorf("the files that it wrote have more than %d MiB", world.MaxCaptured>>20)
		}
		if left[i].Text, err = p.Read(i, left[i]); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, errStopped
		}
	}
	return left, nil
}

// watchRoom watches whether the disk that holds a copy runs full. The returned function ends that.
func watchRoom(p *world.Plain) (stop func() (filled bool)) {
	var filled atomic.Bool
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for !filled.Load() {
			filled.Store(p.Full())
			select {
			case <-done:
				return
			case <-time.After(roomEvery):
			}
		}
	}()
	return func() bool {
		close(done)
		<-ended
		return filled.Load() || p.Full()
	}
}

// roomEvery is the interval between two looks of watchRoom.
const roomEvery = 5 * time.Millisecond

// environInPlain returns the environment of a command in a plain copy: as in a world no value has a
// password or a token, and what leads into the workspace leads into the copy.
func environInPlain(c Command, temp string) []string {
	env := environ(withGoSettings(os.Environ()), slices.Concat(c.Env, network.Variables), temp) // its network is the host's
	for i, v := range env {
		name, value, _ := strings.Cut(v, "=")
		env[i] = secrets.WithoutUsers(name + "=" + inPlain(c, value))
	}
	env = slices.DeleteFunc(env, func(v string) bool { return secrets.Text("variable", v) })
	for _, name := range c.Keys {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return append(env, "GIT_CEILING_DIRECTORIES="+c.Plain.Dir()) // no repository above the copy is its own
}

// inPlain returns the value of a variable with the names of the copy instead of those of the workspace.
// Where the home folder is in the workspace it stays as it is: the copy does not have the folders of tools.
func inPlain(c Command, value string) string {
	home, _ := os.UserHomeDir()
	if _, holds := c.Plain.In(home); holds {
		return value
	}
	list := string(filepath.ListSeparator)
	parts := strings.Split(value, list)
	for i, part := range parts {
		if in, ok := c.Plain.In(part); ok && filepath.IsAbs(part) {
			parts[i] = in
		}
	}
	return strings.Join(parts, list)
}
