package tool_test

import (
	"fmt"
	"slices"
	"strings"
)

// neighbourCases are variants close to the other kinds: forms as other programs write
// them, and similar calls that must be refused.
func neighbourCases(l *language, k int) []corpusCase {
	return slices.Concat(unifiedForms(l, k), beginForms(l, k), blockForms(l, k), pairForms(l, k), insertForms(l, k))
}

// counted returns the place as a hunk with line numbers that are off by this much.
func (p *place) counted(off int) string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n%s", max(p.first+1+off, 1), len(p.old), max(p.first+1+off, 1), len(p.new), p.rows())
}

func unifiedForms(l *language, k int) []corpusCase {
	p := l.place(k)
	hunk := p.counted(0)
	is := func(name, patch string) corpusCase {
		return patchCase("N unified diffs as others write them", name, patch, p.one(), p.wanted())
	}
	isNot := func(name, patch string) corpusCase {
		return patchCase("N unified diffs that cannot be", name, patch, p.one(), nil)
	}
	crlf := strings.ReplaceAll(diffText(p.file, hunk), "\n", "\r\n")
	return named(l, []corpusCase{
		is("no prefixes", "--- "+p.file+"\n+++ "+p.file+"\n"+hunk),
		is("a timestamp", "--- "+p.file+"\t2026-01-02 03:04:05.000 +0000\n+++ "+p.file+"\t2026-01-02 03:04:06.000 +0000\n"+hunk),
		is("Index:", "Index: "+p.file+"\n===================================================================\n--- "+p.file+"\n+++ "+p.file+"\n"+hunk),
		is("git's lines", "diff --git a/"+p.file+" b/"+p.file+"\nindex 0123456..789abcd 100644\n"+diffText(p.file, hunk)),
		is("only +++", "+++ b/"+p.file+"\n"+hunk),
		is("numbers far off", diffText(p.file, p.counted(100))),
		is("numbers a little off", diffText(p.file, p.counted(-3))),
		is("number 0", diffText(p.file, strings.Replace(hunk, fmt.Sprintf("-%d,", p.first+1), "-0,", 1))),
		is("words before and after", "Here is the patch:\n\n"+diffText(p.file, hunk)+"\nThat is all.\n"),
		is("a fence", "```diff\n"+diffText(p.file, hunk)+"```\n"),
		is("a fence with words", "I propose:\n\n```diff\n"+diffText(p.file, hunk)+"```\n\nWhat do you think?\n"),
		is("@@ ... @@", diffText(p.file, "@@ ... @@\n"+p.rows())),
		is("@@ -,+ @@", diffText(p.file, "@@ -,+ @@\n"+p.rows())),
		is("no @@", diffText(p.file, p.rows())),
		is("CRLF in the patch, LF in the file", crlf),
		is("no last line end", strings.TrimSuffix(diffText(p.file, hunk), "\n")),
		isNot("a line that stays has a typo", diffText(p.file, strings.Replace(hunk, "\n "+p.old[0], "\n "+p.old[0]+"x", 1))),
		isNot("no file", hunk),
		isNot("two files in the header", "--- a/"+p.file+"\n+++ b/other.txt\n"+hunk),
		isNot("a combined diff", diffText(p.file, "@@@ -1,1 -1,1 +1,1 @@@\n"+p.rows())),
		isNot("twice the same hunk", diffText(p.file, hunk+hunk)),
	})
}

