package tool_test

import (
	"fmt"
	"strings"
)

// language is a language of the corpus, with its parts of a file.
type language struct {
	name, file string
	unit       string   // of indentation
	comment    string   // with %s for the comment's words
	part       []string // a part of a file, indented with tabs; NAME and NUM tell parts apart
}

// Each part has, from its third line on, a line that all parts share, a line of its own,
// and a line that ends a block.
var languages = []language{
	{"Go", "dir/a.go", "\t", "// %s", []string{
		"func NAME(x int) int {", "\tif x > NUM {", "\t\tx = next(x)", "\t\tlog(\"NAME\", x)", "\t}", "\treturn x * NUM", "}", ""}},
	{"Python", "dir/a.py", "    ", "# %s", []string{
		"def NAME(x):", "    if x > NUM:", "        x = next(x)", "        log(\"NAME\", x)", "    else:", "        return None", "    return x * NUM", ""}},
	{"TypeScript", "src/a.ts", "  ", "// %s", []string{
		"export function NAME(x: number) {", "\tif (x > NUM) {", "\t\tx = next(x);", "\t\tlog('NAME', x);", "\t}", "\treturn x * NUM;", "}", ""}},
	{"Java", "src/A.java", "    ", "/* %s */", []string{
		"int NAME(int x) {", "\tif (x > NUM) {", "\t\tx = next(x);", "\t\tlog(\"NAME\", x);", "\t}", "\treturn x * NUM;", "}", ""}},
	{"Rust", "src/a.rs", "    ", "// %s", []string{
		"fn NAME(mut x: i32) -> i32 {", "\tif x > NUM {", "\t\tx = next(x);", "\t\tlog!(\"NAME {}\", x);", "\t}", "\tx * NUM", "}", ""}},
	{"C", "src/a.c", "\t", "/* %s */", []string{
		"static int NAME(int x)", "{", "\twhile (x > NUM) {", "\t\tx = next(x);", "\t\tlog(\"NAME\", x);", "\t}", "\treturn x * NUM;", "}", ""}},
	{"HTML", "web/a.html", "  ", "<!-- %s -->", []string{
		"<section id=\"NAME\">", "\t<ul class=\"c-NUM\">", "\t\t<li>first</li>", "\t\t<li>item NAME</li>", "\t</ul>", "\t<p>NUM</p>", "</section>", ""}},
	{"shell", "bin/a.sh", "  ", "# %s", []string{
		"NAME() {", "\tif [ \"$1\" -gt NUM ]; then", "\t\tset -- \"$(next)\"", "\t\techo NAME \"$1\"", "\tfi", "\treturn NUM", "}", ""}},
	{"YAML", "conf/a.yaml", "  ", "# %s", []string{
		"NAME:", "\tjobs:", "\t\tkind: build", "\t\tlabel: of-NAME", "\tlimits:", "\t\tcount: NUM", "\tname: NUM", ""}},
	{"SQL", "db/a.sql", "  ", "-- %s", []string{
		"CREATE TABLE NAME (", "\tCHECK (", "\t\tx > 0 AND", "\t\tNAME_id > 0", "\t),", "\tn INT DEFAULT NUM", ");", ""}},
}

// names of the parts of a file.
var names = []string{"alpha", "beta", "gamma", "delta", "epsilon"}

// lines returns the lines of a file with a part for each name, without line ends.
func (l *language) lines() []string {
	var out []string
	for i, name := range names {
		for _, line := range l.part {
			line = strings.NewReplacer("NAME", name, "NUM", fmt.Sprint(i*10+7)).Replace(line)
			out = append(out, l.indented(line))
		}
	}
	return out
}

// indented returns a line that is indented with tabs, or in the unit already, in the
// unit.
func (l *language) indented(line string) string {
	rest := strings.TrimLeft(line, "\t")
	return strings.Repeat(l.unit, len(line)-len(rest)) + rest
}

// says returns a comment with these words.
func (l *language) says(words string) string { return fmt.Sprintf(l.comment, words) }

// place is a stretch of a file and its replacement.
type place struct {
	*language
	before   []string // the whole file
	first    int      // of the stretch, from 0
	old, new []string
	end      string // line end of the file; "" means "\n"
}

// unique returns the index in a part of the line that no other part has.
func (l *language) unique() int {
	for i, line := range l.part {
		if i > 1 && strings.Contains(line, "NAME") {
			return i
		}
	}
	panic(l.name)
}

// place returns the unique line of part k with the line above and below it: the unique
// line is to be changed, and a line added after it.
func (l *language) place(k int) place {
	p := place{language: l, before: l.lines(), first: k*len(l.part) + l.unique() - 1}
	p.old = p.before[p.first : p.first+3]
	line := p.old[1]
	p.new = []string{p.old[0], strings.Replace(line, names[k], "changed", 1), indentOf(line) + "added(" + names[k] + ")", p.old[2]}
	return p
}

// header returns the first line of part k.
func (l *language) header(k int) string { return l.lines()[k*len(l.part)] }

// after returns the lines of the file with the stretch replaced.
func (p *place) after() []string {
	out := append([]string{}, p.before[:p.first]...)
	out = append(out, p.new...)
	return append(out, p.before[p.first+len(p.old):]...)
}

// indentOf returns the indentation of a line.
func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// text joins lines, with end after each.
func text(lines []string, end string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, end) + end
}

// mapped returns lines with change applied to each.
func mapped(lines []string, change func(string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = change(line)
	}
	return out
}

// shifted returns a function that replaces the unit of indentation of a line, each time
// it is repeated at the start.
func shifted(from, to string) func(string) string {
	return func(line string) string {
		n := 0
		for strings.HasPrefix(line[n*len(from):], from) {
			n++
		}
		return strings.Repeat(to, n) + line[n*len(from):]
	}
}
