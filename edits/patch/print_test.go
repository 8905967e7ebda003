package patch_test

import (
	"strings"

	"redline/edits"
	"redline/edits/match"
)

// The printers below are for tests: they print a change of a text in each form.

// unified prints a change of a file as a unified diff, "" if there is none. A nil text is a missing
// file.
func unified(path string, base, proposed *string, context int) string {
	switch {
	case base == nil && *proposed == "":
		return "diff --git a/" + path + " b/" + path + "\nnew file mode 100644\n"
	case base == nil:
		return edits.Unified("/dev/null", "b/"+path, "", *proposed, context)
	case proposed == nil && *base == "":
		return "diff --git a/" + path + " b/" + path + "\ndeleted file mode 100644\n"
	case proposed == nil:
		return edits.Unified("a/"+path, "/dev/null", *base, "", context)
	}
	return edits.Unified("a/"+path, "b/"+path, *base, *proposed, context)
}

// change is a piece of a text and its replacement, in rows with marks.
type change struct {
	rows     []string // blank, + or -, and a line with its line end
	old, new string
}

// changes returns the difference of two texts, each piece with enough surrounding lines to occur in
// one place only.
func changes(base, proposed string) []change {
	lines := strings.SplitAfter(base, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out []change
	for _, h := range rowHunks(base, proposed) {
		for context := 1; ; context++ {
			from, to := max(h.first-context, 0), min(h.after+context, len(lines))
			c := change{}
			c.add(' ', lines[from:h.first])
			c.add('-', lines[h.first:h.after])
			c.add('+', h.added)
			c.add(' ', lines[h.after:to])
			_, err := match.Find(ended(base), ended(c.old), match.Where{Lines: true})
			if err == nil && c.old != "" || from == 0 && to == len(lines) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

func (c *change) add(mark byte, lines []string) {
	for _, line := range lines {
		c.rows = append(c.rows, string(mark)+line)
		if mark != '+' {
			c.old += line
		}
		if mark != '-' {
			c.new += line
		}
	}
}

// rowHunk is a piece of a difference in lines that end with "\n".
type rowHunk struct {
	first, after int // lines of the base, from 0
	added        []string
}

// rowHunks returns the difference of two texts in lines that end with "\n" only.
func rowHunks(base, proposed string) []rowHunk {
	var out []rowHunk
	at := 0
	new := splitRows(proposed)
	j := 0
	for _, h := range edits.Diff(strings.ReplaceAll(base, "\r", "\x01"), strings.ReplaceAll(proposed, "\r", "\x01")) {
		first := strings.Count(base[:h.Old.Start], "\n")
		j += first - at
		removed, added := splitRows(base[h.Old.Start:h.Old.End]), splitRows(proposed[h.New.Start:h.New.End])
		out = append(out, rowHunk{first, first + len(removed), new[j : j+len(added)]})
		at, j = first+len(removed), j+len(added)
	}
	return out
}

func splitRows(text string) []string {
	rows := strings.SplitAfter(text, "\n")
	if rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// ended returns text with a line end at its end.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// beginPatch prints a change of a file as a part of a "*** Begin Patch" text.
func beginPatch(path string, base, proposed *string) string {
	var b strings.Builder
	switch {
	case base == nil:
		b.WriteString("*** Add File: " + path + "\n")
		for _, row := range splitRows(*proposed) {
			b.WriteString("+" + row)
		}
		return b.String()
	case proposed == nil:
		return "*** Delete File: " + path + "\n"
	}
	b.WriteString("*** Update File: " + path + "\n")
	for _, c := range changes(*base, *proposed) {
		b.WriteString("@@\n")
		for _, row := range c.rows {
			b.WriteString(ended(row))
		}
	}
	return b.String()
}

// searchReplace prints a change of a file as search/replace blocks.
func searchReplace(path string, base, proposed *string) string {
	if base == nil {
		return path + "\n<<<<<<< SEARCH\n=======\n" + *proposed + ">>>>>>> REPLACE\n"
	}
	var b strings.Builder
	for _, c := range changes(*base, *proposed) {
		b.WriteString(path + "\n<<<<<<< SEARCH\n" + ended(c.old) + "=======\n" + ended(c.new) + ">>>>>>> REPLACE\n")
	}
	return b.String()
}
