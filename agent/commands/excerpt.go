package commands

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace/network"
	"redline/workspace/runner"
	"redline/workspace/toolfolders"
)

// ExcerptSize is how many bytes of a failed command's output models and users see.
const ExcerptSize = 8 << 10

const (
	headLines      = 8   // shown from the beginning
	tailLines      = 40  // shown from the end
	around         = 3   // lines shown before and after a line about a failure
	maxExcerptLine = 400 // bytes shown of a line
)

var (
	// failure matches a line about a failure, in the words of common test runners, compilers and
	// languages.
	failure = lazyregexp.New(`(?i)\bfail(?:ed|ure|ures|s|ing)?\b|error\b|errors\b|\bpanic(?:ked)?\b|\bTraceback\b|exception\b|\bassert|\bundefined\b|\bnot ok\b|✗|✕|✘|✖|×|●|^E  `)
	// place matches a line that names a place in a file: "sum_test.go:12: got 3".
	place = lazyregexp.New(`[\w./\\-]+\.\w{1,5}[:(]\d+`)
)

// Excerpt returns an excerpt of output of at most max bytes, not counting the lines that say how much
// is left out, such as "… 120 lines left out …". Output that fits is unchanged.
func Excerpt(output string, max int) string {
	if len(output) <= max {
		return output
	}
	lines := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	for i, line := range lines {
		lines[i] = clip(line)
	}
	room := max
	shown := make([]bool, len(lines))
	show := func(i int) {
		if i >= 0 && i < len(lines) && !shown[i] && len(lines[i])+1 <= room {
			shown[i] = true
			room -= len(lines[i]) + 1
		}
	}
	for i := range min(headLines, len(lines)) {
		show(i)
	}
	// The end comes before the middle, since most runners print a summary there. Half of the
	// room is for failures.
	half := room / 2
	for i := len(lines) - 1; i >= len(lines)-tailLines && room > half; i-- {
		show(i)
	}
	for _, telling := range []*regexp.Regexp{failure(), place()} {
		for i, line := range lines {
			if !telling.MatchString(line) {
				continue
			}
			show(i)
			for near := i - around; near <= i+around; near++ {
				show(near)
			}
		}
	}
	return joined(lines, shown)
}

// control matches what a terminal takes as a command, such as a change of colour: "\x1b[31m"
// (https://ecma-international.org/publications-and-standards/standards/ecma-48/).
var control = lazyregexp.New(`\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0-9A-Za-z])`)

// Uncoloured returns output without what a terminal takes as commands. Commands are asked for no
// colours, but some print them all the same.
func Uncoloured(output string) string { return control().ReplaceAllString(output, "") }

// Plain returns an excerpt of a failed command's output as text: without colours, with simple
// line ends, and valid UTF-8.
func Plain(output string) string {
	output = strings.ReplaceAll(Uncoloured(output), "\r\n", "\n")
	return strings.ToValidUTF8(Excerpt(strings.TrimRight(output, " \t\r\n"), ExcerptSize), "\uFFFD")
}

// joined joins the shown lines, with a line in each gap that says how many are left out.
func joined(lines []string, shown []bool) string {
	var b strings.Builder
	left := 0
	gap := func() {
		if left > 0 {
			fmt.Fprintf(&b, "… %s left out …\n", phrase.Count(left, "line"))
		}
		left = 0
	}
	for i, line := range lines {
		if !shown[i] {
			left++
			continue
		}
		gap()
		b.WriteString(line + "\n")
	}
	gap()
	return b.String()
}

// clip shortens a long line.
func clip(line string) string {
	if len(line) <= maxExcerptLine {
		return line
	}
	return phrase.StartBytes(line, maxExcerptLine) + " …"
}

const (
	maxPassed      = 1 << 10 // bytes shown of the output of a command that has passed
	maxPassedLines = 12      // lines of it
	maxBody        = 40      // lines of a failure that are compared with those of others
	maxFolded      = 5       // names listed of the tests whose failure was left out
	maxPeriod      = 6       // lines that can repeat together
)

// Passed returns the last lines of the output of a command that has passed, with a line that says
// how many are left out. Output that is short is unchanged.
func Passed(output string) string {
	lines := strings.Split(strings.TrimSuffix(output, "\n"), "\n")
	first, size := len(lines), 0
	for first > 0 && len(lines)-first < maxPassedLines {
		line := clip(lines[first-1])
		if size += len(line) + 1; size > maxPassed {
			break
		}
		first--
		lines[first] = line
	}
	if first == 0 {
		if len(output) <= maxPassed {
			return output
		}
		return strings.Join(lines, "\n") + "\n"
	}
	return fmt.Sprintf("… %s left out, since it passed …\n%s\n", phrase.Count(first, "line"), strings.Join(lines[first:], "\n"))
}

