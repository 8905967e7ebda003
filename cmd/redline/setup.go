package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"redline/agent"
	"redline/agent/brief"
	"redline/agent/commands"
	"redline/agent/config"
	"redline/agent/decide"
	"redline/agent/languages"
	"redline/agent/model"
	"redline/agent/state"
	"redline/agent/store"
	"redline/agent/trial"
	"redline/agent/turn"
	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/language"
	"redline/workspace/leftover"
	"redline/workspace/runner"
	"redline/workspace/warm"
)

// setup holds what every command needs to run the agent.
type setup struct {
	settings config.Settings
	warnings []config.Warning
	log      *zap.Logger
	rules    *commands.Rules // on commands
	untried  *commands.Rules // on commands that are not tried
	store    *store.Store
	model    model.Provider

	// unusable is why the settings or the policy cannot be read; nil if they can. Nothing is run and
	// nothing is sent then.
	unusable error

	passed      string // a parent folder that was not taken as the workspace because another user owns it, "" for none
	someBuffers bool   // there is an editor, and by the settings it shows only some of its buffers
}

// clientName is the name of this program in recorded decisions.
const clientName = "command line"

// newSetup reads the settings; some may come from flags. It opens neither the store nor
// connections to models: they open on first use. It fails if the settings or the policy cannot
// be read.
func newSetup(flags map[string]string) (*setup, error) {
	set, err := newSetupAnyway(flags)
	if err == nil {
		err = set.unusable
	}
	if err != nil {
		return nil, usage(err)
	}
	return set, nil
}

// newSetupAnyway does what newSetup does, for commands that must also work without settings:
// they check setup.unusable before they run or send anything.
func newSetupAnyway(flags map[string]string) (*setup, error) {
	settings, warnings, err := config.Load(config.Sources{Env: os.LookupEnv, Flags: flags})
	unusable, ok := errors.AsType[*config.Unusable](err)
	if err != nil && !ok {
		return nil, usage(err)
	}
	allowed, wrong := commands.New(settings.Commands.Allow, settings.Commands.Deny)
	for _, err := range wrong {
		warnings = append(warnings, config.Warning(fmt.Sprintf("In %s, [commands]: %s.", settings.File, err)))
	}
	_, wrong = commands.New(nil, settings.Trials.Deny)
	for _, err := range wrong {
		warnings = append(warnings, config.Warning(fmt.Sprintf("In %s, [trials]: %s.", settings.File, err)))
	}
	untried, _ := commands.New(nil, slices.Concat(settings.Commands.Deny, settings.Trials.Deny))
	log := zap.NewNop() // errors are printed in one sentence; there is a log only on request
	if os.Getenv("REDLINE_LOG") != "" {
		log = newLog(settings.LogLevel)
	}
	set := &setup{
		settings: settings,
		warnings: warnings,
		rules:    allowed,
		untried:  untried,
		log:      log,
		store:    store.New(settings.StateDir),
		model:    model.New(settings.ModelConfig()),
	}
	if unusable != nil {
		set.unusable = unusable
	}
	set.store.OnWarning(func(text string) { set.log.Warn(text) })
	return set, nil
}

// inMemory lets the store fall back to memory if its directory cannot be written, unless
// the settings require a persistent audit log. It passes a warning to tell.
func (s *setup) inMemory(tell func(string)) {
	if s.settings.Audit != config.AuditRequire {
		s.store.InMemory(tell)
	}
}

