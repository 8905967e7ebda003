package commands

import (
	"regexp"
	"slices"
	"strings"

	"redline/internal/lazyregexp"
)

// Failures returns the tests that failed according to output, sorted, each once; none if it does
// not name them in a known form. The groups of a test and its file come before its name where the
// output has them: "sum.test.js > sum > adds two numbers". A file or package without results, since
// it could not be loaded, counts as a test. Testdata has the output of each runner.
func Failures(output string) []string {
	f := failures{}
	for line := range strings.Lines(Uncoloured(output)) {
		if text := strings.TrimRight(line, " \t\r\n"); len(f.title) > 0 || f.mocha || f.ctest || telling(text) {
			f.read(text)
		}
	}
	f.endTitle()
	for at := range f.open {
		f.names = append(f.names, f.open[at].names...)
	}
	if !f.inFull {
		f.names = append(f.names, f.marked...)
	}
	slices.Sort(f.names)
	return slices.Compact(f.names)
}

// named matches the lines in which a runner names a failed test by itself: Go's, pytest's,
// unittest's, Cargo's, those of Maven and Gradle, RSpec's. Go and pytest name packages and files
// that could not be loaded too.
var named = lazyregexp.New(`^\s*--- FAIL: (\S+)` +
	`|^FAIL\t(\S+ \[(?:build|setup) failed\])$` +
	`|^(?:FAILED|ERROR|SUBFAILED(?:\[.*?\])?(?: \(.*?\))?) (\S+?::[^\s\[]+(?:\[.*?\])?|\S+\.py)(?: - .*)?$` +
	`|^(?:FAIL|ERROR): (\S+ \([\w.<>]+\)(?: .*)?)$` +
	`|^test (.+?)(?: - should panic)? \.\.\. FAILED$` +
	`|^(?:\[ERROR\] )?(\S.*?)\s+(?:-- )?Time elapsed: [\d.,]+ s(?:ec)?\s+<<< (?:FAILURE|ERROR)!$` +
	`|^([^\s>].* > .+) FAILED$` +
	`|^\s*rspec (\S+:\d+)`)

var (
	atLine = lazyregexp.New(` \(line \d+\)$`) // of a documentation test of Cargo's: edits above move it

	// Jest prints "● sum › adds", below "FAIL sum.test.js" or "FAIL project sum.test.js (5 s)".
	jestFile = lazyregexp.New(`^(FAIL|PASS) (?:.* )?(\S+\.\w+)(?: \([\d.]+ m?s\))?$`)
	jestTest = lazyregexp.New(`^  ● (.+)$`)
	jestSays = lazyregexp.New(`^(?:Console|Cannot log after|process\.exit called|(?:Validation|Deprecation) )`)

	// Vitest prints " FAIL  sum.test.js > sum > adds", or " FAIL  sum.test.js [ sum.test.js ]".
	vitest = lazyregexp.New(`^ FAIL  (?:\|.*?\| )?(\S+\.\w+(?: > .+)?)(?: \[ .* \])?$`)

	// Mocha prints "2) sum" and, deeper on lines of their own, "adds:", after "1 failing".
	mochaPart  = lazyregexp.New(`^  \d+ failing$`)
	mochaTitle = lazyregexp.New(`^  \d+\) (.+)$`)
	mochaMore  = lazyregexp.New(`^ {7}( *)(\S.*)$`)

	// CTest lists "2 - sum (Failed)".
	ctestPart = lazyregexp.New(`^The following tests FAILED:$`)
	ctestTest = lazyregexp.New(`^\s+\d+ - (.+?) \((?:Failed|Timeout|Not Run|Bad Command|[A-Z_]+|Subprocess \w+|Child aborted|Exit code .*)\)(?:\s.*)?$`)

	// A test of TAP and of node, with the groups below and so after it: "not ok 1 - adds",
	// "✖ adds (1.2ms)".
	tap  = lazyregexp.New(`^(\s*)(not )?ok \d+ -? ?(.+)$`)
	spec = lazyregexp.New(`^(\s*)([✖✔]) (.+?)( \([\d.]+m?s\))(?: # .*)?$`)
	open = lazyregexp.New(`^(\s*)▶ (.+?) \([\d.]+m?s\)$`) // how some versions of node end a group

	// Marks before the name alone, which Jest, Vitest and others print while they run.
	mark = lazyregexp.New(`^\s*[✗✕✘×] (.+?)(?: [(\[]?[\d.]+ ?m?s[)\]]?)?$`)
)