// heads matches the first line of the report on a failed test, as Go, pytest, unittest, Cargo, Jest,
// node and TAP print it. The report ends before the next such line. The groups come in pairs: the
// name of the test, and a message, which may be empty.
var heads = lazyregexp.New(`^\s*(?:--- FAIL: (\S+)(.*)|(?:FAILED|ERROR) (\S+::\S+)(.*)|_{3,} (\S+) _{3,}()|(?:FAIL|ERROR): (\S+ \(\S+\))(.*)|---- (\S+) stdout ----()|● (.+)()|[✗✕✘×] (.+?)()(?: \(?[\d.]+ ?m?s\)?)?|not ok \d+ -? ?(.+?)((?: # .*)?))\s*$`)

// unsteady matches what differs between equal failures: durations, addresses, ids of threads, as in
// "(0.02s)", "0xc000012345" and "thread 'sum' (4711) panicked".
var unsteady = lazyregexp.New(`\(?\b\d+(?:\.\d+)? ?[mµn]?s\b\)?|\b0x[0-9a-f]+\b|' \(\d+\) panicked`)

// Folded leaves out of output every failure of a test that is the same as an earlier one, apart
// from names and durations, and says below that one how many there are and which. It also leaves
// out lines that repeat the lines before them. Output without such repetitions is unchanged.
func Folded(output string) string {
	lines := strings.Split(output, "\n")
	f := folding{first: map[string]int{}, notes: map[int][]string{}, gone: make([]bool, len(lines))}
	f.failures(lines)
	f.repeats(lines)
	if !f.any {
		return output
	}
	var b strings.Builder
	for i, line := range lines {
		if !f.gone[i] {
			b.WriteString(line)
			if i < len(lines)-1 {
				b.WriteString("\n")
			}
		}
		if names := f.notes[i]; len(names) > 0 {
			fmt.Fprintf(&b, "… the same in %d more: %s …\n", len(names), strings.Join(phrase.FirstOf(names, maxFolded, "test"), ", "))
		}
		if n := f.times[i]; n > 0 {
			fmt.Fprintf(&b, "… %s more …\n", phrase.Count(n, "time"))
		}
	}
	return b.String()
}

// folding is the work on one output.
type folding struct {
	first map[string]int   // the last line of the first failure with a text
	notes map[int][]string // the names of the failures left out, by the line that they are listed below
	times map[int]int      // how often the lines before it are repeated, by line
	gone  []bool           // the lines left out
	any   bool
}

// failures leaves out failures that are the same as an earlier one.
func (f *folding) failures(lines []string) {
	for i := 0; i < len(lines); {
		name, message := head(lines[i])
		if name == "" {
			i++
			continue
		}
		end := i + 1
		for end < len(lines) && end-i <= maxBody {
			if next, _ := head(lines[end]); next != "" {
				break
			}
			end++
		}
		last := f.same(lines, i, end, name, message)
		if last > i {
			i = last
			continue
		}
		i = end
	}
}

// same leaves out the failure on the lines from head to end if an earlier one is the same, and
// returns the line after it; else it notes the failure and returns 0. Lines after the failure
// itself, such as a summary, stay.
func (f *folding) same(lines []string, at, end int, name, message string) int {
	text := steady(message, name)
	telling := strings.TrimSpace(text) != ""
	if telling {
		if first, ok := f.first[text]; ok { // the message alone is the failure
			return f.leave(first, at, at+1, name)
		}
	}
	whole := at + 1 // the line after the last one with text
	for i := at + 1; i < end; i++ {
		text += "\n" + steady(lines[i], name)
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		whole, telling = i+1, true
		if first, ok := f.first[text]; ok {
			return f.leave(first, at, i+1, name)
		}
	}
	if telling {
		text = steady(message, name)
		for i := at + 1; i < whole; i++ {
			text += "\n" + steady(lines[i], name)
		}
		f.first[text] = whole - 1
	}
	return 0
}

// leave leaves out the lines from at to end, which are the same failure as the one that ends on
// the line first.
func (f *folding) leave(first, at, end int, name string) int {
	for i := at; i < end; i++ {
		f.gone[i] = true
	}
	f.notes[first] = append(f.notes[first], name)
	f.any = true
	return end
}

// repeats leaves out lines that repeat the lines directly before them, twice or more.
func (f *folding) repeats(lines []string) {
	f.times = map[int]int{}
	free := func(i int) bool { return i < len(lines) && !f.gone[i] && len(f.notes[i]) == 0 }
	for i := 0; i < len(lines); i++ {
		for period := 1; period <= maxPeriod; period++ {
			n := 0
			for free(i+n+period) && free(i+n) && lines[i+n] == lines[i+n+period] {
				n++
			}
			more := n / period
			if more < 2 || blank(lines[i:i+period]) {
				continue
			}
			for j := i + period; j < i+period*(more+1); j++ {
				f.gone[j] = true
			}
			f.times[i+period-1], f.any = more, true
			i += period*(more+1) - 1
			break
		}
	}
}

// head returns the name and the message in a line that begins the report on a failed test, ""
// for other lines.
func head(line string) (name, message string) {
	if len(line) > maxExcerptLine {
		return "", ""
	}
	found := heads().FindStringSubmatch(strings.TrimRight(line, "\r"))
	for i := 1; i+1 < len(found); i += 2 {
		if found[i] != "" {
			return found[i], found[i+1]
		}
	}
	return "", ""
}

