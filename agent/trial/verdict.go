package trial

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"redline/agent/commands"
	"redline/agent/plan"
	"redline/agent/view"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace"
	"redline/workspace/runner"
)

// about is what a trial was asked for: to tell a failure that matters from one that was there before.
type about struct {
	words   string          // what the user wrote
	changed view.TriedTexts // the files that the plan's edits change
}

// judge returns the class of a failed trial and, if it could not be run here, why. before is the
// result without the plan's edits, nil if that is not known.
func (r *Result) judge(seen observed, before *baseline, of about) (plan.Class, string) {
	switch {
	case seen.ExitCode != nil && *seen.ExitCode == 0:
		return plan.TrialPassed, ""
	case before != nil && before.exitCode != nil && *before.exitCode == 0:
		return plan.FailsNow, ""
	case seen.ExitCode == nil && seen.End != runner.Signalled:
		return plan.CouldNotRun, ended[seen.End]
	case seen.ExitCode != nil && (*seen.ExitCode == 126 || *seen.ExitCode == 127):
		return plan.CouldNotRun, missing(seen.Output)
	}
	added, _, _ := r.compare()
	switch {
	case before != nil && (len(added) > 0 || r.stopsEarlier()):
		return plan.FailsNow, ""
	case of.failsIn(r.failures, seen.Output):
		return plan.StillFails, ""
	case len(r.hidden) > 0:
		return plan.CouldNotRun, phrase.And(phrase.FirstOf(r.hidden, 2, "file")) + " was left out as a possible secret (trials.show)"
	case seen.Refused != "":
		return plan.CouldNotRun, "it writes outside of the workspace (trials.read)"
	case r.unreached(seen):
		return plan.CouldNotRun, "no network"
	case before != nil:
		return plan.FailsAsBefore, ""
	}
	return plan.TrialFailed, ""
}

// ended has why a command could not be run, by how it ended.
var ended = map[runner.End]string{
	runner.TimedOut: outOfTime, runner.OutOfMemory: "it ran out of memory", runner.Overfull: "it ran out of disk",
	runner.Cancelled: "it was cancelled", runner.Lost: "it is not known how it ended",
}

// notFound matches what shells and env print if there is no such program: "sh: 1: pnpm: not found",
// "bash: pnpm: command not found", "env: ‘pnpm’: No such file or directory".
var notFound = lazyregexp.New(`(?m)(?:^|: |‘|')([\w./@+-]+)(?:’|')?: (?:(?:command )?not found|No such file or directory|Permission denied)\s*$`)

// missing says which program a shell did not find.
func missing(output string) string {
	if found := notFound().FindStringSubmatch(output); found != nil {
		return "there is no program " + found[1]
	}
	return "there is no such program"
}

// offline matches what programs print if an address cannot be reached, or a name not found.
var offline = lazyregexp.New(`(?i)network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|no such host|name or service not known|name resolution|could(?:n't| not) resolve|getaddrinfo|dial (?:tcp|udp)|failed to (?:fetch|download)|fetch failed|connection (?:error|refused)|max retries exceeded|offline`)

// unreached reports whether a command failed because it needs the network: it tried to reach an
// address in vain, by the counts of the kernel, and either says so or got no test to run.
func (r *Result) unreached(seen observed) bool {
	return seen.Unreached > 0 && (len(r.failures) == 0 || offline().MatchString(seen.Output))
}

// unread matches what programs print if a file is not there.
var unread = lazyregexp.New(`(?i)no such file|not found|ENOENT|cannot (?:open|find|read|load)|can't (?:open|find|read|load)|could not (?:open|find|read|load)|unable to (?:open|find|read|load)|does not exist|failed to (?:open|find|read|load)|FileNotFound|missing`)

// place matches a file and a line in it: "sum_test.go:12", "sum.ts(12,5)", `File "sum.py", line 12`.
var place = lazyregexp.New(`([\w./\\@+-]+\.\w{1,6})(?:[:(]|:\[|", line )\d+`)

// failsIn reports whether a failing test, or a file that the output names a line of, is in the
// user's words or in what the plan changes.
func (of about) failsIn(failures []string, output string) bool {
	for _, name := range failures {
		own := testName(name)
		if hasWord(of.words, own) || of.defines(own) || hasWord(of.words, testClass(name)) {
			return true
		}
		if file := testFile(name); file != "" && of.names(file) {
			return true
		}
	}
	return slices.ContainsFunc(place().FindAllStringSubmatch(output, 200), func(found []string) bool { return of.names(found[1]) })
}

