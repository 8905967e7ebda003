package generate

import (
	"fmt"
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// headers are the families about the marks, headers and paths around a change.
var headers = []family{
	{"marks-of-dashes-and-plus", "The marks of the block are ------- SEARCH and +++++++ REPLACE, as Cline has them.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		m.renamed("<<<<<<<", "-------", ">>>>>>>", "+++++++")
		return true
	}},
	{"sign-after-search", "The line <<<<<<< SEARCH ends with a stray >.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		m.renamed("SEARCH", "SEARCH>")
		return true
	}},
	{"path-once", "There are two blocks, and only the first has a path above it: the second is for the same file.", false, func(m *maker) bool {
		m.after = replaced(m.before, m.spot, m.far)
		m.expects()
		m.state(blocks, style{}, m.spot, m.far)
		at := strings.LastIndex(m.c.Calls[0].Text, m.path+"\n")
		m.c.Calls[0].Text = m.c.Calls[0].Text[:at] + m.c.Calls[0].Text[at+len(m.path)+1:]
		return true
	}},
	{"path-missing", "Nothing names a file, and two files have the old text.", false, func(m *maker) bool {
		m.refuses()
		m.c.Before["copy/"+m.path] = m.c.Before[m.path]
		m.state([]string{"blocks", "unified"}, style{}, m.spot)
		m.c.Calls[0].Text = strings.TrimPrefix(m.c.Calls[0].Text, m.path+"\n")
		_, rest, _ := strings.Cut(m.c.Calls[1].Text, "@@")
		m.c.Calls[1].Text = "@@" + rest
		return true
	}},
	{"divider-missing", "The block has no line of = between the old and the new text.", false, func(m *maker) bool {
		m.refuses()
		m.state(blocks, style{}, m.spot)
		m.renamed("=======\n", "")
		return true
	}},
	{"in-a-longer-fence", "The block stands in a fence of four backquotes.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		m.c.Calls[0].Text = m.path + "\n````\n" + strings.TrimPrefix(m.c.Calls[0].Text, m.path+"\n") + "````\n"
		return true
	}},
	{"no-change-in-call", "The call has no change: words without a block, a patch without a file, a diff without a hunk.", false, func(m *maker) bool {
		m.refuses()
		m.c.Calls = []cases.Call{
			{Form: "blocks", Text: "I have looked at " + m.path + ", and it is fine as it is.\n"},
			{Form: "begin-patch", Text: beginPatch("\n", "")},
			{Form: "unified", Text: "--- a/" + m.path + "\n+++ b/" + m.path + "\n"},
		}
		return true
	}},
	{"no-such-section", "The patch has a section of a kind that there is not.", false, func(m *maker) bool {
		m.refuses()
		m.state(begin, style{}, m.spot)
		m.renamed("*** Update File", "*** Replace Function")
		return true
	}},
	{"marks-with-spaces-around", "The marks of the patch have spaces before and after them.", false, func(m *maker) bool {
		m.expects()
		m.state(begin, style{}, m.spot)
		m.renamed("*** Begin Patch", " *** Begin Patch ", "*** Update File: "+m.path, "  *** Update File: "+m.path+"  ", "*** End Patch", " *** End Patch ")
		return true
	}},
	{"in-a-here-document", "The patch stands in a here-document, as for a shell.", false, func(m *maker) bool {
		m.expects()
		m.state(begin, style{}, m.spot)
		m.c.Calls[0].Text = "<<'EOF'\n" + m.c.Calls[0].Text + "EOF\n"
		return true
	}},
	{"only-added-lines", "A chunk has only new lines and no words after @@: they go to the end of the file.", false, func(m *maker) bool {
		e := edit{len(m.before) + 1, nil, []string{m.line("appended"), m.line("appended too")}}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(begin, style{}, e)
		return true
	}},
	{"two-headers", "The old text is in two places, and of two lines after @@ the second names the part of the file that one of them is in.", true, func(m *maker) bool {
		which := 0
		if m.spot.line == m.spots[1].line {
			which = 1
		}
		e := edit{m.twin()[which] + 1, m.spots[0].old, m.spots[0].new}
		m.after = replaced(m.before, e)
		m.expects()
		m.state(begin, style{head: m.heads[which]}, e)
		m.renamed("@@ ", "@@ "+strings.TrimSpace(m.before[0])+"\n@@ ")
		return true
	}},
	{"space-after-marks", "Every line of the patch has a space after its mark that belongs to no line.", false, func(m *maker) bool {
		m.expects()
		m.state(patched, style{}, m.spot.each(func(line string) string { return " " + line }))
		return true
	}},
	{"times-in-headers", "The headers have a tab and a time after the path.", false, func(m *maker) bool {
		m.expects()
		m.state(unified, style{}, m.spot)
		m.renamed("a/"+m.path, "a/"+m.path+"\t2024-03-01 10:00:00.000000000 +0100", "b/"+m.path, "b/"+m.path+"\t2024-03-02 11:30:00.000000000 +0100")
		return true
	}},
	{"mail", "The patch is a mail, as git format-patch writes it, with a line -- below its last hunk.", false, func(m *maker) bool {
		m.expects()
		m.state(unified, style{head: m.heads[0]}, m.spot)
		m.c.Calls[0].Text = "From 83db48f000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom: A B <ab@example.org>\nDate: Fri, 1 Mar 2024 10:00:00 +0100\n" +
			"Subject: [PATCH] Change it\n\n--- a note\n---\n " + m.path + " | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n" +
			"diff --git a/" + m.path + " b/" + m.path + "\nindex 83db48f..bf2a90c 100644\n" + m.c.Calls[0].Text + "-- \n2.39.5\n\n"
		return true
	}},
	{"no-lines-that-stay", "The hunk has no lines that stay, and the removed one is in the file once, at the line that the hunk says.", true, func(m *maker) bool {
		e := edit{m.spot.line + 1, m.spot.old[1 : len(m.spot.old)-1], m.spot.new[1 : len(m.spot.new)-1]}
		m.expects()
		m.state(unified, style{}, e)
		return len(e.old) > 0 && len(find(m.before, e.old)) == 1
	}},
	{"final-line-end-added", "The last line has no line end, and the diff says that it gets one.", false, func(m *maker) bool {
		return m.lastEnd(func(old, new string) (string, string) { return strings.TrimSuffix(old, "\n"), new }, "-")
	}},
	{"final-line-end-removed", "The diff says that the last line loses its line end.", false, func(m *maker) bool {
		return m.lastEnd(func(old, new string) (string, string) { return old, strings.TrimSuffix(new, "\n") }, "+")
	}},
	{"path-with-spaces", "The path has spaces.", false, func(m *maker) bool {
		m.moves("two words/my " + m.path[strings.LastIndex(m.path, "/")+1:])
		m.expects()
		m.state(byText, style{}, m.spot)
		m.c.Calls[3].Text = strings.Replace(m.c.Calls[3].Text, "\n+++ b/"+m.path, "\t\n+++ b/"+m.path+"\t", 1) // as git writes it
		m.whole(text(m.after, "\n"))
		return true
	}},
	{"path-in-another-script", "The path has letters that are not ASCII.", false, func(m *maker) bool {
		m.moves("größe/東京-" + m.path[strings.LastIndex(m.path, "/")+1:])
		m.expects()
		m.state(byText, style{}, m.spot)
		m.whole(text(m.after, "\n"))
		return true
	}},
	{"conflict-resolved", "The file has the marks of a conflict, and the change removes them.", false, func(m *maker) bool {
		e := m.with("<<<<<<< ours", "<<<<<<< ours")
		rest := []string{m.note("of ours"), "=======", m.note("of theirs"), ">>>>>>> theirs"}
		m.before = slices.Insert(m.before, m.spot.line+1, rest...)
		m.after = slices.Replace(m.after, m.spot.line, m.spot.line+1, m.note("of both"))
		e.old = slices.Insert(e.old, 2, rest...)
		e.new[1] = m.note("of both")
		m.expects()
		m.state([]string{"pairs", "begin-patch", "unified"}, style{}, e)
		return true
	}},
	{"file-created-beside-a-change", "The call makes a file and changes another one.", false, func(m *maker) bool {
		added := []string{m.line("new"), m.line("and short")}
		m.expects()
		m.c.After["new/"+m.path] = text(added, "\n")
		e := edit{1, nil, added}
		o := style{end: "\n"}
		m.c.Calls = []cases.Call{
			{Form: "blocks", Text: block("new/"+m.path, "\n", e) + "\n" + block(m.path, "\n", m.spot)},
			{Form: "begin-patch", Text: beginPatch("\n", "*** Add File: new/"+m.path+"\n"+text(mapped(added, func(line string) string { return "+" + line }), "\n")+"*** Update File: "+m.path+"\n"+chunks(o, []edit{m.spot}))},
			{Form: "unified", Text: "--- /dev/null\n+++ b/new/" + m.path + "\n" + strings.Replace(hunks(o, []edit{e}), "@@ -1,0 ", "@@ -0,0 ", 1) + call("unified", m.path, o, []edit{m.spot}).Text},
		}
		return true
	}},
	{"deleted-file-has-changed", "The diff deletes a file, which has another line by now than the diff removes.", false, func(m *maker) bool {
		m.before = slices.Clone(m.before)
		m.before[m.spot.line] = m.note("someone was here")
		m.refuses()
		m.c.Calls = []cases.Call{{Form: "unified", Text: "--- a/" + m.path + "\n+++ /dev/null\n" + strings.Replace(hunks(style{end: "\n"}, []edit{{1, m.lines, nil}}), " +1,0 @@", " +0,0 @@", 1)}}
		return true
	}},
	{"file-moved-unchanged", "The file moves without a change.", false, func(m *maker) bool {
		to := "moved/" + m.path
		m.expects()
		m.c.After = map[string]string{to: m.c.Before[m.path]}
		m.c.Calls = []cases.Call{
			{Form: "begin-patch", Text: beginPatch("\n", "*** Update File: "+m.path+"\n*** Move to: "+to+"\n")},
			{Form: "unified", Text: "diff --git a/" + m.path + " b/" + to + "\nsimilarity index 100%\nrename from " + m.path + "\nrename to " + to + "\n"},
		}
		return true
	}},
	{"file-moved-over-another", "The file moves to a path where another file is, whose text would be lost.", false, func(m *maker) bool {
		to := "moved/" + m.path
		m.refuses()
		m.c.Before[to] = m.line("of someone else") + "\n"
		m.c.Calls = []cases.Call{
			{Form: "begin-patch", Text: beginPatch("\n", "*** Update File: "+m.path+"\n*** Move to: "+to+"\n"+chunks(style{end: "\n"}, []edit{m.spot}))},
			{Form: "unified", Text: "diff --git a/" + m.path + " b/" + to + "\nsimilarity index 80%\nrename from " + m.path + "\nrename to " + to + "\n--- a/" + m.path + "\n+++ b/" + to + "\n" + hunks(style{end: "\n"}, []edit{m.spot})},
		}
		return true
	}},
	{"whole-file-in-a-fence", "The whole new text came in a fence, which is no part of the file.", false, func(m *maker) bool {
		m.expects()
		m.whole("```" + strings.ToLower(m.language) + "\n" + text(m.after, "\n") + "```\n")
		return m.language != "Markdown"
	}},
	{"whole-file-with-crlf", "The call has the whole new text with CRLF; the file has LF, which stays.", false, func(m *maker) bool {
		m.expects()
		m.whole(text(m.after, "\r\n"))
		return true
	}},
	{"whole-file-with-line-numbers", "Every line of the whole new text has its number before it, as the reading tool prints it.", false, func(m *maker) bool {
		m.expects()
		numbered := make([]string, len(m.after))
		for i, line := range m.after {
			numbered[i] = fmt.Sprintf("%6d\t%s", i+1, line)
		}
		m.whole(text(numbered, "\n"))
		return true
	}},
	{"insert-into-an-empty-file", "Lines are inserted into an empty file.", false, func(m *maker) bool {
		m.before = nil
		m.insert(0, m.line("first")+"\n"+m.line("second"))
		return true
	}},
	{"insert-of-crlf", "Lines with CRLF are inserted into a file with LF, which they get.", false, func(m *maker) bool {
		m.insert(m.spot.line, m.note("inserted")+"\n"+m.note("inserted too"))
		m.c.Calls[0].Text = strings.ReplaceAll(m.c.Calls[0].Text, "\n", "\r\n")
		return true
	}},
}

// renamed replaces words in the text of the only call.
func (m *maker) renamed(pairs ...string) {
	m.c.Calls[0].Text = strings.NewReplacer(pairs...).Replace(m.c.Calls[0].Text)
}

// moves gives the file another path.
func (m *maker) moves(path string) {
	s := *m.seed
	s.path = path
	m.seed = &s
}

// lastEnd states a diff of the last line's end: ends changes the two texts, and mark is the row that
// has no line end.
func (m *maker) lastEnd(ends func(old, new string) (string, string), mark string) bool {
	n := len(m.before)
	last := m.before[n-1]
	m.after = m.before
	m.expects()
	m.c.Before[m.path], m.c.After[m.path] = ends(m.c.Before[m.path], m.c.After[m.path])
	row := func(of string) string {
		if of == mark {
			return of + last + "\n\\ No newline at end of file\n"
		}
		return of + last + "\n"
	}
	m.c.Calls = []cases.Call{{Form: "unified", Text: fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -%d,2 +%d,2 @@\n %s\n", m.path, m.path, n-1, n-1, m.before[n-2]) + row("-") + row("+")}}
	return true
}
