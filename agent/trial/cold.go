package trial

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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

// buildOf returns the command that builds what a command line would, so that the line finds it built;
// "" if it has no program that does.
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
