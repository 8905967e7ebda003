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
	packages []*pkg // in the order of their ends
	byName   map[string]*pkg
	err      error // what the program ended with
}

// pkg is the outcome of one package's tests.
type pkg struct {
	name     string
	lines    []line
	state    map[string]string // of a test: run, pass, fail or skip
	failed   bool
	broken   bool // it did not fail by a test alone
	forgiven bool // every test that failed has passed since
}

type line struct{ test, text string }

func newResult(out io.Writer) *result { return &result{out: out, byName: map[string]*pkg{}} }

// read takes the events, and prints each package when it has ended.
func (r *result) read(events io.Reader) error {
	in := bufio.NewReader(events)
	for {
		text, err := in.ReadString('\n')
		if text != "" {
			var e event
			if json.Unmarshal([]byte(text), &e) != nil {
				fmt.Fprint(r.out, text) // of the go command itself
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

// isBroken is a line of a test program that has ended before its tests did.
var isBroken = regexp.MustCompile(`^(panic: |fatal error: |signal: |WARNING: DATA RACE|exit status (?:[02-9]|1\d))`)

// print prints what `go test` without -v does: the output of the package itself, and
// that of the tests that have failed.
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

// byTests reports whether the package failed because tests did, and for nothing else.
func (p *pkg) byTests() bool {
	for _, state := range p.state {
		if state == "run" { // it was cut off
			return false
		}
	}
	return !p.broken && len(p.failedTests()) > 0
}

// failedTests are those that have failed by themselves: not only a part of them has.
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

// output is what a test and its parts have printed.
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

// passed reports whether a test was run and has passed.
func (r *result) passed(name, test string) bool {
	p := r.byName[name]
	return p != nil && !p.broken && p.state[test] == "pass"
}

// failed are the packages that have failed.
func (r *result) failed() []*pkg {
	return slices.DeleteFunc(slices.Clone(r.packages), func(p *pkg) bool { return !p.failed })
}

// forgiven reports whether nothing is left of what has failed.
func (r *result) forgiven() bool {
	failed := r.failed()
	return len(failed) > 0 && !slices.ContainsFunc(failed, func(p *pkg) bool { return !p.forgiven })
}