// telling reports whether a line can say that a test failed, or belongs to what does. Few lines do,
// and patterns take their time.
func telling(text string) bool {
	for _, word := range []string{"FAIL", "ERROR", "PASS", "failing", "rspec"} {
		if strings.Contains(text, word) {
			return true
		}
	}
	rest := strings.TrimLeft(text, " ")
	if rest = strings.TrimPrefix(strings.TrimPrefix(rest, "not "), "ok "); len(rest) < len(text) && rest != "" && '0' <= rest[0] && rest[0] <= '9' {
		return true
	}
	return strings.ContainsAny(text, "✖✔●✗✕✘×▶")
}

// todo matches what TAP says after the name of a test whose result does not count: "not ok 2 - adds
// # TODO" (https://testanything.org/tap-version-13-specification.html).
var todo = lazyregexp.New(`(?i)(?:^|[^\\])# (?:todo|skip)\b`)

// failures is what was read of an output.
type failures struct {
	names  []string
	marked []string // names without their groups, only used if no others are known
	inFull bool     // the output has the names of marked with their groups

	file  string   // Jest: the file of the tests that follow
	mocha bool     // Mocha: the list of failures was reached
	title []string // Mocha: the parts of a name, as far as they are read
	ctest bool     // CTest: in the list of failures
	over  bool     // node: what follows repeats what was read
	open  []group  // TAP and node: failed tests that are in a group which is still open, the outermost first
}

// group has the failed tests on one level of indentation.
type group struct {
	indent int
	names  []string
}

// read reads the next line.
func (f *failures) read(text string) {
	if f.readTitle(text) || f.readList(text) || f.readJavaScript(text) || f.readNested(text) {
		return
	}
	if found := named().FindStringSubmatch(text); found != nil {
		for _, name := range found[1:] {
			if name != "" && !strings.HasPrefix(name, "Tests run:") {
				f.names = append(f.names, atLine().ReplaceAllString(name, ""))
			}
		}
		return
	}
	if found := mark().FindStringSubmatch(text); found != nil {
		f.marked = append(f.marked, found[1])
	}
}

// readTitle reads a name in Mocha's list of failures.
func (f *failures) readTitle(text string) bool {
	if mochaPart().MatchString(text) {
		f.mocha = true
		return true
	}
	if !f.mocha {
		return false
	}
	if len(f.title) > 0 {
		if more := mochaMore().FindStringSubmatch(text); more != nil && len(more[1]) == 2*(len(f.title)-1) {
			f.title = append(f.title, more[2])
			return true
		}
		f.endTitle()
	}
	if found := mochaTitle().FindStringSubmatch(text); found != nil {
		f.title = []string{found[1]}
		return true
	}
	return false
}

func (f *failures) endTitle() {
	if len(f.title) > 0 {
		f.names = append(f.names, strings.TrimSuffix(strings.Join(f.title, " > "), ":"))
		f.title = nil
	}
}

// readList reads CTest's list of failures.
func (f *failures) readList(text string) bool {
	if ctestPart().MatchString(text) {
		f.ctest = true
		return true
	}
	if !f.ctest {
		return false
	}
	found := ctestTest().FindStringSubmatch(text)
	if f.ctest = found != nil; f.ctest {
		f.names = append(f.names, found[1])
	}
	return f.ctest
}

// readJavaScript reads what Jest and Vitest print with the file of a test.
func (f *failures) readJavaScript(text string) bool {
	if found := vitest().FindStringSubmatch(text); found != nil {
		f.names, f.inFull = append(f.names, found[1]), true
		return true
	}
	if found := jestFile().FindStringSubmatch(text); found != nil {
		f.file = ""
		if found[1] == "FAIL" {
			f.file = found[2]
		}
		return true
	}
	found := jestTest().FindStringSubmatch(text)
	switch {
	case found == nil || f.file == "" || jestSays().MatchString(found[1]):
		return false
	case found[1] == "Test suite failed to run":
		f.names = append(f.names, f.file)
	default:
		f.names, f.inFull = append(f.names, f.file+" > "+strings.ReplaceAll(found[1], " › ", " > ")), true
	}
	return true
}

