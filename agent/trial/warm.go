package trial

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"redline/internal/lazyregexp"
	"redline/internal/smallfile"
	"redline/workspace/runner"
	"redline/workspace/secrets"
	"redline/workspace/warm"
	"redline/workspace/world"
)

// slow is how long a command takes for which it pays to copy what the workspace has built.
const slow = 10 * time.Second

// warm gives a world the folder of an earlier one if the command builds with cargo. It returns nil if
// there is none; otherwise the folder must be returned.
func (t *Trials) warm(ctx context.Context, c Command, w *world.World, dir string) *warm.Taken {
	if kind, _ := runner.Apart(); t.options.Kept == nil || len(t.options.Show) > 0 || kind != world.Overlay || runner.OnDisk() || !onlyCargo(c.Line) {
		return nil
	}
	b := warm.Build{Hidden: w.Hidden, Changes: w.Changes, Most: w.Disk}
	for _, f := range w.Folders {
		b.Folders = append(b.Folders, realOf(f))
	}
	for _, change := range w.Changes {
		if path, inside := t.pathOf(change.Path); !inside || secrets.Text(path, string(change.Text)) {
			return nil // what is built from it would stay
		}
	}
	if b.Target = cargoTarget(realOf(dir), b.Folders); b.Target == "" {
		return nil
	}
	p := t.pacesOf(c)
	b.Slow = p.took > slow || p.cut > 0
	taken := t.options.Kept.Take(ctx, b)
	if taken != nil {
		w.Kept, w.Changes = taken.Kept(), taken.Changes()
	}
	return taken
}

// cargoBuilds are the commands of cargo that build. beside are programs that may stand beside it: they
// write no files.
var (
	cargoBuilds = strings.Fields("build b check c test t bench clippy run r doc d nextest")
	beside      = strings.Fields("cd echo true tail head grep")
)

// onlyCargo reports whether a command line builds with cargo and does nothing else.
func onlyCargo(line string) (cargo bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), "")
	if err != nil {
		return false
	}
	ok := true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			to := ""
			if n.Word != nil {
				to = n.Word.Lit()
			}
			ok = ok && (n.Op == syntax.DplOut || to == os.DevNull)
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
			ok = false
		case *syntax.CallExpr:
			for _, a := range n.Assigns {
				ok = ok && a.Name != nil && !strings.HasPrefix(a.Name.Value, "CARGO") && !strings.HasPrefix(a.Name.Value, "PATH")
			}
			if len(n.Args) == 0 {
				return true
			}
			program := n.Args[0].Lit()
			if path.Base(program) != "cargo" {
				ok = ok && slices.Contains(beside, program)
				return true
			}
			cargo = true
			var words []string
			for _, w := range n.Args[1:] {
				words = append(words, w.Lit())
			}
			at := slices.IndexFunc(words, func(w string) bool { return !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") })
			ok = ok && at >= 0 && slices.Contains(cargoBuilds, words[at]) && !slices.ContainsFunc(words, elsewhere)
		}
		return true
	})
	return cargo && ok
}

// elsewhere reports whether an argument of cargo makes it build in another folder.
func elsewhere(word string) bool {
	return strings.HasPrefix(word, "--target-dir") || strings.HasPrefix(word, "--config") || strings.HasPrefix(word, "--manifest-path")
}

var (
	workspaceTable = lazyregexp.New(`(?m)^\s*\[workspace[\].]`)
	targetDir      = lazyregexp.New(`(?m)^\s*(?:build\.)?(?:target|build)-dir\s*=`)
)

// cargoTarget returns the folder in which cargo builds if it runs in dir, a folder of the workspace; ""
// if that is elsewhere or not known.
func cargoTarget(dir string, folders []string) string {
	if os.Getenv("CARGO_TARGET_DIR") != "" || os.Getenv("CARGO_BUILD_TARGET_DIR") != "" {
		return ""
	}
	root := ""
	for at := dir; isIn(at, folders); at = filepath.Dir(at) {
		for _, name := range []string{"config.toml", "config"} {
			if text, there := settings(filepath.Join(at, ".cargo", name)); there && (text == "" || targetDir().MatchString(text)) {
				return ""
			}
		}
		text, there := settings(filepath.Join(at, "Cargo.toml"))
		switch {
		case there && text == "":
			return ""
		case there && (root == "" || workspaceTable().MatchString(text)):
			root = at
		}
	}
	if root == "" {
		return ""
	}
	target := filepath.Join(root, "target")
	if _, err := os.Lstat(target); err == nil {
		if _, err := os.Lstat(filepath.Join(target, "CACHEDIR.TAG")); err != nil {
			return "" // not made by cargo
		}
	}
	return target
}

