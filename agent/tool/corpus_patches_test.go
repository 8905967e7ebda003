package tool_test

import (
	"fmt"
	"slices"
	"strings"
)

// patchCase makes a case of one patch.
func patchCase(kind, name, patch string, files, want map[string]string) corpusCase {
	return corpusCase{
		kind: kind, name: name, files: files, want: want,
		calls: []corpusCall{{"apply_patch", map[string]any{"patch": patch}}},
	}
}

// one returns the file of the place, before the change.
func (p *place) one() map[string]string { return map[string]string{p.file: text(p.before, "\n")} }

func (p *place) wanted() map[string]string { return map[string]string{p.file: text(p.after(), "\n")} }

func (p *place) rows() string { return said{old: p.old, new: p.new}.rows() }

func (p *place) block() string {
	return "<<<<<<< SEARCH\n" + text(p.old, "\n") + "=======\n" + text(p.new, "\n") + ">>>>>>> REPLACE\n"
}

func beginText(path, chunks string) string {
	return "*** Begin Patch\n*** Update File: " + path + "\n" + chunks + "*** End Patch\n"
}

func diffText(path, hunks string) string { return "--- a/" + path + "\n+++ b/" + path + "\n" + hunks }

// partsThatChangeNothing returns patches with parts that change nothing, beside one that
// does or alone.
func partsThatChangeNothing(l *language, k int) []corpusCase {
	const kind = "C9 a part that changes nothing beside one that does"
	p := l.place(k)
	other := l.header((k + 1) % len(names))
	context, same := " "+other+"\n", "-"+other+"\n+"+other+"\n"
	noBlock := "<<<<<<< SEARCH\n" + other + "\n=======\n" + other + "\n>>>>>>> REPLACE\n"
	cases := []corpusCase{
		patchCase(kind, "begin, empty @@", beginText(p.file, "@@\n@@\n"+p.rows()), p.one(), p.wanted()),
		patchCase(kind, "begin, @@ and a blank line", beginText(p.file, "@@\n\n@@\n"+p.rows()), p.one(), p.wanted()),
		patchCase(kind, "begin, only lines that stay", beginText(p.file, "@@\n"+context+"@@\n"+p.rows()), p.one(), p.wanted()),
		patchCase(kind, "begin, the same line", beginText(p.file, "@@\n"+same+"@@\n"+p.rows()), p.one(), p.wanted()),
		patchCase(kind, "begin, the same line after it", beginText(p.file, "@@\n"+p.rows()+"@@\n"+same), p.one(), p.wanted()),
		patchCase(kind, "unified, only lines that stay", diffText(p.file, "@@ @@\n"+context+"@@ @@\n"+p.rows()), p.one(), p.wanted()),
		patchCase(kind, "unified, the same line", diffText(p.file, "@@ @@\n"+same+"@@ @@\n"+p.rows()), p.one(), p.wanted()),
		patchCase(kind, "unified, numbers and nothing", diffText(p.file, "@@ -1,1 +1,1 @@\n@@ @@\n"+p.rows()), p.one(), p.wanted()),
		patchCase(kind, "blocks", p.file+"\n"+noBlock+"\n"+p.file+"\n"+p.block(), p.one(), p.wanted()),
	}
	const nothing = "C9 nothing but parts that change nothing"
	cases = append(cases,
		patchCase(nothing, "begin", beginText(p.file, "@@\n"+same), p.one(), nil),
		patchCase(nothing, "begin, only lines that stay", beginText(p.file, "@@\n"+context), p.one(), nil),
		patchCase(nothing, "unified", diffText(p.file, "@@ @@\n"+context), p.one(), nil),
		patchCase(nothing, "blocks", p.file+"\n"+noBlock, p.one(), nil))
	return named(l, cases)
}

// named puts the name of the language before the names of the cases.
func named(l *language, cases []corpusCase) []corpusCase {
	for i := range cases {
		cases[i].name = l.name + ", " + cases[i].name
	}
	return cases
}

// headerCases are chunks below an @@ line that names a line of the file.
func headerCases(l *language, k int) []corpusCase {
	var cases []corpusCase
	const inside = "C10 a header, and lines at its indentation in the block"
	for _, stray := range []string{"RAW TEXT AT THE LEFT", "#ifdef DEBUG", "label_at_left:", "EOF", "}"} {
		p := l.place(k)
		p.before = slices.Insert(slices.Clone(p.before), p.first, stray, "")
		p.first += 2
		rows := p.rows()
		cases = append(cases,
			patchCase(inside, "begin, "+stray, beginText(p.file, "@@ "+l.header(k)+"\n"+rows), p.one(), p.wanted()),
			patchCase(inside, "unified, "+stray, diffText(p.file, "@@ @@ "+l.header(k)+"\n"+rows), p.one(), p.wanted()))
	}
	p := l.place(k)
	elsewhere := patchCase("C10 a header of another place, and the text only once", "begin", beginText(p.file, "@@ "+l.header((k+1)%len(names))+"\n"+p.rows()), p.one(), p.wanted())
	elsewhere.either = true
	absent := patchCase("C10 a header that is not there, and the text only once", "begin", beginText(p.file, "@@ nothing_like_it\n"+p.rows()), p.one(), p.wanted())
	absent.either = true
	// The header selects one of five places.
	p.old = p.old[:1]
	p.new = []string{p.old[0], indentOf(p.old[0]) + "added"}
	cases = append(cases, elsewhere, absent,
		patchCase("C10 a header that tells one of five places", "begin", beginText(p.file, "@@ "+l.header(k)+"\n"+p.rows()), p.one(), p.wanted()).orBelow(k),
		patchCase("C10 a header that is not there, and five places", "begin", beginText(p.file, "@@ nothing_like_it\n"+p.rows()), p.one(), nil))
	return named(l, cases)
}