// agent makes the agent of a workspace.
func (s *setup) agent(ws *workspace.Workspace, ed state.Editor) *agent.Agent {
	leftover.Sweep(s.settings.StateDir)
	warm.Sweep(s.settings.StateDir)
	a := agent.New(agent.Options{
		Workspace: ws, Store: s.store, Model: s.model, Log: s.log, Destination: s.destination(ed),
		Fetch:    s.settings.FetchConfig(),
		Facts:    brief.ProjectOptions{Within: s.settings.FactsWithin()},
		Keep:     decide.Keep{Days: s.settings.KeepDays, MB: int64(s.settings.KeepMB)},
		Commands: s.commands(),
		Trials:   s.trials(), Languages: s.languages(),
		Servers: s.settings.ToolServers,
		Turns: turn.Options{
			Limits: s.settings.Limits(), Context: s.settings.ContextLimits(), Decide: s.settings.Decide, MustAsk: s.settings.MustAsk() && s.settings.Decide == config.DecideAsk,
			Classify: s.settings.ClassifyBy(), SecondLook: s.settings.SecondLook, Summaries: s.settings.Summaries, Edits: s.settings.Edits,
			Report: s.settings.UI.Report,
			// A recording or a replay needs every request of the turn.
			ReusePlans: s.settings.ReusePlans && s.settings.Record == "" && s.settings.Replay == "",
			Templates:  s.settings.TemplatesDir(),
			Prompts:    s.promptSet().Dir,
			OutsideOptions: turn.OutsideOptions{
				OutsideAgents: s.settings.Outside.Agents, OutsideAgent: s.settings.OutsideAgent, OutsideDefault: s.settings.Outside.Default, OutsideCheck: s.settings.Outside.Check,
			},
			Agents: s.settings.AgentsDir(), Specialists: s.settings.Specialists,
		},
		SomeBuffers: s.someBuffers, AnswerWithin: answerWithin(ed), Forbidden: s.settings.Forbidden(),
	})
	a.Session.Attach(ed)
	return a
}

// answerWithin returns how long a decision waits for an editor, 0 for the usual time. At the command line it
// waits until the decision is carried out: the process ends afterwards, and what is left would never be done.
func answerWithin(ed state.Editor) time.Duration {
	if _, ok := ed.(*console); ok {
		return 30 * 24 * time.Hour
	}
	return 0
}

// destination returns the sentence that tells the user where texts are sent.
func (s *setup) destination(ed state.Editor) turn.Choice {
	choice := turn.Choice{By: s.settings.ChosenBy()}
	if con, ok := ed.(*console); ok { // its output is the answer
		choice.Tell = func(text string) { fmt.Fprintln(con.err, "redline:", text) }
	}
	return choice
}

// promptSet returns the built-in prompts with the user's own.
func (s *setup) promptSet() brief.Prompts {
	return brief.Prompts{Dir: s.settings.PromptsDir()}
}

// commands returns the options for running approved commands.
func (s *setup) commands() decide.ExecutorOptions {
	c := s.settings.Commands
	return decide.ExecutorOptions{
		Command: runner.Command{
			Limits: runner.Limits{Time: c.Timeout}, Env: c.Env, Secrets: []string{s.settings.APIKey}, Confine: c.Confine,
			Namespaces: c.Namespaces, Own: s.settings.OwnPaths(), OwnFolders: s.settings.OwnFolders(),
		},
		Caches: c.CacheFolders, Rules: s.rules, Parallel: c.Parallel, Wall: c.Wall,
	}
}

// trials returns the options for trials.
func (s *setup) trials() trial.Options {
	t := s.settings.Trials // no trial gets the variables of commands.env: nobody has approved it
	return trial.Options{
		Mode:    trial.Mode(t.Mode),
		Command: runner.Command{Limits: runner.Limits{Time: t.Timeout}, Secrets: []string{s.settings.APIKey}},
		TimeSet: s.settings.TrialTimeSet(),
		Tools:   s.settings.TrialTools(), Disk: int64(t.DiskMB) << 20, Memory: int64(t.Memory) << 20, Most: t.Most,
		Kept: warm.In(s.settings.StateDir), Show: t.Show, Hidden: s.settings.OwnPaths(), Rules: s.untried, Record: s.settings.Record, Replay: s.settings.Replay,
		Isolation: t.Isolation, CopyAlso: t.CopyAlso, Plain: s.commands().Command, Caches: s.settings.Commands.CacheFolders,
	}
}

// languages returns the options for language servers.
func (s *setup) languages() languages.Options {
	l := s.settings.Languages
	return languages.Options{Mode: trial.Mode(l.Mode), Adapters: language.With(language.Adapters(), l.Servers), Memory: int64(l.Memory) << 20}
}

