// Command gotest runs `go test` and runs the failed tests of some packages once more:
//
//	go run ./internal/gotest -again PACKAGE,… -- go test ./...
//
// It prints the output of `go test`. In the named packages, whose tests wait for editors, programs
// and goroutines, it runs a failed test once more by itself. If the test then passes, it is
// flaky: gotest names it at the end, with the output of both runs, and the run succeeds.
// The run fails if a test fails twice, a test of another package fails, a build fails, the race
// detector reports, or a program panics, times out or fails by itself.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

func main() {
	again := flag.String("again", "", "the import paths of the `packages` whose failed tests are run once more, with commas between")
	flag.Parse()
	os.Exit(run("", strings.Split(*again, ","), flag.Args(), os.Stdout))
}

// failure is a test that failed once.
type failure struct {
	pkg, test     string
	first, second string // the output of both runs
}

// run runs a command line that begins with "go test" in a directory and returns the exit
// status.
func run(dir string, again, command []string, out io.Writer) int {
	if len(command) < 2 || command[1] != "test" {
		fmt.Fprintln(out, "gotest: say the command, as in: gotest -again PACKAGE -- go test ./...")
		return 2
	}
	all, err := goTest(dir, command[0], command[2:], out)
	if err != nil {
		fmt.Fprintln(out, "gotest:", err)
		return 1
	}
	good := all.err == nil
	var flaky []failure
	for _, p := range all.failed() {
		if !slices.Contains(again, p.name) || !p.byTests() {
			continue
		}
		passed := 0
		for _, test := range p.failedTests() {
			f := failure{pkg: p.name, test: test, first: p.output(test)}
			fmt.Fprintf(out, "\n%s %s has failed: it is run once more.\n", f.pkg, f.test)
			second, err := goTest(dir, command[0], append([]string{"-count=1", "-run", pattern(test), p.name}, others(command[2:])...), io.Discard)
			f.second = second.output(p.name, test)
			if err != nil || second.err != nil || !second.passed(p.name, test) {
				fmt.Fprintf(out, "%s %s has failed twice:\n%s", f.pkg, f.test, f.second)
				continue
			}
			passed++
			flaky = append(flaky, f)
		}
		p.forgiven = passed == len(p.failedTests())
	}
	if !good {
		good = all.forgiven()
	}
	sayFlaky(out, flaky)
	if !good {
		return 1
	}
	return 0
}

// sayFlaky names the flaky tests, with both outputs.
func sayFlaky(out io.Writer, flaky []failure) {
	for _, f := range flaky {
		fmt.Fprintf(out, "\nflaky: %s %s\n--- first run\n%s--- second run\n%s", f.pkg, f.test, f.first, f.second)
	}
	if len(flaky) > 0 {
		fmt.Fprintf(out, "\nflaky: %d of the tests above failed and passed when run once more\n", len(flaky))
	}
}

// others returns the flags that follow the packages, without -run: a test that is run once more is the
// same test.
func others(args []string) (flags []string) {
	first := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") })
	if first < 1 { // the packages come last, and no flag is of the tests' own
		return nil
	}
	for args = args[first:]; len(args) > 0; args = args[1:] {
		if args[0] == "-run" && len(args) > 1 {
			args = args[1:]
			continue
		}
		flags = append(flags, args[0])
	}
	return flags
}

// pattern returns the -run pattern for exactly this test.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// goTest runs `go test -json` and prints the output of `go test`.
func goTest(dir, program string, args []string, out io.Writer) (*result, error) {
	r := newResult(out)
	cmd := exec.Command(program, append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = out
	events, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, err
	}
	err = r.read(events)
	r.err = cmd.Wait()
	return r, err
}