// orBelow also allows a refusal where the header may mean places below, too.
func (c corpusCase) orBelow(k int) corpusCase {
	c.either = k < len(names)-1
	return c
}

// assignmentCases are pairs of chunks, one of which fits in several places.
func assignmentCases(l *language, _ int) []corpusCase {
	var cases []corpusCase
	// add makes a patch that changes part a through a text that occurs once, and part b
	// through one that occurs in all parts, in the order of the file or not.
	add := func(kind, name string, a, b int, firstA, taken bool) {
		p, q := l.place(a), l.place(b)
		q.old = q.old[:1]
		q.new = []string{q.old[0], indentOf(q.old[0]) + "more"}
		after := p.before
		if a < b {
			q.before = after
			p.before = q.after()
		} else {
			p.before = after
			q.before = p.after()
			p.before = q.after()
			p.new, p.old = nil, nil // p.after is final now
		}
		want := map[string]string{l.file: text(p.after(), "\n")}
		if !taken {
			want = nil
		}
		p = l.place(a)
		first, second := p.rows(), q.rows()
		firstBlock, secondBlock := p.block(), q.block()
		if !firstA {
			first, second, firstBlock, secondBlock = second, first, secondBlock, firstBlock
		}
		one := p.one()
		cases = append(cases,
			patchCase(kind, "begin, "+name, beginText(l.file, "@@\n"+first+"@@\n"+second), one, want),
			patchCase(kind, "unified, "+name, diffText(l.file, "@@ @@\n"+first+"@@ @@\n"+second), one, want))
		c := patchCase(kind, "blocks, "+name, l.file+"\n"+firstBlock+"\n"+secondBlock, one, want)
		c.either = taken // blocks have no order
		cases = append(cases, c)
	}
	last := len(names) - 1
	add("C11 chunks that have one assignment in rising order", "below", last-1, last, true, true)
	add("C11 chunks that have two assignments in rising order", "below", last-2, last, true, false)
	add("C11 chunks that have two assignments in rising order", "above", 2, 0, false, false)
	add("C11 chunks that have none in rising order", "below", last, 0, true, false)
	return named(l, cases)
}

// oneBadFile are patches of two files, one of which cannot be applied.
func oneBadFile(l *language, k int) []corpusCase {
	const kind = "C12 one bad file beside a good one"
	p := l.place(k)
	files := union(p.one(), map[string]string{"other/b.txt": "one\ntwo\n"})
	bad, badBlock := "@@\n-absent\n+changed\n", "<<<<<<< SEARCH\nabsent\n=======\nchanged\n>>>>>>> REPLACE\n"
	badDiff := diffText("other/b.txt", "@@ @@\n-absent\n+changed\n")
	begin := "*** Update File: " + p.file + "\n@@\n" + p.rows()
	badBegin := "*** Update File: other/b.txt\n" + bad
	cases := []corpusCase{
		patchCase(kind, "begin", "*** Begin Patch\n"+begin+badBegin+"*** End Patch\n", files, p.wanted()),
		patchCase(kind, "begin, the bad one first", "*** Begin Patch\n"+badBegin+begin+"*** End Patch\n", files, p.wanted()),
		patchCase(kind, "unified", diffText(p.file, "@@ @@\n"+p.rows())+badDiff, files, p.wanted()),
		patchCase(kind, "unified, the bad one first", badDiff+diffText(p.file, "@@ @@\n"+p.rows()), files, p.wanted()),
		patchCase(kind, "blocks", p.file+"\n"+p.block()+"\nother/b.txt\n"+badBlock, files, p.wanted()),
		patchCase(kind, "a file that is not there", "*** Begin Patch\n"+begin+"*** Update File: other/none.txt\n"+bad+"*** End Patch\n", files, p.wanted()),
	}
	for i := range cases {
		cases[i].says = []string{"other/"}
	}
	cases = append(cases, badInOtherWays(&p, begin, files)...)
	half := patchCase("C12 one bad chunk of a file", "begin", beginText(p.file, "@@\n"+p.rows()+bad), p.one(), nil)
	return named(l, append(cases, half))
}