// readNested reads a test of TAP or of node. A group's own line comes after those of its tests:
// a group that failed because they did gives them its name, and is not listed itself.
func (f *failures) readNested(text string) bool {
	if text == "✖ failing tests:" {
		f.over = true
	}
	if f.over {
		return false
	}
	var found []string
	failed := false
	switch {
	case match(tap(), text, &found):
		failed = found[2] != ""
		name, _, _ := strings.Cut(found[3], " # ")
		found[3] = strings.ReplaceAll(name, `\#`, "#")
	case match(spec(), text, &found):
		failed = found[2] == "✖"
	case match(open(), text, &found):
		found = []string{"", found[1], "", found[2]}
	default:
		return false
	}
	indent, name := len(found[1]), found[3]
	if todo().MatchString(text) {
		failed = false
	}
	var inside []string
	for len(f.open) > 0 && f.open[len(f.open)-1].indent > indent {
		inside = append(inside, f.open[len(f.open)-1].names...)
		f.open = f.open[:len(f.open)-1]
	}
	for i := range inside {
		inside[i] = name + " > " + inside[i]
	}
	if failed && len(inside) == 0 {
		inside = []string{name}
	}
	if len(f.open) == 0 || f.open[len(f.open)-1].indent < indent {
		f.open = append(f.open, group{indent: indent})
	}
	last := &f.open[len(f.open)-1]
	last.names = append(last.names, inside...)
	return true
}

// match sets found to what a pattern finds in a text.
func match(pattern *regexp.Regexp, text string, found *[]string) bool {
	*found = pattern.FindStringSubmatch(text)
	return *found != nil
}

// varying matches what differs between two runs that fail alike: durations, addresses, dates, times
// of day, and lines and columns of a file, whose name is its group. Other numbers may be what the
// failure is about: "expected 200, got 404".
var varying = lazyregexp.New(`\(?\b\d+(?:\.\d+)? ?(?:[mµn]?s|sec(?:onds?)?)\b\)?|\b0x[0-9a-f]+\b|\b\d{4}-\d\d-\d\d\b|\b\d\d?:\d\d:\d\d(?:[.,]\d+)?` +
	`|\bline \d+|(\w\.\w+)(?::\d+){1,2}\b|(\w\.\w+)\(\d+(?:,\d+)?\)`)

// alike reports whether a failure is the same as another one, by their output: each line about a
// failure is in the other output as often, apart from what is [varying]. Where no line is about a failure,
// the last lines count.
func alike(output, other string) bool {
	left := map[string]int{}
	for _, line := range failureLines(other) {
		left[line]++
	}
	for _, line := range failureLines(output) {
		if left[line]--; left[line] < 0 {
			return false
		}
	}
	return true
}

// failureLines returns the lines of an output about failures, or else the last one, without what is
// varying. Of an output without lines it returns an empty one.
func failureLines(output string) (lines []string) {
	last := ""
	for line := range strings.Lines(control().ReplaceAllString(output, "")) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if failure().MatchString(line) || place().MatchString(line) {
			lines = append(lines, varying().ReplaceAllString(line, "$1$2"))
		}
	}
	if len(lines) == 0 {
		return []string{varying().ReplaceAllString(last, "$1$2")}
	}
	return lines
}

var (
	// counts matches the lines in which runners count tests: they differ if a plan adds a test.
	counts = lazyregexp.New(`(?i)^\W*(?:tests?|test suites|test files|test result|error\] tests run)\b.*\d|\b\d+%? (?:tests? )?(?:passed|failed|passing|failing)\b` +
		`|\b\d+ examples?, \d+ failures?\b|^FAILED \((?:failures|errors)=`)
	// compared matches the lines in which an assertion prints its values.
	compared = lazyregexp.New(`(?i)^\s*[-+]?\s*(?:expected|received|actual|got|want(?:ed)?|left|right)\b`)
)

// SameFailures reports whether the failures of an output are in the other one too. named says that
// they are of tests with names, which are in both: then the lines that only count tests do not
// matter.
func SameFailures(output, other string, named bool) bool {
	output, other = Uncoloured(output), Uncoloured(other)
	if named {
		output, other = uncounted(output), uncounted(other)
	}
	if !alike(output, other) {
		return false
	}
	there := map[string]bool{}
	for line := range strings.Lines(other) {
		there[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(output) {
		if compared().MatchString(line) && !there[strings.TrimSpace(line)] {
			return false
		}
	}
	return true
}

// uncounted returns an output without the lines that count tests.
func uncounted(output string) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if !counts().MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}
