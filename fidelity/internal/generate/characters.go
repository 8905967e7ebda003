package generate

import (
	"fmt"
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// characters are the families about line ends, spaces and letters.
var characters = []family{
	{"crlf-in-file", "The file's lines end with CRLF and the call's with LF: the file keeps its own, in new lines too.", true, func(m *maker) bool {
		m.ends = "\r\n"
		m.expects()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"crlf-in-call", "The call's lines end with CRLF and the file's with LF: the file keeps its own.", false, func(m *maker) bool {
		m.expects()
		m.state(byText, style{end: "\r\n"}, m.spot)
		return true
	}},
	{"crlf-in-both", "The lines of both end with CRLF.", false, func(m *maker) bool {
		m.ends = "\r\n"
		m.expects()
		m.state(byText, style{end: "\r\n"}, m.spot)
		return true
	}},
	{"mixed-line-ends", "The file's first half ends its lines with CRLF and the rest with LF: each line keeps its own, and new lines take those around them.", false, func(m *maker) bool {
		half := m.far.line - 2
		mixed := func(lines []string, at int) string { return text(lines[:at], "\r\n") + text(lines[at:], "\n") }
		m.c.Before = map[string]string{m.path: mixed(m.before, half)}
		m.c.After = map[string]string{m.path: mixed(m.after, half+len(m.spot.new)-len(m.spot.old))}
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"no-final-line-end", "The file's last line has no line end, and is in the change as a line that stays: it gets none.", false, func(m *maker) bool {
		e := m.last()
		m.after = replaced(m.before, e)
		m.expects()
		cut := func(texts map[string]string) { texts[m.path] = strings.TrimSuffix(texts[m.path], "\n") }
		cut(m.c.Before)
		cut(m.c.After)
		m.state([]string{"pairs", "blocks", "begin-patch"}, style{}, e)
		m.state(unified, style{}, e)
		m.c.Calls[3].Text += "\\ No newline at end of file\n"
		return true
	}},
	{"at-the-end", "The change is at the end of the file.", false, func(m *maker) bool {
		e := m.last()
		m.after = replaced(m.before, e)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"at-the-start", "The change is at the start of the file.", false, func(m *maker) bool {
		old := m.before[:2]
		if len(find(m.before, old)) != 1 || strings.HasPrefix(old[0], "#!") {
			old = m.before[:3]
		}
		e := edit{1, old, slices.Concat(old[:1], []string{m.line("the second line")}, old[1:])}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"byte-order-mark", "The file begins with a byte order mark, and the change has its first lines without it: the mark stays.", false, func(m *maker) bool {
		e := edit{1, m.before[:3], slices.Concat(m.before[:1], []string{m.line("marked")}, m.before[1:3])}
		m.after = replaced(m.before, e)
		m.expects()
		m.c.Before[m.path] = "\ufeff" + m.c.Before[m.path]
		m.c.After[m.path] = "\ufeff" + m.c.After[m.path]
		m.state(byText, style{}, e)
		return true
	}},
	{"spaces-at-line-ends-of-file", "The line that is replaced ends with spaces in the file, which the call does not have.", true, func(m *maker) bool {
		m.before = slices.Clone(m.before)
		m.before[m.spot.line] += "  "
		m.expects()
		m.state(byText, style{}, m.changedSecond())
		return len(m.changedSecond().old) > 0
	}},
	{"spaces-at-line-ends-of-call", "The line that is replaced ends with spaces in the call, which the file does not have.", true, func(m *maker) bool {
		e := m.changedSecond()
		e.old[1] += "   "
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"blank-line-with-spaces", "A blank line that stays has spaces in the file and none in the call: it keeps them.", false, func(m *maker) bool {
		e := m.with(indentOf(m.spot.old[1])+"  ", "")
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"spaces-inside-a-line", "A line that stays has two spaces between words in the file where the call has one, and nothing else differs: it keeps them.", true, func(m *maker) bool {
		line := m.spot.old[0]
		in := indentOf(line)
		first, rest, ok := strings.Cut(line[len(in):], " ")
		if !ok || m.language == "Markdown" || m.language == "SQL" {
			return false
		}
		wide := []string{in + first + "  " + rest}
		m.before, m.after = replaced(m.before, edit{m.spot.line, m.spot.old[:1], wide}), replaced(m.after, edit{m.spot.line, m.spot.old[:1], wide})
		m.expects()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"blank-lines-around", "Both texts have a blank line at their start and end that is not in the file.", true, func(m *maker) bool {
		around := func(lines []string) []string { return slices.Concat([]string{""}, lines, []string{""}) }
		m.expects()
		m.state(worded, style{}, edit{m.spot.line, around(m.spot.old), around(m.spot.new)})
		return true
	}},
	{"quotes-and-dashes", "A comment that stays has typographic marks in the file and plain ones in the call: it keeps its own.", true, func(m *maker) bool {
		e := m.with(m.note("it’s a “round” one – mostly"), m.note(`it's a "round" one - mostly`))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"quotes-and-dashes-in-call", "A comment that stays has plain marks in the file and typographic ones in the call: it keeps its own.", false, func(m *maker) bool {
		e := m.with(m.note(`it's a "round" one - mostly`), m.note("it’s a “round” one – mostly"))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"no-break-space", "A comment that stays has a no-break space in the file and a plain one in the call: it keeps its own.", false, func(m *maker) bool {
		e := m.with(m.note("at most 20\u00a0km"), m.note("at most 20 km"))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"full-width", "A comment that stays has full-width signs in the file and plain ones in the call: it keeps its own.", false, func(m *maker) bool {
		e := m.with(m.note("速度（毎時）：高い"), m.note("速度(毎時):高い"))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"decomposed-letters", "A comment that stays has an accent as a character of its own (NFD) in the file and one composed letter (NFC) in the call: to Unicode it is the same text.", false, func(m *maker) bool {
		e := m.with(m.note("the cafe\u0301 opens"), m.note("the caf\u00e9 opens"))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"composed-letters", "A comment that stays has a composed letter (NFC) in the file and an accent of its own (NFD) in the call: to Unicode it is the same text.", false, func(m *maker) bool {
		e := m.with(m.note("the caf\u00e9 opens"), m.note("the cafe\u0301 opens"))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"letters-of-another-script", "A name has a Cyrillic letter in the file and the Latin one in the call: that is another name.", false, func(m *maker) bool {
		e := m.with(m.note("see scope"), m.note("see scope"))
		m.before[m.spot.line] = strings.Replace(m.before[m.spot.line], "scope", "sc\u043epe", 1)
		m.refuses()
		m.state(byText, style{}, e)
		return true
	}},
	{"wide-characters", "The lines have letters of many scripts and emoji, as they are sent.", false, func(m *maker) bool {
		line := m.note("größer 👩‍🚀 日本語 naïve — ok")
		e := m.with(line, line)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"signs-of-replacement", "The new text has what replacing functions read as their own: $&, $1, \\1, %s and &.", false, func(m *maker) bool {
		e := edit{m.spot.line, m.spot.old, slices.Insert(slices.Clone(m.spot.new), 1, m.note("$& $1 $$ ${0} \\1 \\0 \\n %s %% & {0}"))}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"signs-of-patterns", "The old text has what regular expressions read as their own.", false, func(m *maker) bool {
		line := m.note("a.b*[c-d]? (x|y)+ ^z$ {2,3} \\d \\\\")
		e := m.with(line, line)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"long-line", "A line that stays has 1,500 characters.", false, func(m *maker) bool {
		line := m.note(strings.Repeat("a very long line, ", 84))
		line = strings.TrimRight(line, " ")
		e := m.with(line, line)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"tab-inside-a-line", "A line that stays has a tab between words, in the file and in the call.", false, func(m *maker) bool {
		line := m.note("left\tright")
		e := m.with(line, line)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"lines-that-look-like-marks", "Lines that stay look like marks of patches and of conflicts.", false, func(m *maker) bool {
		m.before, m.after = slices.Clone(m.before), slices.Clone(m.after)
		marks := []string{"--- old", "+++ new", "@@ -1,2 +1,2 @@", "*** Update File: x"}
		put := func(lines []string, at int) []string { return slices.Insert(slices.Clone(lines), at, marks...) }
		m.before, m.after = put(m.before, m.spot.line), put(m.after, m.spot.line)
		e := edit{m.spot.line, put(m.spot.old, 1), put(m.spot.new, 1)}
		m.expects()
		m.state([]string{"pairs", "blocks", "begin-patch", "unified"}, style{}, e)
		return true
	}},
	{"removed-line-that-begins-with-dashes", "The line that is removed begins with two dashes, so a patch shows it with three.", false, func(m *maker) bool {
		line := "-- gone soon"
		m.before = slices.Insert(slices.Clone(m.before), m.spot.line, line)
		m.after = replaced(m.before, edit{m.spot.line, slices.Insert(slices.Clone(m.spot.old), 1, line), m.spot.new})
		e := edit{m.spot.line, slices.Insert(slices.Clone(m.spot.old), 1, line), m.spot.new}
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"empty-new-text", "The lines are removed: the new text is empty.", true, func(m *maker) bool {
		e := edit{m.spot.line, m.spot.old, nil}
		m.after = replaced(m.before, e)
		m.expects()
		m.c.Calls = append(m.c.Calls, cases.Call{Form: "pairs", Path: m.path, Pairs: []cases.Pair{{Old: text(e.old, "\n")}}})
		m.state([]string{"blocks", "begin-patch", "unified"}, style{}, e)
		return true
	}},
	{"lines-left-out", "Both texts have the same comment for the lines between, which the file has once: those lines stay.", false, func(m *maker) bool {
		e := m.through()
		m.after = replaced(m.before, e)
		m.expects()
		dots := m.line("... existing code ...")
		short := edit{e.line, slices.Concat(e.old[:2], []string{dots}, e.old[len(e.old)-2:]), slices.Concat(e.new[:2], []string{dots}, e.new[len(e.new)-2:])}
		m.state(worded, style{}, short)
		return true
	}},
	{"lines-left-out-of-new-text", "The new text has a comment for lines that it leaves out, and the old text has several stretches that it could be.", false, func(m *maker) bool {
		m.refuses()
		e := m.through()
		m.state(worded, style{}, edit{e.line, e.old, slices.Concat([]string{m.note("changed")}, []string{m.line("... rest of the code unchanged ...")}, []string{m.note("changed too")})})
		return true
	}},
}

// last returns a change of the file's last lines, of which the last stays.
func (m *maker) last() edit {
	n := 2
	for len(find(m.before, m.before[len(m.before)-n:])) != 1 || strings.TrimSpace(m.before[len(m.before)-n]) == "" {
		n++
	}
	old := m.before[len(m.before)-n:]
	in := indentOf(old[len(old)-2])
	added := in + fmt.Sprintf(m.comment, "one more")
	return edit{len(m.before) - n + 1, old, slices.Insert(slices.Clone(old), n-1, added)}
}

// changedSecond returns the change with copies of its lines. The second line of each change of a
// seed is replaced, or moves away from its place, or stays.
func (m *maker) changedSecond() edit {
	return edit{m.spot.line, slices.Clone(m.spot.old), slices.Clone(m.spot.new)}
}

// through returns a change of both the first and the last line from the one change of the seed to the
// other, with all lines between.
func (m *maker) through() edit {
	first, last := m.spots[0], m.spots[1]
	old := m.before[first.line-1 : last.line-1+len(last.old)]
	new := slices.Clone(old)
	new[1] = m.note("changed")
	new[len(new)-2] = m.note("changed too")
	return edit{first.line, old, new}
}
