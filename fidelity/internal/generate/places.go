package generate

import (
	"fmt"
	"slices"
	"strings"
)

// places are the families about where a change belongs.
var places = []family{
	{"exact", "The old text is in the file once, as it is sent.", true, func(m *maker) bool {
		m.expects()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"indentation-missing", "Every line of both texts lacks the same indentation, and one place differs in that alone.", true, func(m *maker) bool {
		cut := indentOf(m.spot.old[0])
		if cut == "" || slices.ContainsFunc(slices.Concat(m.spot.old, m.spot.new), func(line string) bool { return !strings.HasPrefix(line, cut) }) {
			return false
		}
		m.expects()
		m.state(byText, style{}, m.spot.each(func(line string) string { return strings.TrimPrefix(line, cut) }))
		return true
	}},
	{"indentation-of-first-line-missing", "Only the first line of both texts lacks its indentation, as if copied from the middle of the line.", true, func(m *maker) bool {
		cut := indentOf(m.spot.old[0])
		if cut == "" {
			return false
		}
		e := edit{m.spot.line, slices.Clone(m.spot.old), slices.Clone(m.spot.new)}
		e.old[0], e.new[0] = strings.TrimPrefix(e.old[0], cut), strings.TrimPrefix(e.new[0], cut)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"indentation-too-deep", "Every line of both texts has the same indentation too much, and one place differs in that alone.", false, func(m *maker) bool {
		more := unitOf(m.seed)
		m.expects()
		m.state(byText, style{}, m.spot.each(func(line string) string { return more + line }))
		return true
	}},
	{"indentation-in-another-unit", "Both texts are indented with another unit, depth by depth, and one place differs in that alone: the file keeps its own.", true, func(m *maker) bool {
		own := unitOf(m.seed)
		other := map[string]string{"\t": "    ", "    ": "\t", "  ": "    "}[own]
		if other == "" || m.language == "Markdown" || m.language == "SQL" {
			return false
		}
		m.expects()
		m.state(byText, style{}, m.spot.each(func(line string) string {
			in := indentOf(line)
			return strings.Repeat(other, len(in)/len(own)) + line[len(in):]
		}))
		return true
	}},
	{"repeated", "The old text is in two places, and nothing in the call tells which one is meant.", false, func(m *maker) bool {
		m.twin()
		m.refuses()
		m.state([]string{"pairs", "blocks", "begin-patch"}, style{}, m.spot)
		m.state(unified, style{noNumbers: true}, m.spot)
		return true
	}},
	{"repeated-under-a-header", "The old text is in two places, and the line after @@ names the part of the file that one of them is in.", true, func(m *maker) bool {
		which := 0
		if m.spot.line == m.spots[1].line {
			which = 1
		}
		at := m.twin()[which]
		e := edit{at + 1, m.spots[0].old, m.spots[0].new}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(begin, style{head: m.heads[which]}, e)
		m.state(unified, style{noNumbers: true, head: m.heads[which]}, e)
		return true
	}},
	{"repeated-with-a-line-number", "The old text is in two places, and the line number is right for one of them.", true, func(m *maker) bool {
		which := 0
		if m.spot.line == m.spots[1].line {
			which = 1
		}
		e := edit{m.twin()[which] + 1, m.spots[0].old, m.spots[0].new}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(unified, style{}, e)
		return true
	}},
	{"repeated-with-a-wrong-number", "The old text is in two places, and the line number is that of neither and as far from both.", false, func(m *maker) bool {
		at := m.twin()
		if (at[0]+at[1])%2 == 1 {
			m.before = slices.Insert(m.before, at[1], m.line("spacer"))
			at[1]++
		}
		m.refuses()
		m.state(unified, style{}, edit{(at[0]+at[1])/2 + 1, m.spots[0].old, m.spots[0].new})
		return true
	}},
	{"replace-all", "The old text is in two places, and the call asks for all of them.", false, func(m *maker) bool {
		at := m.twin()
		m.after = replaced(m.before, edit{at[0] + 1, m.spot.old, m.spot.new}, edit{at[1] + 1, m.spot.old, m.spot.new})
		m.expects()
		m.state(pairs, style{}, m.spot)
		m.c.Calls[0].Pairs[0].All = true
		return true
	}},
	{"near-duplicate", "Two places differ in one word, and the old text is one of them.", false, func(m *maker) bool {
		m.copied()
		m.after = replaced(m.before, m.spot)
		m.expects()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"near-duplicate-second", "Two places differ in one word, and the old text is the second of them.", false, func(m *maker) bool {
		e := m.copied()
		m.after = replaced(m.before, e)
		m.expects()
		m.state(byText, style{}, e)
		return true
	}},
	{"near-duplicate-neither", "Two places differ in one word, and the old text has a third one.", false, func(m *maker) bool {
		m.copied()
		m.refuses()
		m.state(byText, style{}, m.spot.each(func(line string) string { return strings.ReplaceAll(line, m.word, "both_"+m.word) }))
		return true
	}},
	{"typo", "A word of the old text is misspelt: the file never had this text.", false, func(m *maker) bool {
		wrong := m.word[:2] + m.word[3:]
		m.refuses()
		m.state(byText, style{}, edit{m.spot.line, mapped(m.spot.old, func(line string) string { return strings.ReplaceAll(line, m.word, wrong) }), m.spot.new})
		return true
	}},
	{"another-case", "A word of the old text is in capitals, which names something else in most languages.", false, func(m *maker) bool {
		m.refuses()
		m.state(byText, style{}, edit{m.spot.line, mapped(m.spot.old, func(line string) string { return strings.ReplaceAll(line, m.word, strings.ToUpper(m.word)) }), m.spot.new})
		return true
	}},
	{"stale", "The file has changed since it was read: a line of the old text has another name now.", false, func(m *maker) bool {
		m.before = mapped(m.before, func(line string) string { return strings.ReplaceAll(line, m.word, m.other) })
		m.refuses()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"stale-line-that-stays", "A line that the change keeps is no longer in the file: someone has replaced it.", true, func(m *maker) bool {
		at := m.spot.line - 1 + len(m.spot.old) - 1
		m.before = slices.Clone(m.before)
		m.before[at] = m.note("someone was here")
		m.refuses()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"line-left-out", "The old text lacks a line from its middle, which the new text would remove without having seen it.", true, func(m *maker) bool {
		m.before = slices.Insert(slices.Clone(m.before), m.spot.line, m.note("keep me"))
		m.refuses()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"already-applied", "The new text is in the file already and the old one is not: the tool must say so.", true, func(m *maker) bool {
		m.before = m.after
		m.refuses()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"nothing-changes", "Both texts are the same: the tool must say that nothing changes.", false, func(m *maker) bool {
		m.refuses()
		same := edit{m.spot.line, m.spot.old, m.spot.old}
		m.state(worded, style{}, same)
		return true
	}},
	{"part-of-a-line", "The old text is part of one line.", false, func(m *maker) bool {
		m.after = mapped(m.before, func(line string) string { return strings.ReplaceAll(line, m.word, m.other) })
		if len(find(m.before, m.after)) == 1 || strings.Count(text(m.before, "\n"), m.word) != 1 {
			return false
		}
		m.expects()
		m.state(pairs, style{}, edit{m.spot.line, []string{m.word}, []string{m.other}})
		return true
	}},
	{"line-numbers-copied", "Every line of both texts has the number that the reading tool printed, and the old ones are the real ones.", false, func(m *maker) bool {
		m.expects()
		m.state(worded, style{}, m.numbered(0, []string{"%d | %s", "%d: %s", "%d→%s", "%6d\t%s"}[m.spot.line%4]))
		return true
	}},
	{"line-numbers-wrong", "Every line has a number before it, and the numbers are those of other lines.", false, func(m *maker) bool {
		m.refuses()
		m.state(worded, style{}, m.numbered(7, "%d | %s"))
		return true
	}},
	{"two-edits", "Two changes, each in one place.", false, func(m *maker) bool {
		m.after = replaced(m.before, m.spot, m.far)
		m.expects()
		m.state(byText, style{}, m.spot, m.far)
		return true
	}},
	{"two-edits-reversed", "Two changes, each in one place, the lower one first.", false, func(m *maker) bool {
		m.after = replaced(m.before, m.spot, m.far)
		m.expects()
		m.state(byText, style{}, m.far, m.spot)
		return true
	}},
	{"one-edit-bad", "One of two changes of a file is in no place. Neither is made, or only the other one, with words that tell both.", false, func(m *maker) bool {
		bad := edit{m.far.line, slices.Clone(m.far.old), m.far.new}
		bad.old[1] = m.note("never was here")
		m.c.Half = map[string]string{m.path: text(m.after, "\n")}
		m.c.InPart = true
		m.refuses()
		m.state(byText, style{}, m.spot, bad)
		return true
	}},
	{"first-edit-bad", "The first of two changes of a file is in no place. Neither is made, or only the other one, with words that tell both.", false, func(m *maker) bool {
		bad := edit{m.spot.line, slices.Clone(m.spot.old), m.spot.new}
		bad.old[1] = m.note("never was here")
		m.c.Half = map[string]string{m.path: text(replaced(m.before, m.far), "\n")}
		m.c.InPart = true
		m.refuses()
		m.state(byText, style{}, bad, m.far)
		return true
	}},
	{"edits-overlap", "Two changes want the same line to be different things. Neither is made, or only the first, with words that tell both.", false, func(m *maker) bool {
		second := edit{m.spot.line + 1, m.spot.old[1:], append([]string{m.note("otherwise")}, m.spot.old[2:]...)}
		m.c.Half = map[string]string{m.path: text(m.after, "\n")}
		m.c.InPart = true
		m.refuses()
		m.state(byText, style{}, m.spot, second)
		return true
	}},
}

// unitOf returns the indentation of one level.
func unitOf(s *seed) string {
	switch s.language {
	case "Go", "C", "Shell":
		return "\t"
	case "Python", "Rust", "Java":
		return "    "
	}
	return "  "
}

// line returns a comment as a line of its own.
func (m *maker) line(words string) string { return fmt.Sprintf(m.comment, words) }

// twin puts the lines of the first change in place of those of the second, and returns where both
// are, counted from 0.
func (m *maker) twin() []int {
	m.before = replaced(m.lines, edit{m.spots[1].line, m.spots[1].old, m.spots[0].old})
	return []int{m.spots[0].line - 1, m.spots[1].line - 1}
}

// copied adds a copy of the change's lines in place of the other change's, with another name, and
// returns the change of the copy.
func (m *maker) copied() edit {
	name := func(line string) string { return strings.ReplaceAll(line, m.word, m.other) }
	e := edit{m.far.line, mapped(m.spot.old, name), mapped(m.spot.new, name)}
	m.before = replaced(m.lines, edit{m.far.line, m.far.old, e.old})
	return e
}

// numbered returns the change with a number before each line.
func (m *maker) numbered(off int, format string) edit {
	put := func(lines []string) []string {
		out := make([]string, len(lines))
		for i, line := range lines {
			out[i] = fmt.Sprintf(format, m.spot.line+off+i, line)
		}
		return out
	}
	return edit{m.spot.line, put(m.spot.old), put(m.spot.new)}
}
