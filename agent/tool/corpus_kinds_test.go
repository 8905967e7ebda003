package tool_test

import (
	"fmt"
	"slices"
	"strings"
)

// generated returns the generated cases: each kind of defect, in each language and form
// that can have it.
func generated() []corpusCase {
	var out []corpusCase
	for i := range languages {
		l := &languages[i]
		for j := range sayings {
			k := (i*3 + j) % len(names)
			for _, of := range []func(*language, int, int) []corpusCase{
				exactCases, placeholderCases, indentationCases, lineEndCases, stillRefused,
			} {
				out = append(out, of(l, j, k)...)
			}
		}
		for _, of := range []func(*language, int) []corpusCase{
			splicedCases, partsThatChangeNothing, headerCases, assignmentCases, oneBadFile, oddFormCases, neighbourCases,
		} {
			out = append(out, of(l, i%len(names))...)
		}
	}
	return out
}

// of makes a case that states a replacement of old by new at the place, in form j. A nil
// want means that the call must be refused.
func (p place) of(kind string, j, k int, old, new, want []string) corpusCase {
	c := corpusCase{
		kind: kind, name: fmt.Sprintf("%s, %s, %s", p.name, sayings[j].name, names[k]),
		files: map[string]string{p.file: text(p.before, "\n")},
		calls: []corpusCall{sayings[j].call(said{path: p.file, line: p.first + 1, old: old, new: new})},
	}
	if want != nil {
		c.want = map[string]string{p.file: text(want, "\n")}
	}
	return c
}

func exactCases(l *language, j, k int) []corpusCase {
	p := l.place(k)
	return []corpusCase{p.of("0  the text as it is in the file", j, k, p.old, p.new, p.after())}
}

// placeholders are what models write for lines that they leave out.
var placeholders = []string{
	"... existing code ...", "... rest of the function unchanged ...", "rest of the code remains the same",
	"... (rest of methods) ...", "… existing code …", "[rest of the file unchanged]", "... unchanged ...",
}

func placeholderCases(l *language, j, k int) []corpusCase {
	p := l.place(k)
	lazy := indentOf(p.old[1]) + l.says(placeholders[(j+k)%len(placeholders)])
	out := []corpusCase{
		p.of("A1 a placeholder in place of a line", j, k, p.old, []string{p.new[1], p.new[2], lazy}, nil),
		p.of("A1 a placeholder besides all lines", j, k, p.old, slices.Insert(slices.Clone(p.new), 3, lazy), nil),
	}
	// The file itself has such a comment.
	own := l.place(k)
	own.before = slices.Insert(slices.Clone(own.before), own.first+1, lazy)
	own.old = own.before[own.first : own.first+4]
	own.new = slices.Insert(slices.Clone(own.new), 1, lazy)
	out = append(out, own.of("A1 a placeholder that the file has itself", j, k, own.old, own.new, own.after()))
	gone := own
	gone.new = p.new
	out = append(out, gone.of("A1 a placeholder that goes", j, k, gone.old, gone.new, gone.after()))
	dots := l.place(k)
	dots.new = slices.Clone(dots.new)
	dots.new[2] = indentOf(dots.old[1]) + l.says("keep the rest of the values sorted: "+names[k])
	return append(out, dots.of("A1 a comment that only sounds like one", j, k, dots.old, dots.new, dots.after()))
}

func splicedCases(l *language, k int) []corpusCase {
	lines := l.lines()
	n := len(l.part)
	lazy := l.says("... existing code ...")
	write := func(kind string, content []string, want []string) corpusCase {
		c := corpusCase{
			kind: kind, name: l.name, files: map[string]string{l.file: text(lines, "\n")}, either: want != nil,
			calls: []corpusCall{{"write_file", map[string]any{"path": l.file, "content": text(content, "\n")}}},
		}
		if want != nil {
			c.want = map[string]string{l.file: text(want, "\n")}
		}
		return c
	}
	changed := slices.Clone(lines)
	changed[l.unique()] = strings.Replace(changed[l.unique()], names[0], "changed", 1)
	middle := slices.Concat(changed[:n+1], []string{lazy}, changed[3*n:])
	twice := slices.Concat(changed[:n+1], []string{lazy}, changed[2*n:3*n+1], []string{lazy}, changed[4*n:])
	last := slices.Concat(changed[:n+1], []string{lazy})
	reversed := slices.Concat(changed[3*n:3*n+1], []string{lazy}, changed[n:n+1])
	strange := slices.Concat([]string{changed[0] + " other"}, []string{lazy}, []string{"nothing like it"})
	out := []corpusCase{
		write("A1 a whole file with a placeholder", middle, changed),
		write("A1 a whole file with two placeholders", twice, changed),
		write("A1 a whole file that ends with a placeholder", last, changed),
		write("A1 a whole file, placeholder out of order", reversed, nil),
		write("A1 a whole file, placeholder between strange lines", strange, nil),
	}
	own := slices.Insert(slices.Clone(lines), n, lazy)
	c := write("A1 a whole file that has a placeholder itself", slices.Insert(slices.Clone(changed), n, lazy), changed)
	c.files[l.file], c.either = text(own, "\n"), false
	c.want[l.file] = c.calls[0].args["content"].(string)
	return append(out, c)
}

