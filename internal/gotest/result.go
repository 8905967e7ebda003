package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action      string
	Package     string
	ImportPath  string
	Test        string
	Output      string
	FailedBuild string
}

// result is the outcome of one `go test`.
type result struct {
	out      io.Writer
	packages []*pkg // in the order in which they ended
	byName   map[string]*pkg
	err      error // the error of the program
}

// pkg is the outcome of one package's tests.
type pkg struct {
	name     string
	lines    []line
	state    map[string]string // by test: run, pass, fail or skip
	failed   bool
	broken   bool // it failed for another reason than a test
	forgiven bool // every failed test has passed since
}

type line struct{ test, text string }

func newResult(out io.Writer) *result { return &result{out: out, byName: map[string]*pkg{}} }

// read reads the events, and prints each package when it ends.
func (r *result) read(events io.Reader) error {
	in := bufio.NewReader(events)
	for {
		text, err := in.ReadString('\n')
		if text != "" {
			var e event
			if json.Unmarshal([]byte(text), &e) != nil {
				fmt.Fprint(r.out, text) // output of the go command itself
			} else {
				r.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *result) take(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(r.out, e.Output)
		return
	}
	if e.Package == "" {
		return
	}
	p := r.byName[e.Package]
	if p == nil {
		p = &pkg{name: e.Package, state: map[string]string{}}
		r.byName[e.Package] = p
	}
	switch {
	case e.Action == "output":
		p.lines = append(p.lines, line{e.Test, e.Output})
		p.broken = p.broken || isBroken.MatchString(e.Output)
	case e.Action == "run":
		p.state[e.Test] = "run"
	case e.Action != "pass" && e.Action != "fail" && e.Action != "skip":
	case e.Test != "":
		p.state[e.Test] = e.Action
	default:
		p.failed = e.Action == "fail"
		p.broken = p.broken || e.FailedBuild != ""
		r.packages = append(r.packages, p)
		p.print(r.out)
	}
}

// isBroken matches a line of a test program that ended before its tests.
var isBroken = regexp.MustCompile(`^(panic: |fatal error: |signal: |WARNING: DATA RACE|exit status (?:[02-9]|1\d))`)

// print prints the output of `go test` without -v: that of the package itself, and of its
// failed tests.
func (p *pkg) print(out io.Writer) {
	for _, l := range p.lines {
		if l.test == "" && l.text == "PASS\n" || strings.HasPrefix(l.text, "=== ") {
			continue
		}
		if l.test == "" || p.failed && (p.state[l.test] == "fail" || p.state[l.test] == "run") {
			fmt.Fprint(out, l.text)
		}
	}
}

// byTests reports whether the package failed only because of tests.
func (p *pkg) byTests() bool {
	for _, state := range p.state {
		if state == "run" { // the test did not finish
			return false
		}
	}
	return !p.broken && len(p.failedTests()) > 0
}

// failedTests returns the innermost failed tests: those without a failed subtest.
func (p *pkg) failedTests() (tests []string) {
	for test, state := range p.state {
		if state != "fail" {
			continue
		}
		inner := false
		for other, state := range p.state {
			inner = inner || state == "fail" && strings.HasPrefix(other, test+"/")
		}
		if !inner {
			tests = append(tests, test)
		}
	}
	slices.Sort(tests)
	return tests
}

// output returns the output of a test and its subtests.
func (p *pkg) output(test string) string {
	var b strings.Builder
	for _, l := range p.lines {
		if l.test == test || strings.HasPrefix(l.test, test+"/") {
			b.WriteString(l.text)
		}
	}
	return b.String()
}

func (r *result) output(name, test string) string {
	p := r.byName[name]
	if p == nil {
		return ""
	}
	if text := p.output(test); text != "" {
		return text
	}
	return p.output("")
}

// passed reports whether a test ran and passed.
func (r *result) passed(name, test string) bool {
	p := r.byName[name]
	return p != nil && !p.broken && p.state[test] == "pass"
}

// failed returns the failed packages.
func (r *result) failed() []*pkg {
	return slices.DeleteFunc(slices.Clone(r.packages), func(p *pkg) bool { return !p.failed })
}

// forgiven reports whether all failed packages have passed since.
func (r *result) forgiven() bool {
	failed := r.failed()
	return len(failed) > 0 && !slices.ContainsFunc(failed, func(p *pkg) bool { return !p.forgiven })
}
