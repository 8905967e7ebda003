package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"redline/agent/config"
	"redline/agent/model"
	"redline/agent/store"
	"redline/agent/trial"
	"redline/edits"
	"redline/internal/leash"
	"redline/workspace"
	"redline/workspace/leftover"
	"redline/workspace/runner"
	"redline/workspace/world"
)

func newDoctor(s streams) *cobra.Command {
	var dir string
	var showConfig, asTOML, apparmor, checksModel, asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is configured, reachable and supported here",
		Long: `Looks at the workspace, the state directory, the model, the tool servers, the
editors and what limits commands, and says what to do about each
problem. Exit status 5 if the model cannot be used.

With --model it asks the model one small question with a tool instead, and shows whether
it calls tools, streams, and reads enough at once.`,
		Example: `  redline doctor
  redline doctor --model                         # ask the model something
  redline doctor --config
  redline doctor --config --toml > config.toml   # a settings file to start from
  redline doctor --apparmor                      # on Ubuntu 24.04 and later, for trials`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if apparmor {
				return printProfile(s.out)
			}
			if asJSON && !checksModel {
				return usage(errors.New("--json goes with --model: redline doctor --model --json"))
			}
			if asTOML {
				if !showConfig {
					return usage(errors.New("--toml goes with --config: redline doctor --config --toml"))
				}
				_, err := io.WriteString(s.out, config.Template())
				return err
			}
			set, err := newSetupAnyway(nil)
			if err != nil {
				return err
			}
			defer set.store.Close()
			set.warn(s)
			if ws, err := set.workspaceIn(dir); err == nil {
				set.warnOf(ws, s)
			}
			if checksModel && set.unusable != nil {
				return status(exitUsage)
			}
			if checksModel {
				return checkModel(cmd.Context(), s, set, asJSON)
			}
			if showConfig {
				return explain(folding(s.out), set.settings)
			}
			return examine(cmd.Context(), folding(s.out), set, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", ".", "look at this `folder`")
	cmd.Flags().BoolVar(&showConfig, "config", false, "print every setting, its value and where it came from")
	cmd.Flags().BoolVar(&checksModel, "model", false, "ask the model one small question, and check that it can do what Redline needs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --model: print one JSON value, as redline setup --test does")
	cmd.Flags().BoolVar(&apparmor, "apparmor", false, "print an AppArmor profile that lets this program use user namespaces, which trials need")
	cmd.Flags().BoolVar(&asTOML, "toml", false, "with --config: print a settings file with every setting explained and none set")
	return cmd
}

// explain prints every setting with its source.
func explain(w io.Writer, settings config.Settings) error {
	table := newTable(w)
	for _, row := range config.Explain(settings) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", row.Key, row.Value, row.Origin)
	}
	return table.Flush()
}

// finding is one line of the report: the thing checked, the result and, if there is a
// problem, what to do.
type finding struct {
	what, found, advice string
	fine                bool // the advice is about what is possible: there is no problem
	provider            bool // the model provider cannot be used
}