// workspaceIn returns the workspace that contains a directory.
func (s *setup) workspaceIn(dir string) (*workspace.Workspace, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usage(fmt.Errorf("there is no folder %s: name one with --dir", dir))
	}
	folder, passed := workspace.Find(dir, s.settings.TrustedFolders)
	s.passed = passed
	return s.workspaceOf(folder), nil
}

// workspaceOf returns the workspace of a folder.
func (s *setup) workspaceOf(folder workspace.Folder) *workspace.Workspace {
	return workspace.New([]workspace.Folder{folder}, workspace.Options{
		StateDir: s.settings.StateDir, OffLimits: s.settings.OwnPaths(), MaxFile: s.settings.MaxFile, Charsets: s.settings.Charsets,
	})
}

// unusableError says to the user of an editor why nothing is run or sent.
func (s *setup) unusableError() error {
	return fmt.Errorf("%s and restart Redline", phrase.TrimStop(phrase.Sentence(s.unusable.Error())))
}

// warn prints the problems of the settings.
func (s *setup) warn(to streams) {
	if s.unusable != nil {
		fmt.Fprintf(to.err, "redline: %s.\n", edits.Visible(s.unusable.Error()))
	}
	for _, w := range s.warnings {
		fmt.Fprintf(to.err, "redline: %s\n", w)
	}
}

// warnPassed warns about a parent folder that was not taken as the workspace because
// another user owns it.
func (s *setup) warnPassed(to streams) {
	if s.passed != "" {
		fmt.Fprintf(to.err, "redline: %s belongs to another user, so it is not the workspace: name it with --dir, or in workspace.trusted_folders of %s.\n", s.passed, s.settings.File)
	}
}

// warnOf prints which settings in the workspace's file are ignored.
func (s *setup) warnOf(ws *workspace.Workspace, to streams) {
	data, err := ws.Own().Read(config.WorkspaceFile)
	if err != nil {
		return // there is none
	}
	for _, w := range config.IgnoredIn(config.OfWorkspace, data) {
		fmt.Fprintf(to.err, "redline: %s\n", w)
	}
}

// newLog returns a log that writes to stderr: stdout carries the protocol or the answer.
func newLog(level string) *zap.Logger {
	at, err := zapcore.ParseLevel(level)
	if err != nil {
		at = zapcore.WarnLevel
	}
	encoder := zap.NewDevelopmentEncoderConfig()
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(encoder), zapcore.Lock(os.Stderr), at))
}

// workspaceFlags are the flags shared by the commands on a workspace.
type workspaceFlags struct {
	dir  string
	json bool
}

func (f *workspaceFlags) define(flags *pflag.FlagSet) {
	flags.StringVar(&f.dir, "dir", ".", "work in this `folder`")
	flags.BoolVar(&f.json, "json", false, "print JSON")
}

// group makes cmd a command that only groups its subcommands, which share the flags.
func (f *workspaceFlags) group(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.DisableFlagsInUseLine, cmd.SuggestionsMinimumDistance = true, 2
	cmd.Args, cmd.RunE = noArgs, help
	f.define(cmd.PersistentFlags())
	cmd.AddCommand(verbs...)
	return cmd
}

// open returns the workspace of the folder, and the setup for a command on it. The caller
// must close the setup's store.
func (f *workspaceFlags) open(s streams) (*setup, *workspace.Workspace, error) {
	set, err := newSetup(nil)
	if err != nil {
		return nil, nil, err
	}
	set.warn(s)
	ws, err := set.workspaceIn(f.dir)
	set.warnPassed(s)
	return set, ws, err
}

// with runs f with the agent of the workspace.
func (f *workspaceFlags) with(s streams, run func(*agent.Agent, *console) error) error {
	s = watched(s)
	defer s.line.Close()
	set, ws, err := f.open(s)
	if err != nil {
		return err
	}
	return f.on(set, ws, s, run)
}

// on is like with, for an open workspace. It closes the store.
func (f *workspaceFlags) on(set *setup, ws *workspace.Workspace, s streams, run func(*agent.Agent, *console) error) error {
	defer set.store.Close()
	con := newConsole(s, ws)
	a := set.agent(ws, con)
	defer a.Close()
	con.quiet = f.json
	con.seen = seenIn(set.settings.StateDir, a.Session.Key())
	con.goLive()
	return run(a, con)
}
