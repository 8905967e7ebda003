package generate

import (
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

// patches are the families about how patches are written.
var patches = []family{
	{"moved-lines", "The line numbers are five off, as if lines above had come or gone; the old text is in the file once.", true, func(m *maker) bool {
		m.expects()
		m.state(unified, style{shift: -5 + 10*(m.spot.line%2)}, m.spot)
		return true
	}},
	{"line-numbers-beyond-the-end", "The line numbers are far beyond the end of the file; the old text is in it once.", false, func(m *maker) bool {
		m.expects()
		m.state(unified, style{shift: 1000}, m.spot)
		return true
	}},
	{"no-line-numbers", "The patch has no line numbers; the old text is in the file once.", true, func(m *maker) bool {
		m.expects()
		m.state(unified, style{noNumbers: true}, m.spot)
		return true
	}},
	{"wrong-counts", "The header counts two lines more than there are; the old text is in the file once.", true, func(m *maker) bool {
		m.expects()
		m.state(unified, style{miscount: 2}, m.spot)
		return true
	}},
	{"counts-too-low", "The header counts a line less than there are; the old text is in the file once.", false, func(m *maker) bool {
		m.expects()
		m.state(unified, style{miscount: -1}, m.spot)
		return true
	}},
	{"no-space-before-lines-that-stay", "Lines that stay have no space before them, in the whole patch.", false, func(m *maker) bool {
		if m.language == "Markdown" || m.language == "SQL" {
			return false // their lines begin with spaces, or with what a mark may be
		}
		m.expects()
		m.state(patched, style{bare: true}, m.spot)
		return true
	}},
	{"blank-line-without-its-space", "A blank line that stays has lost the space before it.", false, func(m *maker) bool {
		e := m.with("", "")
		m.expects()
		m.state(patched, style{}, e)
		for i := range m.c.Calls {
			m.c.Calls[i].Text = strings.ReplaceAll(m.c.Calls[i].Text, "\n \n", "\n\n")
		}
		return true
	}},
	{"in-a-fence", "The patch stands in a fence.", false, func(m *maker) bool {
		m.expects()
		m.state([]string{"blocks", "begin-patch", "unified"}, style{}, m.spot)
		for i, name := range []string{"", "", "diff"} {
			m.c.Calls[i].Text = "```" + name + "\n" + m.c.Calls[i].Text + "```\n"
		}
		return true
	}},
	{"block-in-a-fence-below-its-path", "The path stands above the fence of the block, which names the language.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		rest := strings.TrimPrefix(m.c.Calls[0].Text, m.path+"\n")
		m.c.Calls[0].Text = m.path + "\n```" + strings.ToLower(m.language) + "\n" + rest + "```\n"
		return true
	}},
	{"among-words", "There are words before and after the patch, which name no other file; a diff stands in a fence.", false, func(m *maker) bool {
		m.expects()
		m.state([]string{"blocks", "begin-patch", "unified"}, style{}, m.spot)
		m.c.Calls[2].Text = "```diff\n" + m.c.Calls[2].Text + "```\n"
		for i := range m.c.Calls {
			m.c.Calls[i].Text = "I have looked at it, and this is the change:\n\n" + m.c.Calls[i].Text + "\nTell me if it is not what you want.\n"
		}
		return true
	}},
	{"path-in-words", "The words before the block name another thing, and the line above the fence is the file.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		rest := strings.TrimPrefix(m.c.Calls[0].Text, m.path+"\n")
		m.c.Calls[0].Text = "I change what `/" + m.word + "` does, as `make " + m.other + "` needs it.\n\n" + m.path + "\n```\n" + rest + "```\n"
		return true
	}},
	{"path-with-marks", "The path above the block is in bold and in backquotes, with a colon.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		rest := strings.TrimPrefix(m.c.Calls[0].Text, m.path+"\n")
		m.c.Calls[0].Text = "**`" + m.path + "`**:\n" + rest
		return true
	}},
	{"longer-marks", "The marks of the block have nine signs.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		m.c.Calls[0].Text = strings.NewReplacer("<<<<<<<", "<<<<<<<<<", "=======", "=========", ">>>>>>>", ">>>>>>>>>").Replace(m.c.Calls[0].Text)
		return true
	}},
	{"marks-with-other-words", "The marks of the block say ORIGINAL and UPDATED.", false, func(m *maker) bool {
		m.expects()
		m.state(blocks, style{}, m.spot)
		m.c.Calls[0].Text = strings.NewReplacer("SEARCH", "ORIGINAL", "REPLACE", "UPDATED").Replace(m.c.Calls[0].Text)
		return true
	}},
	{"cut-off", "The call ends below the first new line: the rest of it is not known.", true, func(m *maker) bool {
		if len(m.spot.new) < 4 {
			return false
		}
		m.refuses()
		m.state([]string{"blocks", "begin-patch"}, style{}, m.spot)
		for i, c := range m.c.Calls {
			at := strings.Index(c.Text, m.spot.new[1]) + len(m.spot.new[1]) + 1
			m.c.Calls[i].Text = c.Text[:at]
		}
		return true
	}},
	{"git-headers", "The patch has the headers that git writes.", false, func(m *maker) bool {
		m.expects()
		m.state(unified, style{head: m.heads[0]}, m.spot)
		m.c.Calls[0].Text = "diff --git a/" + m.path + " b/" + m.path + "\nindex 83db48f..bf2a90c 100644\n" + m.c.Calls[0].Text
		return true
	}},
	{"path-without-a-and-b", "The headers have the path without a/ and b/.", false, func(m *maker) bool {
		m.expects()
		m.state(unified, style{}, m.spot)
		m.c.Calls[0].Text = strings.NewReplacer("--- a/", "--- ", "+++ b/", "+++ ").Replace(m.c.Calls[0].Text)
		return true
	}},
	{"path-that-begins-with-a-dot", "The path begins with ./", false, func(m *maker) bool {
		m.expects()
		for _, form := range []string{"pairs", "blocks", "begin-patch"} {
			m.c.Calls = append(m.c.Calls, call(form, "./"+m.path, style{}, []edit{m.spot}))
		}
		return true
	}},
	{"no-such-file", "The path is that of no file, and a file with that name is in another folder.", false, func(m *maker) bool {
		m.refuses()
		for _, form := range byText {
			m.c.Calls = append(m.c.Calls, call(form, "old/"+m.path, style{}, []edit{m.spot}))
		}
		return true
	}},
	{"two-files", "The call changes two files.", false, func(m *maker) bool {
		other, e := m.second()
		m.expects()
		m.c.Before[other], m.c.After[other] = text(m.lines, "\n"), text(replaced(m.lines, e), "\n")
		m.both(other, m.spot, e)
		return true
	}},
	{"one-file-bad", "One of two files cannot be changed. Nothing is changed, or only the other file is, with words that name both.", false, func(m *maker) bool {
		other, e := m.second()
		bad := edit{e.line, slices.Clone(e.old), e.new}
		bad.old[1] = m.note("never was here")
		m.c.InPart = true
		m.refuses()
		m.c.Before[other] = text(m.lines, "\n")
		m.c.Half = map[string]string{m.path: text(m.after, "\n"), other: text(m.lines, "\n")}
		m.both(other, m.spot, bad)
		return true
	}},
	{"file-moved", "The file moves, with a change.", false, func(m *maker) bool {
		m.expects()
		to := "moved/" + m.path
		m.c.After[to] = m.c.After[m.path]
		delete(m.c.After, m.path)
		m.c.Calls = append(m.c.Calls,
			cases.Call{Form: "begin-patch", Text: beginPatch("\n", "*** Update File: "+m.path+"\n*** Move to: "+to+"\n"+chunks(style{end: "\n"}, []edit{m.spot}))},
			cases.Call{Form: "unified", Text: "diff --git a/" + m.path + " b/" + to + "\nsimilarity index 80%\nrename from " + m.path + "\nrename to " + to + "\n--- a/" + m.path + "\n+++ b/" + to + "\n" + hunks(style{end: "\n"}, []edit{m.spot})})
		return true
	}},
	{"file-deleted", "The file is deleted.", false, func(m *maker) bool {
		m.c.Before = map[string]string{m.path: text(m.before, "\n"), "keep.txt": "kept\n"}
		m.c.After = map[string]string{"keep.txt": "kept\n"}
		m.c.Calls = append(m.c.Calls,
			cases.Call{Form: "begin-patch", Text: beginPatch("\n", "*** Delete File: "+m.path+"\n")},
			cases.Call{Form: "unified", Text: "--- a/" + m.path + "\n+++ /dev/null\n" + hunks(style{end: "\n"}, []edit{{1, m.before, nil}})})
		m.c.Calls[1].Text = strings.Replace(m.c.Calls[1].Text, " +1,0 @@", " +0,0 @@", 1)
		return true
	}},
	{"no-such-file-to-delete", "The file to delete is not there.", false, func(m *maker) bool {
		m.refuses()
		m.c.Calls = append(m.c.Calls, cases.Call{Form: "begin-patch", Text: beginPatch("\n", "*** Delete File: old/"+m.path+"\n")})
		return true
	}},
}

// second returns another file with the same text, and a change of it.
func (m *maker) second() (path string, e edit) { return "other/" + m.path, m.far }

// both adds a call that changes two files, in each form of a patch.
func (m *maker) both(other string, a, b edit) {
	o := style{end: "\n"}
	m.c.Calls = append(m.c.Calls,
		cases.Call{Form: "blocks", Text: block(m.path, "\n", a) + "\n" + block(other, "\n", b)},
		cases.Call{Form: "begin-patch", Text: beginPatch("\n", "*** Update File: "+m.path+"\n"+chunks(o, []edit{a})+"*** Update File: "+other+"\n"+chunks(o, []edit{b}))},
		cases.Call{Form: "unified", Text: call("unified", m.path, o, []edit{a}).Text + call("unified", other, o, []edit{b}).Text})
}