func beginForms(l *language, k int) []corpusCase {
	p := l.place(k)
	chunk := "@@\n" + p.rows()
	is := func(name, patch string) corpusCase {
		return patchCase("N begin-patches as models write them", name, patch, p.one(), p.wanted())
	}
	isNot := func(name, patch string) corpusCase {
		return patchCase("N begin-patches that cannot be", name, patch, p.one(), nil)
	}
	head := "*** Begin Patch\n*** Update File: "
	return named(l, []corpusCase{
		is("no @@", head+p.file+"\n"+p.rows()+"*** End Patch\n"),
		is("./ before the path", head+"./"+p.file+"\n"+chunk+"*** End Patch\n"),
		is("the path in backticks", head+"`"+p.file+"`\n"+chunk+"*** End Patch\n"),
		is("no *** Begin Patch", "*** Update File: "+p.file+"\n"+chunk+"*** End Patch\n"),
		is("a fence", "```\n"+head+p.file+"\n"+chunk+"*** End Patch\n```\n"),
		is("a here-document", "apply_patch <<'EOF'\n"+head+p.file+"\n"+chunk+"*** End Patch\nEOF\n"),
		is("words before it", "I will change it.\n\n"+head+p.file+"\n"+chunk+"*** End Patch\n"),
		is("the header of the block", head+p.file+"\n@@ "+l.header(k)+"\n"+p.rows()+"*** End Patch\n"),
		is("numbers", head+p.file+"\n"+p.counted(0)+"*** End Patch\n"),
		is("blank lines between", head+p.file+"\n\n"+chunk+"\n*** End Patch\n"),
		is("CRLF in the patch, LF in the file", strings.ReplaceAll(head+p.file+"\n"+chunk+"*** End Patch\n", "\n", "\r\n")),
		is("a blank after the path", head+p.file+"  \n"+chunk+"*** End Patch\n"),
		isNot("no file", "*** Begin Patch\n"+chunk+"*** End Patch\n"),
		isNot("a file that is there is added", "*** Begin Patch\n*** Add File: "+p.file+"\n+new\n*** End Patch\n"),
		isNot("twice the same chunk", head+p.file+"\n"+chunk+chunk+"*** End Patch\n"),
		isNot("End of File elsewhere", head+p.file+"\n"+chunk+"*** End of File\n*** End Patch\n"),
		isNot("rows after the end", head+p.file+"\n"+chunk+"*** End Patch\n+more\n"),
	})
}

func blockForms(l *language, k int) []corpusCase {
	p := l.place(k)
	block := p.block()
	is := func(name, patch string) corpusCase {
		return patchCase("N blocks as models write them", name, patch, p.one(), p.wanted())
	}
	isNot := func(name, patch string) corpusCase {
		return patchCase("N blocks that cannot be", name, patch, p.one(), nil)
	}
	marks := func(n int) string {
		return strings.NewReplacer("<<<<<<<", strings.Repeat("<", n), "=======", strings.Repeat("=", n), ">>>>>>>", strings.Repeat(">", n)).Replace(block)
	}
	return named(l, []corpusCase{
		is("the path in backticks", "`"+p.file+"`\n"+block),
		is("the path in bold", "**"+p.file+"**\n"+block),
		is("File: path", "File: "+p.file+"\n"+block),
		is("a title", "### "+p.file+"\n\n"+block),
		is("a fence around it", p.file+"\n```\n"+block+"```\n"),
		is("the path inside the fence", "```\n"+p.file+"\n"+block+"```\n"),
		is("the path behind the fence", "```text "+p.file+"\n"+block+"```\n"),
		is("five marks", p.file+"\n"+marks(5)),
		is("nine marks", p.file+"\n"+marks(9)),
		is("words around", "I change one place.\n\n"+p.file+"\n"+block+"\nThat was it.\n"),
		is("blank lines below the path", p.file+"\n\n"+block),
		isNot("no file", block),
		isNot("a file in a sentence beside another", "Like `x/y.txt` and `"+p.file+"`:\n\n"+block),
		isNot("no divider", p.file+"\n"+strings.Replace(block, "=======\n", "", 1)),
		isNot("no end", p.file+"\n"+strings.Replace(block, ">>>>>>> REPLACE\n", "", 1)),
		isNot("twice the same block", p.file+"\n"+block+"\n"+block),
		isNot("an empty text in a file that is not empty", p.file+"\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n"),
	})
}

