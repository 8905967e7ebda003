package generate

import (
	"fmt"
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// almost are the families about an old text that is almost in the file, or in more places than it seems.
var almost = []family{
	{"another-number", "A line that stays has another number in the file than in the call.", false, func(m *maker) bool {
		e := m.with(m.note("at most 10 of them"), m.note("at most 100 of them"))
		m.refuses()
		m.state(byText, style{}, e)
		return true
	}},
	{"only-ends-match", "The first and the last line of the old text are in the file, and between them other lines than the call has.", true, func(m *maker) bool {
		own := []string{m.note("sorted by name"), m.note("see the manual"), m.note("never twice")}
		said := []string{m.note("read from the disk"), m.note("kept for a day")}
		at := m.spot.line
		m.before = replaced(m.before, edit{at + 1, m.spot.old[1 : len(m.spot.old)-1], own})
		m.refuses()
		last := m.spot.old[len(m.spot.old)-1]
		m.state(byText, style{}, edit{at, slices.Concat(m.spot.old[:1], said, []string{last}), slices.Concat(m.spot.old[:1], said[:1], []string{last})})
		return true
	}},
	{"line-that-never-was", "The old text has a line in its middle that the file never had.", true, func(m *maker) bool {
		said := m.note("checked above")
		m.refuses()
		m.state(byText, style{}, edit{m.spot.line, slices.Insert(slices.Clone(m.spot.old), 1, said), slices.Insert(slices.Clone(m.spot.new), 1, said)})
		return true
	}},
	{"lines-in-another-order", "Two lines that stay are in another order in the file than in the call.", false, func(m *maker) bool {
		e := m.with(m.note("first the old ones"), m.note("then the young ones"))
		m.before = slices.Insert(m.before, m.spot.line+1, m.note("then the young ones"))
		e.old, e.new = slices.Insert(e.old, 2, m.note("first the old ones")), slices.Insert(e.new, 2, m.note("first the old ones"))
		m.refuses()
		m.state(byText, style{}, e)
		return true
	}},
	{"comment-at-line-end-left-out", "The line that is replaced has a comment at its end in the file, which the call does not have and would remove.", true, func(m *maker) bool {
		m.before = slices.Clone(m.before)
		m.before[m.spot.line] += "  " + m.line("keep this")
		m.refuses()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"whole-line-and-part", "The old text is a whole line; it is also the start of a longer line above.", false, func(m *maker) bool {
		short, long := m.note("limit 1"), m.note("limit 1")+" of 10"
		m.before = slices.Insert(slices.Clone(m.before), m.spot.line, long, short)
		e := edit{m.spot.line + 2, []string{short}, []string{m.note("limit 2")}}
		m.after = replaced(m.before, e)
		m.expects()
		m.state([]string{"blocks", "begin-patch", "unified"}, style{}, e)
		return true
	}},
	{"repeated-overlapping", "The file has the same line three times in a row, and the old text has it twice: that is two places.", false, func(m *maker) bool {
		line := m.note("one of three")
		m.before = slices.Insert(slices.Clone(m.before), m.spot.line, line, line, line)
		e := edit{m.spot.line + 2, []string{line, line}, []string{line, m.note("another")}}
		m.refuses()
		m.state([]string{"pairs", "blocks", "begin-patch"}, style{}, e)
		m.state(unified, style{noNumbers: true}, e)
		return true
	}},
	{"a-twin-is-made", "Two changes, and the new text of the first has the old text of the second: what the file had is meant.", false, func(m *maker) bool {
		first := edit{m.spot.line, m.spot.old, slices.Concat(m.spot.new[:1], m.far.old, m.spot.new[1:])}
		m.after = replaced(m.before, first, m.far)
		m.expects()
		m.state([]string{"pairs", "begin-patch", "unified"}, style{}, first, m.far)
		return true
	}},
	{"header-cut-short", "The words after @@ are only the start of a line above; the old text is in the file once.", false, func(m *maker) bool {
		m.expects()
		head := m.heads[0]
		if at := strings.IndexAny(head, "(:{"); at > 0 {
			head = head[:at]
		} else {
			head = head[:strings.LastIndex(head, " ")]
		}
		m.state(patched, style{head: head}, m.spot)
		return true
	}},
	{"header-names-neither", "The old text is in two places, and the words after @@ are in no line.", false, func(m *maker) bool {
		m.twin()
		m.refuses()
		m.state(begin, style{head: "nowhere in this file"}, m.spot)
		m.state(unified, style{noNumbers: true, head: "nowhere in this file"}, m.spot)
		return true
	}},
	{"repeated-at-the-end", "The old text is in two places, and the mark for the end of the file says that the last one is meant.", false, func(m *maker) bool {
		at := len(m.before) + 1
		m.before = slices.Concat(m.before, m.spot.old)
		e := edit{at, m.spot.old, m.spot.new}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(begin, style{}, e)
		m.c.Calls[0].Text = strings.Replace(m.c.Calls[0].Text, "*** End Patch", "*** End of File\n*** End Patch", 1)
		return true
	}},
	{"repeated-with-a-start-line", "The old text is in two places, and a line below the mark, as Roo Code has it, says at which line one of them starts.", true, func(m *maker) bool {
		which := 0
		if m.spot.line == m.spots[1].line {
			which = 1
		}
		e := edit{m.twin()[which] + 1, m.spots[0].old, m.spots[0].new}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(blocks, style{}, e)
		m.c.Calls[0].Text = strings.Replace(m.c.Calls[0].Text, "SEARCH\n", fmt.Sprintf("SEARCH\n:start_line:%d\n-------\n", e.line), 1)
		return true
	}},
	{"replace-all-nowhere", "The call asks for all places of a text that has none.", false, func(m *maker) bool {
		m.refuses()
		m.all(edit{m.spot.line, []string{m.note("never was here")}, []string{m.note("nor this")}})
		return true
	}},
	{"replace-all-in-crlf", "The old text, of several lines with LF, is in two places of a file with CRLF, and the call asks for all of them.", false, func(m *maker) bool {
		at := m.twin()
		m.after = replaced(m.before, edit{at[0] + 1, m.spot.old, m.spot.new}, edit{at[1] + 1, m.spot.old, m.spot.new})
		m.ends = "\r\n"
		m.expects()
		m.all(m.spot)
		return true
	}},
	{"replace-all-in-one-line", "The old text is twice in one line and once in another, and the new text contains it: each place is replaced once.", false, func(m *maker) bool {
		line := m.note(m.word + " and " + m.word)
		m.before = slices.Insert(slices.Clone(m.before), m.spot.line, line)
		m.after = mapped(m.before, func(line string) string { return strings.ReplaceAll(line, m.word, "the_"+m.word) })
		m.expects()
		m.all(edit{m.spot.line, []string{m.word}, []string{"the_" + m.word}})
		return true
	}},
}

// all adds a call that asks for every place.
func (m *maker) all(e edit) {
	m.state(pairs, style{}, e)
	m.c.Calls[0].Pairs[0].All = true
}

// escapes are the families about signs that something on the way reads as its own, and about other bytes.
var escapes = []family{
	{"escaped-twice", "The line ends, tabs and quotes of both texts came escaped once too often, and unescaped the old one is in the file once.", true, func(m *maker) bool {
		m.expects()
		m.state(pairs, style{}, m.spot)
		escape := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`)
		p := &m.c.Calls[0].Pairs[0]
		p.Old, p.New = escape.Replace(p.Old), escape.Replace(p.New)
		return true
	}},
	{"entities-in-call", "Both texts have &lt;, &gt; and &amp; for the signs that the file has, and so read the old one is in it once.", false, func(m *maker) bool {
		line := m.note("if a < b && b > c")
		e := m.with(line, line)
		m.expects()
		m.state(worded, style{}, e.each(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace))
		return true
	}},
	{"entities-in-both", "The file has &lt; and &amp; in a line that stays, and so has the call, in a new line too.", false, func(m *maker) bool {
		line := m.note("a &lt;b&gt; &amp; a &quot;c&quot;")
		e := m.with(line, line)
		added := m.note("one &amp;lt; more")
		e.new = slices.Insert(e.new, 2, added)
		m.after = slices.Insert(m.after, m.spot.line+1, added)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"backslashes", `A line that stays and a new line have \n, \t, \" and \\, as they are sent.`, false, func(m *maker) bool {
		line := m.note(`split("\n") and "\t" or '\\' \"x\"`)
		e := m.with(line, line)
		added := m.note(`join("\r\n") \u0041 \x41 \\n`)
		e.new = slices.Insert(e.new, 2, added)
		m.after = slices.Insert(m.after, m.spot.line+1, added)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"other-line-separators", "A line above has a form feed and signs that Unicode calls line separators: they end no line.", false, func(m *maker) bool {
		e := m.below("one\f two\u2028three\u0085four\v")
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"lone-carriage-return", "A line above has a carriage return in its middle, which stays.", false, func(m *maker) bool {
		e := m.below("10 %\r20 %")
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"zero-width-space", "A comment that stays has a zero-width space in the file and none in the call: it keeps it.", false, func(m *maker) bool {
		e := m.with(m.note("a long\u200bword"), m.note("a longword"))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"ellipsis", "A comment that stays has the sign … in the file and three dots in the call: it keeps its own.", false, func(m *maker) bool {
		e := m.with(m.note("wait… and see"), m.note("wait... and see"))
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"bytes-that-are-not-utf-8", "A comment far from the change is in Latin-1: its bytes stay.", false, func(m *maker) bool {
		e := m.below("caf\xe9 na\xefve")
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"utf-16-with-mark", "The file is in UTF-16 with a byte order mark, which says so: it stays in UTF-16.", false, func(m *maker) bool {
		m.expects()
		m.c.Before[m.path] = cases.UTF16(m.c.Before[m.path])
		m.c.After[m.path] = cases.UTF16(m.c.After[m.path])
		m.state(byText, style{}, m.spot)
		return true
	}},
}

// below adds a comment as the second line of the file, and returns the change below it.
func (m *maker) below(words string) edit {
	m.before, m.after = slices.Insert(slices.Clone(m.before), 1, m.line(words)), slices.Insert(slices.Clone(m.after), 1, m.line(words))
	e := m.spot
	e.line++
	return e
}
