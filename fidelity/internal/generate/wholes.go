package generate

import (
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// wholes are the families about whole files and inserted lines.
var wholes = []family{
	{"file-created", "The file is new.", false, func(m *maker) bool {
		m.c.Before = map[string]string{"keep.txt": "kept\n"}
		m.c.After = map[string]string{"keep.txt": "kept\n", m.path: text(m.before, "\n")}
		m.creates()
		return true
	}},
	{"file-created-over-another", "The call says that the file is new, but it is there with another text, which would be lost.", false, func(m *maker) bool {
		m.before = replaced(m.before, m.far)
		m.refuses()
		m.before = m.lines
		m.creates()
		m.c.Calls = slices.DeleteFunc(m.c.Calls, func(c cases.Call) bool { return c.Form == "whole" }) // it replaces what is there
		return true
	}},
	{"empty-file", "The file is there and empty: it gets the text.", false, func(m *maker) bool {
		m.c.Before = map[string]string{m.path: ""}
		m.c.After = map[string]string{m.path: text(m.before, "\n")}
		m.creates()
		m.c.Calls = slices.DeleteFunc(m.c.Calls, func(c cases.Call) bool { return c.Form == "begin-patch" }) // it is not new
		for i, c := range m.c.Calls {
			m.c.Calls[i].Text = strings.Replace(c.Text, "--- /dev/null", "--- a/"+m.path, 1)
		}
		return true
	}},
	{"text-for-an-empty-file", "The file is empty, and the call replaces a text that it does not have.", false, func(m *maker) bool {
		m.before = nil
		m.refuses()
		m.state(byText, style{}, m.spot)
		return true
	}},
	{"whole-file", "The call has the whole new text.", true, func(m *maker) bool {
		m.expects()
		m.whole(text(m.after, "\n"))
		return true
	}},
	{"whole-file-for-crlf", "The call has the whole new text with LF; the file has CRLF, which stays.", false, func(m *maker) bool {
		m.ends = "\r\n"
		m.expects()
		m.whole(text(m.after, "\n"))
		return true
	}},
	{"whole-file-without-final-line-end", "The call has the whole new text, without a final line end, which the file has and keeps.", false, func(m *maker) bool {
		m.expects()
		m.whole(strings.TrimSuffix(text(m.after, "\n"), "\n"))
		return true
	}},
	{"whole-file-with-mark", "The call has the whole new text; the file begins with a byte order mark, which stays.", false, func(m *maker) bool {
		m.expects()
		m.c.Before[m.path] = "\ufeff" + m.c.Before[m.path]
		m.c.After[m.path] = "\ufeff" + m.c.After[m.path]
		m.whole(text(m.after, "\n"))
		return true
	}},
	{"whole-file-with-lines-left-out", "A comment stands for the lines that stay between two that the file has once: they stay.", false, func(m *maker) bool {
		m.after = replaced(m.before, m.spot)
		m.expects()
		at := m.spot.line - 1 + len(m.spot.new)
		m.whole(text(slices.Concat(m.after[:at+1], []string{m.line("... existing code ...")}, m.after[len(m.after)-4:]), "\n"))
		return len(find(m.before, m.after[len(m.after)-4:])) == 1
	}},
	{"whole-file-with-lines-left-out-anywhere", "Comments stand for lines that stay, between lines that the file does not have.", false, func(m *maker) bool {
		m.refuses()
		dots := m.line("... rest of the file unchanged ...")
		m.whole(text([]string{dots, m.note("new one"), dots, m.note("new two"), dots}, "\n"))
		return true
	}},
	{"insert", "Lines are inserted after a line.", true, func(m *maker) bool {
		m.insert(m.spot.line, m.note("inserted"))
		return true
	}},
	{"insert-at-the-start", "Lines are inserted before the first line.", false, func(m *maker) bool {
		m.insert(0, m.line("first")+"\n"+m.line("second"))
		return true
	}},
	{"insert-at-the-end", "Lines are inserted after the last line.", false, func(m *maker) bool {
		m.insert(len(m.before), m.line("last"))
		return true
	}},
	{"insert-with-line-end", "The text to insert has a line end: it is still one line.", false, func(m *maker) bool {
		m.insert(m.spot.line, m.note("inserted"))
		m.c.Calls[0].Text += "\n"
		return true
	}},
	{"insert-into-crlf", "Lines with LF are inserted into a file with CRLF, which they get.", false, func(m *maker) bool {
		m.ends = "\r\n"
		m.insert(m.spot.line, m.note("inserted"))
		return true
	}},
	{"insert-below-an-open-line", "Lines are inserted after a last line without a line end: it gets one, and the new last line has none.", false, func(m *maker) bool {
		m.insert(len(m.before), m.line("last"))
		for _, texts := range []map[string]string{m.c.Before, m.c.After} {
			texts[m.path] = strings.TrimSuffix(texts[m.path], "\n")
		}
		return true
	}},
	{"insert-beyond-the-end", "There is no such line to insert after.", false, func(m *maker) bool {
		m.refuses()
		after := len(m.before) + 9
		m.c.Calls = []cases.Call{{Form: "editor", Path: m.path, Text: m.line("lost"), After: &after}}
		return true
	}},
	{"insert-before-the-start", "A line before the first has no place.", false, func(m *maker) bool {
		m.refuses()
		after := -2
		m.c.Calls = []cases.Call{{Form: "editor", Path: m.path, Text: m.line("lost"), After: &after}}
		return true
	}},
	{"insert-into-nothing", "There is no such file to insert into.", false, func(m *maker) bool {
		m.refuses()
		after := 1
		m.c.Calls = []cases.Call{{Form: "editor", Path: "old/" + m.path, Text: m.line("lost"), After: &after}}
		return true
	}},
}

func (m *maker) whole(text string) {
	m.c.Calls = append(m.c.Calls, cases.Call{Form: "whole", Path: m.path, Text: text})
}

// insert states that lines are inserted after a line.
func (m *maker) insert(after int, lines string) {
	m.after = slices.Insert(slices.Clone(m.before), after, strings.Split(strings.TrimSuffix(lines, "\n"), "\n")...)
	m.expects()
	m.c.Calls = []cases.Call{{Form: "editor", Path: m.path, Text: lines, After: &after}}
}

// creates states in each form that the file is new.
func (m *maker) creates() {
	e := edit{1, nil, m.before}
	m.c.Calls = []cases.Call{
		{Form: "pairs", Path: m.path, Pairs: []cases.Pair{{New: text(m.before, "\n")}}},
		{Form: "blocks", Text: block(m.path, "\n", e)},
		{Form: "begin-patch", Text: beginPatch("\n", "*** Add File: "+m.path+"\n"+text(mapped(m.before, func(line string) string { return "+" + line }), "\n"))},
		{Form: "unified", Text: "--- /dev/null\n+++ b/" + m.path + "\n" + strings.Replace(hunks(style{end: "\n"}, []edit{e}), "@@ -1,0 ", "@@ -0,0 ", 1)},
		{Form: "whole", Path: m.path, Text: text(m.before, "\n")},
	}
}
