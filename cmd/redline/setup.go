package main

import (
	"fmt"
	"os"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"redline/agent"
	"redline/agent/commands"
	"redline/agent/config"
	"redline/agent/editor"
	"redline/agent/model"
	"redline/agent/prompts"
	"redline/agent/retention"
	"redline/agent/rules"
	"redline/agent/store"
	"redline/agent/turn"
	"redline/workspace"
	"redline/workspace/leftover"
	"redline/workspace/runner"
)

// setup is what every command that runs the agent is made of.
type setup struct {
	settings config.Settings
	warnings []config.Warning
	log      *zap.Logger
	rules    *rules.Rules // on commands
	store    *store.Store
	model    model.Provider

	passed      string // the folder above that would be the workspace if it were the user's, "" for none
	someBuffers bool   // there is an editor, and the settings say that it shows only some of its buffers
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
	allowed, wrong := rules.New(settings.Commands.Allow, settings.Commands.Deny)
	for _, err := range wrong {
		warnings = append(warnings, config.Warning(fmt.Sprintf("In %s, [commands]: %s.", settings.File, err)))
	}
	log := zap.NewNop() // errors are told in one sentence; a log is for those who ask for it
	if os.Getenv("REDLINE_LOG") != "" {
		log = newLog(settings.LogLevel)
	}
	set := &setup{
		settings: settings,
		warnings: warnings,
		rules:    allowed,
		log:      log,
		store:    store.New(settings.StateDir),
		model:    model.New(settings.ModelConfig()),
	}
	set.store.OnWarning(func(text string) { set.log.Warn(text) })
	return set, nil
}

// agent makes the agent of a workspace.
func (s *setup) agent(ws *workspace.Workspace, ed editor.Editor) *agent.Agent {
	leftover.Sweep(s.settings.StateDir)
	a := agent.New(agent.Options{
		Workspace: ws, Store: s.store, Model: s.model, Log: s.log,
		Fetch:    s.settings.FetchConfig(),
		Keep:     retention.Keep{Days: s.settings.KeepDays, MB: int64(s.settings.KeepMB)},
		Commands: s.commands(),
		Servers:  s.settings.ToolServers,
		Turns: turn.Options{
			Limits: s.settings.Limits(), Context: s.settings.ContextLimits(), Decide: s.settings.Decide,
			Classify: s.settings.ClassifyBy(), SecondLook: s.settings.SecondLook, Summaries: s.settings.Summaries,
			// Traffic that is recorded, or replayed, is all that the turn needs.
			ReusePlans: s.settings.ReusePlans && s.settings.Record == "" && s.settings.Replay == "",
			Templates:  s.settings.TemplatesDir(),
			Prompts:    s.promptSet().Dir,
			Agents:     s.settings.AgentsDir(), Specialists: s.settings.Specialists,
		},
		SomeBuffers: s.someBuffers,
	})
	a.Attach(ed)
	return a
}

// promptSet is the prompts, with the user's own beside their settings.
func (s *setup) promptSet() prompts.Set {
	return prompts.Set{Dir: s.settings.PromptsDir()}
}

// commands is how approved commands are run.
func (s *setup) commands() commands.Options {
	c := s.settings.Commands
	if c.Caches == nil {
		c.Caches = config.UsualCaches()
	}
	return commands.Options{
		Command: runner.Command{
			Limits: runner.Limits{Time: c.Timeout}, Env: c.Env, Secrets: []string{s.settings.APIKey}, Confine: c.Confine,
			Namespaces: c.Namespaces, Own: s.settings.OwnPaths(), OwnFolders: s.settings.OwnFolders(),
		},
		Caches: c.Caches, Rules: s.rules,
	}
}

// workspaceIn is the workspace that a directory belongs to.
func (s *setup) workspaceIn(dir string) (*workspace.Workspace, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usage(fmt.Errorf("there is no folder %s: name one with --dir", dir))
	}
	folder, passed := workspace.Find(dir, s.settings.TrustedFolders)
	s.passed = passed
	return workspace.New([]workspace.Folder{folder}, workspace.Options{
		StateDir: s.settings.StateDir, OffLimits: s.settings.OwnPaths(), MaxFile: s.settings.MaxFile,
	}), nil
}

// warn prints what is wrong with the settings.
func (s *setup) warn(to streams) {
	for _, w := range s.warnings {
		fmt.Fprintf(to.err, "redline: %s\n", w)
	}
}

// warnPassed prints which folder above is not the workspace, since it is another
// user's.
func (s *setup) warnPassed(to streams) {
	if s.passed != "" {
		fmt.Fprintf(to.err, "redline: %s belongs to another user, so it is not the workspace: name it with --dir, or in workspace.trusted_folders of %s.\n", s.passed, s.settings.File)
	}
}

// warnOf prints which settings of the workspace's own file have no effect.
func (s *setup) warnOf(ws *workspace.Workspace, to streams) {
	data, err := ws.Own().Read(config.WorkspaceFile)
	if err != nil {
		return // there is none
	}
	for _, w := range config.IgnoredIn(config.OfWorkspace, data) {
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