// names reports whether a file of an output is one that the plan changes, or that the user names.
// An output may name a file by any end of its path.
func (of about) names(file string) bool {
	for changed := range of.changed {
		if isFile(changed, file) {
			return true
		}
	}
	return hasWord(of.words, path.Base(strings.ReplaceAll(file, `\`, "/")))
}

// isFile reports whether the name of a file in an output can mean the file at a workspace path.
func isFile(path, name string) bool {
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	return path == name || strings.HasSuffix(path, "/"+name) || strings.HasSuffix(name, "/"+path)
}

// Places returns how often the output names a line of the file at a workspace path.
func (r *Result) Places(path string) (n int) {
	for _, found := range place().FindAllStringSubmatch(r.Output, 200) {
		if isFile(path, found[1]) {
			n++
		}
	}
	return n
}

// defines reports whether a file that the plan changes has a test's name.
func (of about) defines(name string) bool {
	for _, text := range of.changed {
		if !text.Gone && hasWord(text.Text, name) {
			return true
		}
	}
	return false
}

var (
	fileOf   = lazyregexp.New(`^([^\s:]+\.\w+)(?:::| > |$)`)                    // pytest, Jest, Vitest
	unittest = lazyregexp.New(`^(\S+) \(([\w.<>]+)\)`)                          // "test_x (app.tests.T)", from Python 3.11 on "test_x (app.tests.T.test_x)"
	junit    = lazyregexp.New(`^(?:[\w.]+\.)?([A-Z][\w$]*)\.(\w+)(?:[({].*)?$`) // "shop.SumTest.adds(int)[1]"
	junit4   = lazyregexp.New(`^(\w+)\((?:[\w.]+\.)?([A-Z][\w$]*)\)$`)          // "adds(shop.SumTest)"
	args     = lazyregexp.New(`^(\w+)[({].*$`)                                  // "adds{int}[1]"
)

// testFile returns the file that a test's name begins with, "" if it does with none.
func testFile(name string) string {
	if found := fileOf().FindStringSubmatch(name); found != nil {
		return found[1]
	}
	return ""
}

// testClass returns the class of a test, "" if its name has none: "SumTest" of
// "shop.SumTest.addsTwoNumbers".
func testClass(name string) string {
	if found := junit().FindStringSubmatch(name); found != nil {
		return found[1]
	}
	if found := junit4().FindStringSubmatch(name); found != nil {
		return found[2]
	}
	if found := unittest().FindStringSubmatch(name); found != nil {
		class := strings.TrimSuffix(found[2], "."+found[1])
		return class[strings.LastIndex(class, ".")+1:]
	}
	if parts := strings.Split(name, "::"); len(parts) > 2 && testFile(name) != "" {
		return parts[len(parts)-2]
	}
	return ""
}

// testName returns the part of a test's name that its source has: "TestSum" of "TestSum/negative",
// "test_x" of "tests/test_a.py::test_x[1]" and "test_x (app.tests.T)", "adds" of "sum::adds" and
// "sum.test.js > sum > adds".
func testName(name string) string {
	if at := strings.LastIndex(name, " > "); at >= 0 {
		return args().ReplaceAllString(name[at+3:], "$1")
	}
	if at := strings.LastIndex(name, "::"); at >= 0 {
		name, _, _ = strings.Cut(name[at+2:], "[")
		return name
	}
	for _, form := range []struct {
		pattern func() *regexp.Regexp
		group   int
	}{{unittest, 1}, {junit, 2}, {junit4, 1}, {args, 1}} {
		if found := form.pattern().FindStringSubmatch(name); found != nil {
			return found[form.group]
		}
	}
	if strings.HasPrefix(name, "Test") {
		name, _, _ = strings.Cut(name, "/")
	}
	return name
}

// hasWord reports whether a text has a name as a word of its own. Names of one or two letters are in
// every text.
func hasWord(text, name string) bool {
	if len(name) < 3 {
		return false
	}
	inName := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for at := 0; ; {
		next := strings.Index(text[at:], name)
		if next < 0 {
			return false
		}
		at += next
		before, after := []rune(text[max(0, at-4):at]), []rune(text[at+len(name):min(len(text), at+len(name)+4)])
		if (len(before) == 0 || !inName(before[len(before)-1])) && (len(after) == 0 || !inName(after[0])) {
			return true
		}
		at += len(name)
	}
}

// stopsEarlier reports whether tests failed without the plan's edits, and with them the command does
// not get as far as its tests: it does not compile, for example.
func (r *Result) stopsEarlier() bool { return len(r.before) > 0 && len(r.failures) == 0 }

// compare compares the failures with the plan's edits with those without: which there are only with
// them, in both, and only without.
func (r *Result) compare() (added, same, gone []string) {
	if len(r.failures) == 0 || len(r.before) == 0 {
		return nil, nil, nil
	}
	for _, name := range r.failures {
		if slices.Contains(r.before, name) {
			same = append(same, name)
		} else {
			added = append(added, name)
		}
	}
	for _, name := range r.before {
		if !slices.Contains(r.failures, name) {
			gone = append(gone, name)
		}
	}
	return added, same, gone
}

// namesFile reports whether a line of output says that a file is not there.
func namesFile(output, name string) bool {
	if !strings.Contains(output, name) { // of most files nothing is said, and expressions are slow
		return false
	}
	word := wholeWord(name)
	for line := range strings.Lines(output) {
		if strings.Contains(line, name) && unread().MatchString(line) {
			if ok, _ := regexp.MatchString(word, line); ok {
				return true
			}
		}
	}
	return false
}

// wholeWord returns an expression for the name of a file, as a word of its own.
func wholeWord(name string) string {
	return `(?:^|[^\w.-])` + regexp.QuoteMeta(name) + `(?:$|[^\w.-])`
}

// places are lines of files that an output names.
type places map[string][]int

// placesIn finds the lines of files that an output names.
func placesIn(output string) places {
	found := places{}
	for _, at := range place().FindAllStringSubmatchIndex(output, 200) {
		var line int
		digits := output[at[3]:at[1]]
		if _, err := fmt.Sscan(strings.TrimLeft(digits, `:([", line`), &line); err == nil {
			name := output[at[2]:at[3]]
			found[name] = append(found[name], line)
		}
	}
	return found
}

// near is how many lines after the name of a file a test may fail for want of it: about as long as
// a test is.
const near = 40

// soonAfter reports whether the output names a line of a file that is a line of the workspace's
// file at path, or one shortly after it.
func (p places) soonAfter(path string, line int) bool {
	for name, lines := range p {
		if isFile(path, name) && slices.ContainsFunc(lines, func(at int) bool { return line <= at && at <= line+near }) {
			return true
		}
	}
	return false
}

// WithoutPlan runs an approved command, which has failed, in a world on the files before its
// plan's edits, and returns what that tells of the failure; "" if it tells nothing, because
// commands must not be tried here, or the two failures differ. now are the files that the plan
// has changed, as they are. asked is what the user wrote.
func (t *Trials) WithoutPlan(ctx context.Context, c Command, failed commands.Observation, before, now view.TriedTexts, asked string) plan.Class {
	if t.check(ctx, &c) != nil {
		return ""
	}
	seen, err := t.observe(ctx, c, before, nil)
	if err != nil || ctx.Err() != nil {
		return ""
	}
	return judgeApproved(failed, seen, len(t.missed(ctx, seen)) > 0, about{asked, now})
}

// judgeApproved compares a failed command with its run in a world without the plan's edits. hidden
// says that the run in the world names a file that is hidden there. What the command has left on
// the disk is there in the second run, and what only the user's own folders have is not, so that may
// fail for another reason, in the same test too: only equal failures were there before.
func judgeApproved(failed commands.Observation, before observed, hidden bool, of about) plan.Class {
	if before.ExitCode == nil || failed.ExitCode == nil {
		return ""
	}
	r := Result{failures: commands.Failures(failed.Output), before: commands.Failures(before.Output)}
	added, _, _ := r.compare()
	switch code := *before.ExitCode; {
	case code == 0:
		return plan.FailsNow
	case code == 126, code == 127, hidden, before.Refused != "", (&Result{failures: r.before}).unreached(before):
		return "" // it could not be run there
	case len(added) > 0:
		return plan.FailsNow
	case code != *failed.ExitCode, (len(r.failures) == 0) != (len(r.before) == 0):
		return ""
	case !commands.SameFailures(failed.Output, before.Output, len(r.failures) > 0):
		return ""
	case of.failsIn(r.failures, failed.Output):
		return plan.StillFails
	}
	return plan.FailsAsBefore
}

// maxSought is how many hidden files sources are searched for.
const maxSought = 10

// missed returns the paths of hidden files that a command may have missed: its output names them,
// or else the source of a test that fails does, shortly before the line that the output names.
func (t *Trials) missed(ctx context.Context, seen observed) (paths []string) {
	if seen.ExitCode != nil && *seen.ExitCode == 0 {
		return nil
	}
	var silent []string
	for _, name := range seen.hidden {
		path, inside := t.pathOf(name)
		switch {
		case !inside:
		case namesFile(seen.Output, filepath.Base(name)):
			paths = append(paths, path)
		default:
			silent = append(silent, path)
		}
	}
	if len(paths) > 0 || len(silent) > maxSought {
		return paths
	}
	failing := placesIn(seen.Output)
	if len(failing) == 0 {
		return nil
	}
	for _, hidden := range silent {
		q := workspace.Query{Pattern: wholeWord(filepath.Base(hidden)), Regexp: true, Limit: 100}
		named, err := t.ws.Search(ctx, q, nil)
		if err != nil {
			return paths
		}
		if slices.ContainsFunc(named.Hits, func(h workspace.Hit) bool { return failing.soonAfter(h.Path, h.Line) }) {
			paths = append(paths, hidden)
		}
	}
	return paths
}
