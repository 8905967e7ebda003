package lsp

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/lsp/lsptest"
	"redline/workspace"
)

// The user's answer to a question is carried out beside the editor's requests. Serve
// returns only after that has ended: then nothing writes into the workspace any more.
func TestTheEndWaitsForWhatWasChosen(t *testing.T) {
	dir, kept := t.TempDir(), store.New(t.TempDir())
	t.Cleanup(func() { kept.Close() })
	write(t, filepath.Join(dir, "a.txt"), "apple\n")
	own := config.Default()
	own.UI.AskWhenReady = config.AskAlways

	// The write of the preview fails here, and the log hook stops it there.
	writing, gone := make(chan struct{}), make(chan struct{})
	var over atomic.Bool
	core, _ := observer.New(zapcore.WarnLevel)
	log := zap.New(core, zap.Hooks(func(e zapcore.Entry) error {
		if strings.Contains(e.Message, "the preview could not be written") && !over.Load() {
			close(writing)
			<-gone
			for range 100_000 {
				runtime.Gosched()
			}
			over.Store(true)
		}
		return nil
	}))
	c := connectTo(t, lsptest.Honest(), dir, Options{Settings: &own, NewAgent: func(w *workspace.Workspace, _ state.Editor) (*agent.Agent, error) {
		return agent.New(agent.Options{Workspace: w, Store: kept, Model: model.New(model.Config{}), Log: log}), nil
	}})
	c.OnAsk(func(lsptest.Message) string {
		own := filepath.Join(dir, ".redline")
		if err := errors.Join(os.RemoveAll(own), os.WriteFile(own, nil, 0o600)); err != nil {
			t.Error(err)
		}
		return "Review"
	})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	<-writing
	c.Kill()
	close(gone)
	err := <-c.done
	if !over.Load() {
		t.Error("the server has ended, and the preview is still being written")
	}
	c.done <- err
}
