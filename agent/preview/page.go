package preview

import (
	"strconv"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/internal/fence"
	"redline/internal/lazyregexp"
	"redline/internal/modeline"
)

// page is a preview split into its parts. A rendered and an edited preview have the same
// form, so that they can be compared part by part.
type page struct {
	lines          []string // without their line ends
	plan, revision int      // named in the first line; 0 if it names none
	quote          []int    // the lines of the description, by number
	items          []item
	sections       []section
	rest           []int // all other lines that are not blank
	programs       bool  // its extent counts executable files, which previews of earlier versions do not mark
	problems       []Problem
}

// item is a step or an operation with its tick.
type item struct {
	line   int
	inner  bool // it is indented
	ticked bool
	text   string     // without its status
	fence  *codeBlock // the command, on the lines below it
}

// section is the part of a page about one file.
type section struct {
	line    int
	file    string // the heading without line counts, and without the word for a program
	program bool   // it has that word
	fence   *codeBlock
}

// codeBlock is a block of code; its lines are those from first up to end.
type codeBlock struct {
	line, first, end int
	indent           string
}

var (
	titleForm = lazyregexp.New(`^# Plan ([0-9]{1,9}), revision ([0-9]{1,9})$`)
	itemForm  = lazyregexp.New(`^([ \t]*)[-*+] \[([ xX])\](?: +(.*))?$`)
)

// Named returns the plan and revision that the first line of a preview names.
func Named(text string) (plan, revision int, ok bool) {
	text = strings.TrimLeft(text, " \t\r\n")
	line, _, _ := strings.Cut(text, "\n")
	return title(strings.TrimRight(line, " \t\r"))
}

func title(line string) (plan, revision int, ok bool) {
	m := titleForm().FindStringSubmatch(line)
	if m == nil {
		return 0, 0, false
	}
	plan, _ = strconv.Atoi(m[1]) // at most nine digits
	revision, _ = strconv.Atoi(m[2])
	return plan, revision, plan > 0 && revision > 0
}

// readPage splits a preview into its parts. Lines that fit no part go to rest or problems.
func readPage(text string) *page {
	p := &page{lines: strings.Split(text, "\n")}
	for i, line := range p.lines {
		p.lines[i] = strings.TrimRight(line, "\r") // Visible escapes all others
	}
	var file *section // the section of the current lines
	titled, listed, tried := false, false, false
	for i := 0; i < len(p.lines); i++ {
		line := strings.TrimRight(p.lines[i], " \t")
		if tried = inBeside(tried, line); tried {
			continue
		}
		if indent, marks, language, ok := opensCode(line); ok {
			f := p.code(i, indent, marks)
			p.place(f, language, file, listed)
			i = f.end
			continue
		}
		m := itemForm().FindStringSubmatch(line)
		switch {
		case line == "", modeline.IsPage(line):
		case !titled:
			p.plan, p.revision, _ = title(line)
			titled = true
		case strings.HasPrefix(line, "### "):
			s := section{line: i}
			s.file, s.program = fileOf(line)
			p.sections = append(p.sections, s)
			file = &p.sections[len(p.sections)-1]
		case strings.HasPrefix(line, "# "), strings.HasPrefix(line, "## "):
			file, listed = nil, true
			p.rest = append(p.rest, i)
		case m != nil && file == nil:
			p.items = append(p.items, item{
				line: i, inner: m[1] != "", ticked: m[2] != " ", text: statusForm().ReplaceAllString(m[3], ""),
			})
			listed = true
		case strings.HasPrefix(line, ">") && !listed:
			p.quote = append(p.quote, i)
		default:
			p.rest = append(p.rest, i)
			p.programs = p.programs || strings.HasPrefix(line, extentStart) && strings.Contains(line, programsWord)
		}
	}
	return p
}

// fileOf returns a file's heading without the line counts, which follow from the diff, and without
// the word for a program, which previews of earlier versions lack; "" if it has another form.
func fileOf(heading string) (file string, program bool) {
	if !headingForm().MatchString(heading) {
		return "", false
	}
	return strings.CutSuffix(heading[:strings.LastIndex(heading, ", +")], programWord)
}

// opensCode returns the indentation and the marks of the fence that a line opens, and its
// language. A page has code between backticks.
func opensCode(line string) (indent, marks, language string, ok bool) {
	body := strings.TrimLeft(line, " \t")
	marks, info, ok := fence.Open(body)
	return line[:len(line)-len(body)], marks, strings.TrimSpace(info), ok && marks[0] == '`'
}

// code returns the block of code whose fence line i opens. An unclosed block is a
// problem, and ends before the next one or with the page.
func (p *page) code(i int, indent, marks string) *codeBlock {
	f := &codeBlock{line: i, first: i + 1, indent: indent}
	for f.end = i + 1; f.end < len(p.lines); f.end++ {
		line := strings.TrimRight(p.lines[f.end], " \t")
		if indent != "" {
			line = strings.TrimLeft(line, " \t")
		}
		if fence.Closes(line, marks) {
			return f
		}
		if _, _, language, opens := opensCode(line); indent == "" && opens && language != "" {
			f.end--
			break // in a diff each line begins with a sign
		}
	}
	p.problem(i, "This fence is never closed: end it with a line of as many backticks.")
	return f
}

