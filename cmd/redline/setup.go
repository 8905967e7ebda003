package main

import (
	"fmt"
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"redline/agent"
	"redline/agent/config"
	"redline/agent/model"
	"redline/agent/store"
	"redline/workspace"
)

// setup is what every command that runs the agent is made of.
type setup struct {
	settings config.Settings
	warnings []config.Warning
	log      *zap.Logger
	store    *store.Store
	model    model.Provider
}

// clientName is what this program is called where decisions are recorded.
const clientName = "command line"

// newSetup reads the settings, of which some may have been given as flags. It
// opens nothing: the store and the model's connections are made when they are
// first needed.
func newSetup(flags map[string]string) (*setup, error) {
	settings, warnings, err := config.Load(config.Sources{Env: os.LookupEnv, Flags: flags})
	if err != nil {
		return nil, usage(err)
	}
	log := zap.NewNop() // errors are told in one sentence; a log is for those who ask for it
	if os.Getenv("REDLINE_LOG") != "" {
		log = newLog(settings.LogLevel)
	}
	return &setup{
		settings: settings,
		warnings: warnings,
		log:      log,
		store:    store.New(settings.StateDir),
		model:    model.New(settings.ModelConfig()),
	}, nil
}

// agent makes the agent of a workspace.
func (s *setup) agent(ws *workspace.Workspace, ed agent.Editor) *agent.Agent {
	a := agent.New(agent.Options{
		Workspace: ws, Store: s.store, Model: s.model, Limits: s.settings.Limits(), Log: s.log,
	})
	a.Attach(ed)
	return a
}

// workspaceIn is the workspace that a directory belongs to.
func (s *setup) workspaceIn(dir string) (*workspace.Workspace, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usage(fmt.Errorf("there is no folder %s: name one with --dir", dir))
	}
	return workspace.New([]workspace.Folder{workspace.Find(dir)}, workspace.Options{
		StateDir: s.settings.StateDir, MaxFile: s.settings.MaxFile,
	}), nil
}

// warn prints what is wrong with the settings.
func (s *setup) warn(to streams) {
	for _, w := range s.warnings {
		fmt.Fprintf(to.err, "redline: %s\n", w)
	}
}

// newLog writes to stderr: stdout belongs to the protocol or to the answer.
func newLog(level string) *zap.Logger {
	at, err := zapcore.ParseLevel(level)
	if err != nil {
		at = zapcore.WarnLevel
	}
	encoder := zap.NewDevelopmentEncoderConfig()
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(encoder), zapcore.Lock(os.Stderr), at))
}