// steady returns a line of a failure without the name of its test and what differs in each run.
func steady(line, name string) string {
	line = strings.ReplaceAll(line, name, "…")
	if short, _, _ := strings.Cut(name, " "); len(short) > 3 {
		line = strings.ReplaceAll(line, short, "…")
	}
	return strings.TrimSpace(unsteady().ReplaceAllString(line, ""))
}

func blank(lines []string) bool {
	return !slices.ContainsFunc(lines, func(line string) bool { return strings.TrimSpace(line) != "" })
}

// Observation is the result of a command.
type Observation struct {
	ExitCode *int   // nil if it has not ended by itself
	Output   string // both streams, in the order of printing; limited in size, see runner.Limits
	Problem  string // why there is no exit code, one sentence; "" if there is one

	End       runner.End // how it ended; "" if it was not started
	Unreached int        // how often it tried to reach an address that a trial cannot reach
	Refused   string     // what it could not write because of Redline's limits, see [Refused]

	Network network.Report // what it reached, if it had a network of its own
}

// Observe returns the result of a command from the runner's outcome. err says why the command
// was not started, nil if it was.
func Observe(o runner.Outcome, err error) Observation {
	if err != nil {
		return Observation{Problem: phrase.Sentence(strings.TrimRight(phrase.OneLine("it was not started: "+err.Error()), "."))}
	}
	seen := Observation{Output: o.Output, End: o.End, Unreached: o.Unreached, Refused: RefusedByWorld(o), Network: o.Network}
	switch o.End {
	case runner.Exited:
		code := o.ExitCode
		seen.ExitCode = &code
	case runner.Signalled:
		seen.Problem = fmt.Sprintf("It was ended by a signal (%s).", o.Signal)
	case runner.OutOfMemory:
		seen.Problem = "It was ended: it used more memory than trials.memory_mb allows."
	case runner.TimedOut:
		seen.Problem = fmt.Sprintf("It was ended after %s, its time limit.", o.Took.Round(1e8))
	case runner.Overfull:
		seen.Problem = "It was ended: it wrote more than trials.disk_mb allows."
	case runner.Cancelled:
		seen.Problem = "It was cancelled while it ran."
	default:
		seen.Problem = "The process that watched it is gone, so it is not known how it ended."
	}
	return seen
}

// Reason returns why the command failed, as far as Redline knows: one or a few sentences, "" for
// nothing.
func (o Observation) Reason() string { return strings.TrimSpace(o.Problem + " " + o.Refused) }

// Ending returns in a few words how the command ended: "exit code 2".
func (o Observation) Ending() string {
	if o.ExitCode != nil {
		return fmt.Sprintf("exit code %d", *o.ExitCode)
	}
	return strings.TrimSuffix(o.Problem, ".")
}

// Conclusion says what follows from an observation.
type Conclusion struct {
	Succeeded bool
	Continue  bool // the plan continues
}

// Conclude decides what follows from the result of a command. A command has succeeded if it ended
// by itself with exit code 0. The plan stops at one that failed, unless continues is set, and
// always at one that did not end by itself, since its effects are unknown. awaited reports
// whether another step waits for this failure: then the plan continues with that step. It is
// called only after a failure.
func Conclude(o Observation, continues bool, awaited func() bool) Conclusion {
	switch {
	case o.ExitCode == nil:
		return Conclusion{}
	case *o.ExitCode == 0:
		return Conclusion{Succeeded: true, Continue: true}
	}
	return Conclusion{Continue: continues || awaited()}
}

// RefusedByWorld says which files a failed command could not write because Redline keeps them from it, and
// which setting opens them: one or two sentences, "" if there are none.
func RefusedByWorld(o runner.Outcome) string {
	inTrial := o.World != ""
	switch {
	case len(o.Refused) == 0 && o.RefusedUnnamed && !inTrial:
		return "It met a read-only file system: commands write only the workspace and the caches of tools. Name a further folder in commands.caches."
	case len(o.Refused) == 0:
		return ""
	}
	var files, opening []string
	for _, file := range o.Refused {
		files = append(files, phrase.Clip(edits.VisibleLine(toolfolders.Short(file)), 200))
		if dir := toolfolders.Opening(file); dir != "" && !slices.Contains(opening, dir) {
			opening = append(opening, dir)
		}
	}
	who, setting := "Commands", "commands.caches"
	if inTrial {
		who, setting = "Trials", "trials.read"
	} else {
		opening = append([]string{toolfolders.Usual}, opening...)
	}
	text := fmt.Sprintf("%s can only read %s.", who, phrase.And(files))
	if len(opening) == 0 || !inTrial && len(opening) == 1 {
		return text + " No setting opens that: run it yourself, outside Redline."
	}
	return text + fmt.Sprintf(" In your settings, %s = %s opens that.", setting, listed(opening))
}

// listed returns a list as it is written in a settings file.
func listed(texts []string) string {
	var all []string
	for _, text := range texts {
		all = append(all, phrase.Clip(edits.VisibleLine(fmt.Sprintf("%q", text)), 200))
	}
	return "[" + strings.Join(all, ", ") + "]"
}