func pairForms(l *language, k int) []corpusCase {
	p := l.place(k)
	pair := func(kind, name, old, new string, after string) corpusCase {
		c := corpusCase{
			kind: kind, name: name, files: p.one(),
			calls: []corpusCall{{"edit_file", map[string]any{"path": p.file, "old_string": old, "new_string": new}}},
		}
		if after != "" {
			c.want = map[string]string{p.file: after}
		}
		return c
	}
	const is, isNot = "N pairs as models write them", "N pairs that cannot be"
	was := text(p.before, "\n")
	old, new := text(p.old, "\n"), text(p.new, "\n")
	body := strings.TrimLeft(old, " \t")
	replaced := strings.Replace(was, old, new, 1)
	gone := slices.Delete(slices.Clone(p.before), p.first+1, p.first+2)
	return named(l, []corpusCase{
		pair(is, "old begins behind the indentation, new too", body, strings.TrimLeft(new, " \t"), replaced),
		pair(is, "old begins behind the indentation, new before it", body, new, replaced),
		pair(is, "blank lines around both", "\n"+old+"\n", "\n"+new+"\n", replaced),
		pair(is, "blanks at the ends of lines", text(mapped(p.old, func(s string) string { return s + "  " }), "\n"), new, replaced),
		pair(is, "a line goes", p.old[1]+"\n", "", text(gone, "\n")),
		pair(is, "the whole file", was, new, new),
		pair(isNot, "nothing changes", old, old, ""),
		pair(isNot, "an empty old text", "", new, ""),
		pair(isNot, "escaped line ends", strings.ReplaceAll(old, "\n", `\n`), new, ""),
		pair(isNot, "numbers of lines before them", "1\t"+p.old[0]+"\n2\t"+p.old[1]+"\n", new, ""),
		pair(isNot, "a line left out", p.old[0]+"\n"+p.old[2]+"\n", p.new[0]+"\n", "").notFound(was, p.old[0]+"\n"+p.old[2]+"\n"),
		pair(isNot, "dots for the line in the middle", p.old[0]+"\n...\n"+p.old[2]+"\n", new, ""),
		pair(isNot, "lines the other way round", p.old[1]+"\n"+p.old[0]+"\n", new, ""),
	})
}

// notFound panics if the old text is in the file after all.
func (c corpusCase) notFound(was, old string) corpusCase {
	if strings.Contains(was, old) {
		panic(c.name)
	}
	return c
}

func insertForms(l *language, k int) []corpusCase {
	p := l.place(k)
	insert := func(kind, name, end, put string, after int, ok bool) corpusCase {
		c := corpusCase{
			kind: kind, name: name, files: map[string]string{p.file: text(p.before, end)},
			calls: []corpusCall{{"text_editor", map[string]any{"command": "insert", "path": p.file, "insert_line": after, "insert_text": put}}},
		}
		if ok {
			c.want = map[string]string{p.file: text(slices.Concat(p.before[:after], []string{"one", "two"}, p.before[after:]), end)}
		}
		return c
	}
	const is, isNot = "N lines that are inserted", "N lines that cannot be inserted"
	return named(l, []corpusCase{
		insert(is, "in the middle", "\n", "one\ntwo\n", p.first, true),
		insert(is, "without a last line end", "\n", "one\ntwo", p.first, true),
		insert(is, "at the start", "\n", "one\ntwo\n", 0, true),
		insert(is, "at the end", "\n", "one\ntwo\n", len(p.before), true),
		insert(is, "LF into CRLF", "\r\n", "one\ntwo\n", p.first, true),
		insert(is, "CRLF into LF", "\n", "one\r\ntwo\r\n", p.first, true),
		insert(isNot, "behind the end", "\n", "one\ntwo\n", len(p.before)+1, false),
		insert(isNot, "a placeholder", "\n", l.says("... existing code ...")+"\n", p.first, false),
	})
}