// maxSettings is the size of settings that cargo is taken to have, in bytes.
const maxSettings = 1 << 20

// settings returns the text of a file of cargo's settings, and whether it is there. The text is "" if
// it is not known: the repository may have a link to a device there, a pipe, or a file of any size.
func settings(name string) (text string, there bool) {
	if _, err := os.Lstat(name); err != nil {
		return "", false
	}
	text, err := smallfile.Read(name, maxSettings)
	if err != nil || len(text) > maxSettings {
		return "", true
	}
	return text + "\n", true
}

// busy matches what a program prints if a folder is in its way because it is mounted.
var busy = lazyregexp.New(`(?i)resource busy|os error 16|cross-device|os error 18`)

// release returns the folder after a run. It reports whether the command must run again without it,
// because it failed over that.
func release(taken *warm.Taken, o runner.Outcome, err error) (again bool) {
	if taken == nil {
		return false
	}
	again = err == nil && o.End == runner.Exited && o.ExitCode != 0 && busy().MatchString(o.Output)
	taken.Return(warm.End{
		Known: err == nil && o.Whole && !again && o.End != runner.Lost, Written: o.Written, Cut: o.End == runner.TimedOut, Full: o.End == runner.Overfull,
	})
	return again
}

// builds has for each program that builds what it runs how to build only: from the words after it.
// A program of which the words stay the same builds by the same command. Those that run scripts of
// a package.json are not among them: what tests in JavaScript build is not kept for the next run.
var builds = map[string]func(args []string) []string{
	"cargo": cargoBuild, "go": goBuild,
	"mvn": only("test-compile"), "mvnw": only("test-compile"),
	"gradle": only("testClasses"), "gradlew": only("testClasses"),
	"sbt": only("Test/compile"), "dotnet": only("build"), "mix": only("compile"), "zig": only("build"),
	"swift": only("build", "--build-tests"), "cabal": only("build", "--enable-tests"), "stack": only("build", "--test", "--no-run-tests"),
	"ctest": ctestBuild,
	"make":  same, "gmake": same, "ninja": same, "meson": same, "cmake": same, "just": same, "task": same, "bazel": same, "scons": same,
	"tsc": same,
}

func only(args ...string) func([]string) []string { return func([]string) []string { return args } }

func same(args []string) []string { return args }

// cargoBuild builds the tests without running them.
func cargoBuild(args []string) []string {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end] // what comes after it is for the tests
	}
	at := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+") })
	if at < 0 {
		return args
	}
	switch args[at] {
	case "test", "t", "bench":
		return slices.Insert(slices.Clone(args), at+1, "--no-run")
	case "nextest":
		return append(slices.Clone(args), "--no-run")
	case "run", "r":
		return slices.Concat(args[:at], []string{"build"}, args[at+1:])
	}
	return args
}

// goBuild builds the tests and runs none.
func goBuild(args []string) []string {
	if len(args) == 0 || args[0] != "test" {
		return args
	}
	kept := []string{"test", "-run=^$"}
	for i := 1; i < len(args); i++ {
		switch name := strings.TrimLeft(args[i], "-"); {
		case args[i] == "-args" || args[i] == "--args":
			return kept
		case !strings.HasPrefix(args[i], "-"):
			kept = append(kept, args[i])
		case name == "run" || name == "bench" || name == "count":
			i++ // its value
		case strings.HasPrefix(name, "run=") || strings.HasPrefix(name, "bench=") || strings.HasPrefix(name, "count=") || name == "v":
		default:
			kept = append(kept, args[i])
		}
	}
	return kept
}

// ctestBuild builds what is tested.
func ctestBuild(args []string) []string {
	dir := "."
	for i, a := range args {
		if value, ok := strings.CutPrefix(a, "--test-dir="); ok {
			dir = value
		} else if a == "--test-dir" && i+1 < len(args) {
			dir = args[i+1]
		}
	}
	return []string{"--build", dir}
}

// buildOf returns the command that builds what a command line would, so that the line finds it built:
// "cargo test --no-run" for "RUST_LOG=debug cargo test"; "" if it has no program that does.
func buildOf(line string) (build string) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return ""
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || build != "" {
			return build == ""
		}
		words := make([]string, len(call.Args))
		for i, w := range call.Args {
			words[i] = line[w.Pos().Offset():w.End().Offset()]
		}
		if len(words) == 0 {
			return true
		}
		program := path.Base(words[0])
		find, ok := builds[program]
		if !ok {
			return true
		}
		if program == "ctest" {
			words[0] = "cmake"
		}
		build = strings.Join(append(words[:1], find(words[1:])...), " ")
		return false
	})
	return build
}