// examine prints a report on the installation. It fails only if the model provider cannot
// be used: Redline works without everything else.
func examine(ctx context.Context, w io.Writer, set *setup, dir string) error {
	folder, passed := workspace.Find(dir, set.settings.TrustedFolders)
	findings := []finding{{what: "redline", found: fmt.Sprintf("%s, %s, %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)}}
	if set.unusable != nil {
		findings = append(findings, finding{what: "settings", found: "Redline runs nothing and sends nothing", advice: edits.Visible(set.unusable.Error())})
	}
	findings = append(findings,
		folderFinding(folder.Dir, passed),
		stateFinding(set),
		ownFinding(set, folder),
		plansFinding(ctx, set),
		modelFinding(ctx, set),
		commandsFinding(ctx, set),
		endsFinding(set),
		trialsFinding(ctx, set, folder.Dir),
		editorFinding(),
	)
	findings = append(findings, languageFindings(ctx, set)...)
	findings = append(findings, promptFindings(set)...)
	findings = append(findings, toolFindings(ctx, set, folder.Dir)...)
	if runtime.GOOS == "windows" {
		findings = append(findings, finding{what: "system", found: "Windows", advice: "file modes and folder syncs are not kept there"})
	}
	var failed error
	for _, f := range findings {
		mark := "ok "
		if f.advice != "" && !f.fine {
			mark = "!! "
		}
		fmt.Fprintf(w, "%s%-10s %s\n", mark, f.what, f.found)
		if f.advice != "" {
			fmt.Fprintf(w, "   %-10s → %s\n", "", f.advice)
		}
		if f.provider {
			failed = status(exitProvider)
		}
	}
	return failed
}

func folderFinding(dir, passed string) finding {
	f := finding{what: "workspace", found: dir}
	if passed != "" {
		f.advice = passed + " belongs to another user and is passed over: name it with --dir, or in workspace.trusted_folders"
	}
	if err := workspace.New([]workspace.Folder{{Dir: dir}}, workspace.Options{}).HidesAll(); err != nil {
		f.advice = err.Error()
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		f.advice = "this folder does not exist: name one with --dir"
	}
	return f
}

func stateFinding(set *setup) finding {
	dir := set.settings.StateDir
	f := finding{what: "state", found: dir}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, ".probe-*"); err == nil {
			probe.Close()
			os.Remove(probe.Name())
		}
	}
	if err != nil {
		f.advice = "plans cannot be kept: make this folder writable or set REDLINE_STATE_DIR (" + plainError(err) + ")"
	}
	return f
}

// ownFinding warns if the user's settings or Redline's state are in the workspace, where
// tools and commands might reach them.
func ownFinding(set *setup, folder workspace.Folder) finding {
	ws := workspace.New([]workspace.Folder{folder}, workspace.Options{OffLimits: set.settings.OwnPaths()})
	inside := ws.OffLimitsInside()
	if len(inside) == 0 {
		return finding{what: "own files", found: "your settings and Redline's state are outside the workspace"}
	}
	return finding{what: "own files", found: "in the workspace: " + strings.Join(inside, ", ") + "; no tool reads or changes them, and " + keptFromCommands(set)}
}

// keptFromCommands describes how approved commands are kept from changing Redline's own
// files in the workspace.
func keptFromCommands(set *setup) string {
	c := set.settings.Commands
	switch {
	case c.Namespaces != runner.NamespacesOff && leash.Supports().Way == leash.Namespace:
		return "approved commands find them read-only"
	case c.Confine != runner.ConfineOff && runner.Supports().Supported:
		return "approved commands can change neither them nor what is directly in the folders above them"
	case c.Confine != runner.ConfineOff:
		return "approved commands that could write them do not run"
	}
	return "approved commands can write them, since commands.confine is off"
}

// plansFinding reports whether the plan database, if there is one, can be read.
func plansFinding(ctx context.Context, set *setup) finding {
	f := finding{what: "plans", found: "none yet"}
	if _, err := os.Stat(filepath.Join(set.settings.StateDir, store.FileName)); err != nil {
		return f
	}
	f.found = filepath.Join(set.settings.StateDir, store.FileName)
	if _, err := set.store.Plans(ctx, "", store.Filter{Limit: 1}); err != nil {
		f.advice = err.Error()
	}
	return f
}

func modelFinding(ctx context.Context, set *setup) finding {
	info := set.model.Info()
	if set.unusable != nil {
		return finding{what: "model", found: "none is asked", advice: "fix your settings or the policy first", provider: true}
	}
	if set.settings.Replay != "" {
		return finding{what: "model", found: "replayed from " + set.settings.Replay + ", offline"}
	}
	if info.Provider == "builtin" {
		return finding{
			what: "model", found: "built-in, offline; it understands rename, replace, insert, create, delete, move, run and try",
			advice: "for a real model run redline setup", fine: true,
		}
	}
	f := finding{what: "model", found: fmt.Sprintf("%s at %s", info.Name, info.BaseURL)}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	code, err := model.Reach(ctx, set.settings.ModelConfig())
	if failure, ok := errors.AsType[*model.Error](err); ok && failure.Kind == model.KindMisconfigured {
		f.advice, f.provider = "the base URL is not a URL: check "+set.settings.BaseFrom(), true
		return f
	}
	if set.settings.Refused != "" {
		f.advice, f.provider = set.settings.Refused, true
		return f
	}
	if err != nil {
		f.advice, f.provider = "nothing answers there: check "+set.settings.BaseFrom()+" and that the server runs", true
		if failure, ok := errors.AsType[*model.Error](err); ok && failure.Kind == model.KindKey {
			f.advice = failure.Error()
		}
		return f
	}
	switch {
	case set.settings.KeyFrom == "" && (code == http.StatusUnauthorized || code == http.StatusForbidden):
		f.advice, f.provider = "it wants a key: run redline setup", true
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		f.advice, f.provider = "the key was refused: check "+set.settings.KeyFrom, true
	case code >= http.StatusInternalServerError:
		f.advice, f.provider = fmt.Sprintf("it has a problem of its own (%d): try again later", code), true
	case code >= http.StatusBadRequest: // some providers do not list models
		f.advice = fmt.Sprintf("it does not list its models (%d): if requests fail too, check %s, which usually ends in /v1", code, set.settings.BaseFrom())
	}
	return f
}

// commandsFinding reports how well the system can limit where an approved command writes.
// It runs a command that does nothing.
func commandsFinding(ctx context.Context, set *setup) finding {
	c := set.settings.Commands
	landlock := runner.Supports()
	o, err := runner.Run(ctx, runner.Command{Line: "true", Dir: "/", Namespaces: c.Namespaces, Confine: c.Confine}, nil)
	f := finding{what: "commands"}
	switch {
	case c.Confine == runner.ConfineOff:
		f.found = "what an approved command writes is not limited: commands.confine is off"
	case o.ReadOnly:
		version, _, _ := strings.Cut(landlock.What, ";") // mounts and the PID namespace close the gaps of an older Landlock
		f.found = "what an approved command writes is limited to the workspace and the caches: all else is mounted read-only for it (" + version + ")"
	case o.Confined:
		f.found = "what an approved command writes is limited to the workspace and the caches (" + landlock.What + "); permissions, times and attributes of other files are not covered"
	case errors.Is(err, runner.ErrUnsupported):
		f.found = "what an approved command writes is not limited: " + landlock.What
		f.advice = err.Error()
	case err != nil:
		f.found = "what an approved command writes is not limited, so none is run"
		f.advice = err.Error()
	default:
		f.found = "what an approved command writes is not limited: " + landlock.What
		f.advice = "read each command before you approve it; docs/running.md says what else holds"
	}
	return f
}

// endsFinding reports how the processes of a command are killed with it.
func endsFinding(set *setup) finding {
	can := leash.Supports()
	way, because := can.Way, can.Reason
	if way == leash.Namespace && set.settings.Commands.Namespaces == runner.NamespacesOff {
		way, because = can.Else, "commands.namespaces is off"
	}
	f := finding{what: "processes"}
	switch way {
	case leash.Namespace:
		f.found = "nothing that a command starts outlives it: it runs in a PID namespace"
		if can.UserNS {
			f.found += " and a user namespace"
		}
	case leash.Cgroup:
		f.found = "what a command leaves behind is ended with its cgroup (no PID namespace: " + because + ")"
	case leash.Swept:
		f.found = "what a command leaves behind is looked for and ended (no PID namespace: " + because + ")"
	default:
		f.found = "what leaves the process group of a command outlives it: " + because
	}
	return f
}

// trialsFinding reports whether commands can be tried before a plan is approved, and
// whether this workspace allows it.
func trialsFinding(ctx context.Context, set *setup, dir string) finding {
	f := finding{what: "trials"}
	if set.settings.Trials.Mode == string(trial.Off) {
		f.found = "switched off (trials.mode)"
		return f
	}
	if err := runner.WorldsNoted(leftover.New(set.settings.StateDir)); err != nil {
		f.found = "none here: " + err.Error()
		f.advice = "plans are made and approved as usual, and nothing is tried before; docs/running.md says what trials need"
		if refused, ok := errors.AsType[*leash.Refusal](err); ok && refused.Do != "" {
			f.advice = refused.Do + "; without trials plans are made and approved as usual (docs/running.md)"
		}
		return f
	}
	f.found = "a command can be tried before you approve: it reaches no file, process or network of this system"
	if kind, why := runner.Apart(); kind == world.Bwrap {
		f.found += "; bwrap keeps it apart, with a copy of the workspace, since Redline may not: " + why
	}
	if runner.BoundedWorlds() {
		f.found += "; its memory and processes are limited in all (cgroup)"
	} else {
		f.found += "; memory is limited for each of its processes, and watched for all of them (what is hidden on purpose is not seen), since no cgroup with memory and pids is delegated to you"
	}
	if runner.OnDisk() {
		f.found += "; what it writes is on a disk while it runs, since this kernel cannot keep it in memory (Linux 6.6 can)"
	}
	said, err := set.store.TrialFolders(ctx)
	allowed, known := trial.ConsentIn(said, dir)
	switch {
	case set.settings.Trials.Mode != string(trial.Ask), err == nil && allowed:
	case known:
		f.found += "; forbidden in this workspace (redline trials allow)"
	default:
		f.found += "; not allowed in this workspace yet (redline trials allow)"
	}
	return f
}

// editorFinding lists the editors in PATH for which Redline has a configuration.
func editorFinding() finding {
	var found []string
	for _, name := range []string{"nvim", "hx", "helix", "kak", "emacs", "code", "subl", "kate", "zed"} {
		if path, err := exec.LookPath(name); err == nil {
			found = append(found, filepath.Base(path))
		}
	}
	if len(found) == 0 {
		return finding{what: "editors", found: "none found on the path", advice: "see editors/ in Redline's repository for each editor's configuration"}
	}
	return finding{what: "editors", found: strings.Join(found, ", ") + " (configuration: editors/NAME/README.md)"}
}

// plainError returns the cause of a file error without the path.
func plainError(err error) string {
	if cause := errors.Unwrap(err); cause != nil {
		return cause.Error()
	}
	return err.Error()
}