// otherUnit returns a unit of indentation that a model may use by mistake.
func (l *language) otherUnit() string {
	return map[string]string{"\t": "    ", "    ": "\t", "  ": "    "}[l.unit]
}

func indentationCases(l *language, j, k int) []corpusCase {
	p := l.place(k)
	shallow := indentOf(p.old[2])
	cut := func(line string) string { return strings.TrimPrefix(line, shallow) }
	flush, flushNew := mapped(p.old, cut), mapped(p.new, cut)
	other := shifted(l.unit, l.otherUnit())
	out := []corpusCase{
		p.of("A2 the old text flush left, the new one as in the file", j, k, flush, p.new, p.after()),
		p.of("A2 both texts flush left", j, k, flush, flushNew, p.after()),
		p.of("A3 both texts in another unit", j, k, mapped(p.old, other), mapped(p.new, other), p.after()),
		p.of("A3 the old text in another unit, the new one as in the file", j, k, mapped(p.old, other), p.new, p.after()),
	}
	uneven := mapped(p.old, other)
	uneven[0] = l.otherUnit() + uneven[0]
	unevenNew := mapped(p.new, other)
	unevenNew[0] = uneven[0]
	return append(out, p.of("A3 another unit, one line a level deeper", j, k, uneven, unevenNew, nil))
}

func lineEndCases(l *language, j, k int) []corpusCase {
	p := l.place(k)
	ended := func(kind, file, call string) corpusCase {
		c := p.of(kind, j, k, nil, nil, p.after())
		c.files[p.file], c.want[p.file] = text(p.before, file), text(p.after(), file)
		c.calls[0] = sayings[j].call(said{path: p.file, line: p.first + 1, old: p.old, new: p.new, end: call})
		return c
	}
	out := []corpusCase{
		ended("A4 LF in the call, CRLF in the file", "\r\n", "\n"),
		ended("A4 CRLF in the call, LF in the file", "\n", "\r\n"),
		ended("A4 CRLF in both", "\r\n", "\r\n"),
	}
	// The same lines once with CRLF and once with LF: no form tells them apart.
	twice := p.of("A5 once with CRLF, once with LF", j, k, p.old, p.new, nil)
	twice.files[p.file] = text(p.before, "\r\n") + text(p.old, "\n")
	if sayings[j].name == "unified" { // its line number may tell
		twice.either = true
		twice.want = map[string]string{p.file: text(p.after(), "\r\n") + text(p.old, "\n")}
	}
	out = append(out, twice)
	if !strings.Contains(sayings[j].name, "open") && sayings[j].name != "text_editor" {
		return out
	}
	// Part of a line, which matches exactly.
	line := strings.TrimSpace(p.old[1])
	c := p.of("A4 part of a line becomes two", j, k, []string{line}, []string{line, "added"}, p.before)
	c.files[p.file] = text(p.before, "\r\n")
	c.want[p.file] = strings.Replace(c.files[p.file], line, line+"\r\nadded", 1)
	return append(out, c)
}

// stillRefused returns calls whose meaning is ambiguous or unknown.
func stillRefused(l *language, j, k int) []corpusCase {
	p := l.place(k)
	line := p.old[1]
	with := func(kind, changed string) corpusCase {
		old := []string{p.old[0], changed, p.old[2]}
		return p.of("C14 "+kind, j, k, old, p.new, nil)
	}
	name := names[k]
	typo := strings.Replace(line, name, name[:2]+"x"+name[3:], 1)
	return []corpusCase{
		with("a typo", typo),
		with("another case", strings.Replace(line, name, strings.ToUpper(name[:1])+name[1:], 1)),
		with("a line that is not there", indentOf(line)+"nothing(like_it)"),
		p.of("C14 glued words", j, k, []string{strings.ReplaceAll(strings.TrimSpace(p.old[0]), " ", "") + strings.TrimSpace(line)}, p.new, nil),
		p.of("C14 one of five places", j, k, p.old[:1], p.new[2:3], nil).withoutNumbers(j),
	}
}

// withoutNumbers also lets a case in a form with line numbers be applied at those
// numbers.
func (c corpusCase) withoutNumbers(j int) corpusCase {
	if sayings[j].name != "unified" {
		return c
	}
	c.either = true
	for path, was := range c.files {
		c.want = map[string]string{path: c.calls[0].applied(was)}
	}
	return c
}

// applied returns a text with a unified diff of one hunk applied by its line number
// alone.
func (c corpusCall) applied(was string) string {
	var line, removed int
	patch := c.args["patch"].(string)
	_, hunk, _ := strings.Cut(patch, "\n@@ ")
	fmt.Sscanf(hunk, "-%d,%d", &line, &removed)
	lines := strings.SplitAfter(was, "\n")
	var put []string
	for _, row := range strings.SplitAfter(hunk, "\n")[1:] {
		if row != "" && row[0] != '-' {
			put = append(put, row[1:])
		}
	}
	return strings.Join(lines[:line-1], "") + strings.Join(put, "") + strings.Join(lines[line-1+removed:], "")
}
