package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"syscall"
	"time"

	"redline/lsp/wire"
)

// shutdown records that the editor shuts the server down (LSP 3.18, "Shutdown Request"). exit
// then ends the process.
func (s *server) shutdown(context.Context, *wire.NoParams) (wire.Run, error) {
	s.shutDown.Store(true)
	return nil, nil
}

// exit ends the connection (LSP 3.18, "Exit Notification").
func (s *server) exit(context.Context, *wire.NoParams) error {
	s.conn.Close()
	return nil
}

// watchParent ends the connection when the editor's process is gone. If an editor is killed,
// another process may keep the pipe open.
func (s *server) watchParent(ctx context.Context, pid int) {
	if pid <= 0 {
		return
	}
	tick := time.NewTicker(s.options.Timeouts.Parent)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !alive(pid) {
				s.log.Info("the editor's process is gone")
				s.conn.Close()
				return
			}
		}
	}
}

// alive reports whether the process exists. It returns true if that cannot be determined, since
// the end of the input ends the connection too.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

// cancelProgressParams are WorkDoneProgressCancelParams. An unknown token is not an error.
type cancelProgressParams struct {
	Token json.RawMessage `json:"token"`
}

// cancelProgress cancels the turn whose progress the user has cancelled (LSP 3.18, "Cancelling a
// Work Done Progress").
func (s *session) cancelProgress(_ context.Context, p *cancelProgressParams) error {
	var turn string
	if json.Unmarshal(p.Token, &turn) != nil || turn == "" || s.backend.Agent() == nil {
		return nil
	}
	s.conn.Go("cancel", func(context.Context) { s.backend.Agent().Cancel(turn) })
	return nil
}
