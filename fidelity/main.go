// Command fidelity runs the benchmark of edits: where a call of a model lands in files, by form,
// language and trouble, for Redline and for other tools beside it. README.md is its manual.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"redline/fidelity/internal/cases"
	"redline/fidelity/internal/generate"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
		os.Exit(1)
	}
}

func run() error {
	dir := flag.String("dir", "fidelity", "the `folder` of the benchmark")
	tools := flag.String("tools", "redline", "the tools to run, by commas: redline, an adapter in the folder adapters, or all")
	command := flag.String("adapter", "", "run the adapter that this `command` starts, too")
	only := flag.String("only", "", "only cases whose name or form contains this `text`")
	limit := flag.Duration("for", 0, "make calls for this `long`, in a mixed order, for tools that take long")
	show := flag.String("show", "", "print the calls with these `outcomes`, by commas")
	renew := flag.Bool("generate", false, "write the cases anew from their seeds")
	save := flag.Bool("save", false, "keep the outcomes in the folder results, and renew the tables and the plot")
	flag.Parse()
	if *renew {
		return writeCases(filepath.Join(*dir, "cases"))
	}
	all, err := cases.Load(filepath.Join(*dir, "cases"))
	if err != nil {
		return err
	}
	adapters, missing := begin(*dir, *tools, *command)
	for _, what := range missing {
		fmt.Println("not run:", what)
	}
	for _, a := range adapters {
		calls, until := choose(all, func(id string) bool { return strings.Contains(id, *only) }), time.Time{}
		if *limit > 0 {
			mix(calls)
			until = time.Now().Add(*limit)
		}
		results, err := runAll(a, calls, until)
		if err != nil {
			return err
		}
		if err := a.close(); err != nil {
			return err
		}
		for _, r := range results {
			if *show != "" && strings.Contains(","+*show+",", ","+string(r.is)+",") {
				r.print()
			}
		}
		fmt.Print(summary(a.name(), results))
		if *save {
			name := a.name()
			if n := len(results); n < len(calls) {
				name += fmt.Sprintf(" (%d%%)", 100*n/len(calls))
			}
			if err := keep(*dir, name, results); err != nil {
				return err
			}
		}
	}
	if *save {
		return renewPages(*dir)
	}
	return nil
}

// begin starts the adapters.
func begin(dir, tools, command string) (all []adapter, missing []string) {
	var commands [][]string
	names := strings.Split(tools, ",")
	if tools == "all" {
		names = []string{"redline"}
		for _, ext := range []string{"*.mjs", "*.py"} {
			found, _ := filepath.Glob(filepath.Join(dir, "adapters", ext)) // the pattern is right
			for _, name := range found {
				names = append(names, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
			}
		}
	}
	for _, name := range names {
		script := filepath.Join(dir, "adapters", name)
		switch {
		case name == "redline":
			all = append(all, redline{})
		case exists(script + ".mjs"):
			commands = append(commands, []string{"node", script + ".mjs"})
		case exists(script + ".py"):
			commands = append(commands, []string{"python3", script + ".py"})
		case name != "":
			missing = append(missing, name+": there is no such adapter")
		}
	}
	if command != "" {
		commands = append(commands, strings.Fields(command))
	}
	for _, c := range commands {
		if p, err := start(c...); err != nil {
			missing = append(missing, fmt.Sprintf("%s: %v", strings.Join(c, " "), err))
		} else {
			all = append(all, p)
		}
	}
	return all, missing
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// writeCases writes all cases anew.
func writeCases(dir string) error {
	all, err := generate.All()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for trouble, file := range all {
		if err := os.WriteFile(filepath.Join(dir, trouble+".txt"), []byte(file), 0o644); err != nil {
			return err
		}
	}
	return nil
}
