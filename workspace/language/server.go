package language

import (
	"context"
	"errors"
	"io"

	"redline/workspace/runner"
)

// Server is a language server that runs in a world of its own, and its client.
type Server struct {
	*Client
	leave context.CancelFunc // ends the conversation
	ended chan struct{}      // closed when nothing of it runs any more
	err   error              // why it could not be started; read it once ended is closed
}

// Start starts a server by run, which is [runner.Run], and initializes it. command has its line, world
// and limits; Start sets Talk and Live. ctx bounds the start only. The server lives until its command's
// time is over, it ends by itself or Close. The error is a part of a sentence.
func Start(ctx context.Context, run func(context.Context, runner.Command, func(runner.Stream, string)) (runner.Outcome, error), command runner.Command, o Options) (*Server, error) {
	if command.World == nil {
		return nil, errors.New("it runs only in an isolated environment")
	}
	life, leave := context.WithCancel(context.WithoutCancel(ctx))
	s := &Server{leave: leave, ended: make(chan struct{})}
	ready := make(chan error, 1)
	command.Live = runner.NewLive()
	o.Disk = command.Live
	command.Talk = func(talk context.Context, stream io.ReadWriter) error {
		c, err := Connect(ctx, endless{stream}, o)
		if err != nil {
			ready <- err
			return err
		}
		s.Client = c
		ready <- nil
		select {
		case <-life.Done():
		case <-talk.Done():
		case <-c.Done():
			return errEnded
		}
		c.Close()
		return nil
	}
	go func() {
		defer close(s.ended)
		_, s.err = run(context.WithoutCancel(ctx), command, func(runner.Stream, string) {})
	}()
	select {
	case err := <-ready:
		if err != nil {
			leave()
			<-s.ended
			return nil, err
		}
		return s, nil
	case <-s.ended:
		leave()
		if s.err == nil {
			s.err = errEnded
		}
		return nil, s.err
	}
}

// Close ends the server, and waits until nothing of it runs any more.
func (s *Server) Close() {
	s.leave()
	<-s.ended
}

// endless is a stream that ends with the process at its other end: the runner closes it.
type endless struct{ io.ReadWriter }

// Close implements [io.Closer].
func (endless) Close() error { return nil }