// badInOtherWays are patches of a good file, given by begin, and of one that cannot be
// applied for a reason other than its text.
func badInOtherWays(p *place, begin string, files map[string]string) []corpusCase {
	var cases []corpusCase
	add := func(name, bad, says string) {
		files := union(files, map[string]string{".env": "A=1\n", "other/c.go": "one\ntwo\n"})
		for _, patch := range []string{begin + bad, bad + begin} {
			c := patchCase("C12 a good file beside one that cannot be", fmt.Sprint(name, len(cases)), "*** Begin Patch\n"+patch+"*** End Patch\n", files, p.wanted())
			c.says = []string{says}
			cases = append(cases, c)
		}
	}
	add("added, but there", "*** Add File: other/b.txt\n+x\n", "other/b.txt")
	add("deleted, but not there", "*** Delete File: other/none.txt\n", "other/none.txt")
	add("moved onto one that is there", "*** Update File: other/b.txt\n*** Move to: other/c.go\n@@\n-one\n+1\n", "other/c.go")
	add("outside", "*** Update File: ../out.txt\n@@\n-one\n+1\n", "../out.txt")
	add("a secret", "*** Update File: .env\n@@\n-A=1\n+A=2\n", ".env")
	add("Redline's own", "*** Add File: .redline/x.txt\n+x\n", ".redline/x.txt")
	add("one of two parts is bad", "*** Update File: other/b.txt\n@@\n-one\n+1\n*** Update File: other/b.txt\n@@\n-absent\n+1\n", "other/b.txt")
	add("a placeholder", "*** Update File: other/c.go\n@@\n one\n-two\n+// ... existing code ...\n", "other/c.go")
	return cases
}

// bare returns the rows of a place, without the space before context lines.
func (p *place) bare() string {
	var b strings.Builder
	for row := range strings.Lines(p.rows()) {
		b.WriteString(strings.TrimPrefix(row, " "))
	}
	return b.String()
}

// oddFormCases are patches that deviate slightly from their form.
func oddFormCases(l *language, k int) []corpusCase {
	p := l.place(k)
	q := l.place((k + 1) % len(names))
	both := func() map[string]string {
		a, b := p, q
		if p.first > q.first {
			a, b = q, p
		}
		b.before = b.after()
		a.before = b.before
		return map[string]string{l.file: text(a.after(), "\n")}
	}
	block := p.block()
	open := strings.TrimSuffix(diffText(p.file, "@@ -1,9 +1,9 @@\n"+p.rows()), "\n")
	atEnd := map[string]string{p.file: text(append(slices.Clone(p.before), "added"), "\n")}
	cases := []corpusCase{
		patchCase("C13 lines that stay without a blank before them", "begin", beginText(p.file, "@@\n"+p.bare()), p.one(), p.wanted()),
		patchCase("C13 lines that stay without a blank before them", "unified", diffText(p.file, "@@ @@\n"+p.bare()), p.one(), p.wanted()),
		patchCase("C13 a path above a tag", "blocks", p.file+"\n<source>\n"+block+"</source>\n", p.one(), p.wanted()),
		patchCase("C13 blanks before *** Update File", "begin", strings.Replace(beginText(p.file, "@@\n"+p.rows()), "*** Update", "  *** Update", 1), p.one(), p.wanted()),
		patchCase("C13 ========== between the texts", "blocks", p.file+"\n"+strings.Replace(block, "=======\n", "==========\n", 1), p.one(), p.wanted()),
		patchCase("C13 wrong counts and no last line end", "unified", open, p.one(), p.wanted()),
		patchCase("C13 a blank row at the end of a chunk", "begin", beginText(p.file, "@@\n"+p.rows()+" \n"), p.one(), p.wanted()),
		patchCase("C13 a blank row at the end of a chunk", "unified", diffText(p.file, "@@ @@\n"+p.rows()+"\n"), p.one(), p.wanted()),
		patchCase("C13 blocks with words between, one file named", "blocks", p.file+"\n"+block+"\nThen the other place as well.\n\n"+q.block(), p.one(), both()),
		patchCase("C13 ... between two blocks", "blocks", p.file+"\n"+block+"...\n"+q.block(), p.one(), both()),
		patchCase("C13 @@ with only + rows", "begin", beginText(p.file, "@@\n+added\n"), p.one(), atEnd),
		patchCase("C13 @@ with only + rows", "unified", diffText(p.file, "@@ @@\n+added\n"), p.one(), atEnd),
		patchCase("C14 @@ with only + rows", "unified, numbers", diffText(p.file, "@@ -3,0 +4 @@\n+added\n"), p.one(), nil),
	}
	lines := slices.Insert(slices.Clone(p.before), p.first, "inserted")
	insert := corpusCase{
		kind: "C13 insert with new_str", name: "text_editor", files: p.one(), want: map[string]string{p.file: text(lines, "\n")},
		calls: []corpusCall{{"text_editor", map[string]any{"command": "insert", "path": p.file, "insert_line": p.first, "new_str": "inserted\n"}}},
	}
	return named(l, append(cases, insert))
}