// place assigns a fence to its part. It ignores a graph, which is drawn from the plan.
func (p *page) place(f *codeBlock, language string, file *section, listed bool) {
	last := len(p.items) - 1
	switch {
	case language == "mermaid":
	case language == "diff" && file != nil && file.fence == nil:
		file.fence = f
	case language == "sh" && file == nil && listed && last >= 0 && p.items[last].fence == nil:
		p.items[last].fence = f
	default:
		p.problem(f.line, "This block belongs to nothing: below a command is one block ```sh, below the name of a file one block ```diff.")
	}
}

// within returns the lines of a fence without its indentation.
func (p *page) within(f *codeBlock) []string {
	lines := make([]string, 0, f.end-f.first)
	for _, line := range p.lines[f.first:f.end] {
		k := 0
		for k < len(line) && k < len(f.indent) && (line[k] == ' ' || line[k] == '\t') {
			k++
		}
		lines = append(lines, line[k:])
	}
	return lines
}

func (p *page) problem(line int, reason string) {
	p.problems = append(p.problems, Problem{Line: line, Reason: reason})
}

// trimsEnds reports whether an editor seems to have removed the trailing spaces of all lines of
// was. Then they are ignored.
func (p *page) trimsEnds(was *page) bool {
	return was.blankEnds() && !p.blankEnds()
}

func (p *page) blankEnds() bool {
	for _, line := range p.lines {
		if strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") {
			return true
		}
	}
	return false
}

// layoutOf returns the layout of a page that is a preview of a revision.
func layoutOf(p *page, r *plan.Revision) layout {
	for _, i := range p.rest {
		if strings.TrimRight(p.lines[i], " \t") == commandsHeading {
			return p.names(r)
		}
	}
	for i := range r.Operations {
		if r.Operations[i].IsCommand() {
			return among
		}
	}
	return p.names(r)
}

// names returns the layout by whose names most items of a page begin, of those in which commands have a
// section of their own.
func (p *page) names(r *plan.Revision) layout {
	all, _ := apart.entries(r)
	was := make(map[string]bool, len(all))
	w := &writer{revision: r, layout: apart}
	first := func(text string) string {
		word, _, _ := strings.Cut(text, " ")
		return word
	}
	for _, e := range all {
		was[first(w.head(e))] = true
	}
	w = &writer{revision: r, layout: named}
	for _, e := range all {
		delete(was, first(w.head(e))) // the id of a step, by chance
	}
	old := 0
	for i := range p.items {
		if was[first(p.items[i].text)] {
			old++
		}
	}
	if old > 0 && 2*old >= len(p.items) { // no item of the other layout counts
		return apart
	}
	return named
}

// headingForm matches a file's heading. Nothing else in a preview begins like it.
var headingForm = lazyregexp.New(`^### (.+) \((?:create|update|rename|delete)(` + programWord + `)?, \+[0-9]+ −[0-9]+\)$`)

const arrow = " → "

// programWord is in the heading of a new file that is executable.
const programWord = ", executable"

// Heading is a line of a preview that names a file of the plan.
type Heading struct {
	Path string     // workspace path, before a move
	Name edits.Span // place of the path in the text of the preview
	New  edits.Span // place of the diff line that names the new file; empty if there is none
}

// Headings returns the lines of a preview that name files.
func Headings(text string) []Heading {
	var all []Heading
	offset := 0
	for line := range strings.Lines(text) {
		start := offset
		offset += len(line)
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "+++ ") && len(all) > 0 && all[len(all)-1].New.End == 0 {
			all[len(all)-1].New = edits.Span{Start: start, End: start + len(line)}
		}
		m := headingForm().FindStringSubmatchIndex(line)
		if m == nil {
			continue
		}
		if path, ok := readPath(line[m[2]:m[3]]); ok {
			all = append(all, Heading{Path: path, Name: edits.Span{Start: start + m[2], End: start + m[3]}})
		}
	}
	return all
}

// SectionAt returns the path of the file whose section of a preview contains the line,
// counted from 0. For a moved file, it is the path before the move.
func SectionAt(text string, line int) (path string, ok bool) {
	l := edits.NewLines(text)
	for i := min(line, l.Count()-1); i >= 0; i-- {
		c := l.Content(i)
		switch content := text[c.Start:c.End]; {
		case strings.HasPrefix(content, "### "):
			m := headingForm().FindStringSubmatch(content)
			if m == nil {
				return "", false
			}
			return readPath(m[1])
		case strings.HasPrefix(content, "# "), strings.HasPrefix(content, "## "):
			return "", false
		}
	}
	return "", false
}

// readPath reads the first path of a heading.
func readPath(s string) (string, bool) {
	if quoted, err := strconv.QuotedPrefix(s); err == nil && quoted[0] == '"' {
		path, err := strconv.Unquote(quoted)
		return path, err == nil
	}
	s, _, _ = strings.Cut(s, arrow)
	return s, true
}
