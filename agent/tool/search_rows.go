package tool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"redline/internal/lazyregexp"
	"redline/internal/phrase"
	"redline/workspace"
)

// maxLeft limits the list of files whose matches have no room, in bytes: it only serves to narrow
// the search.
const maxLeft = 4_000

// counts lists files with the number of matching lines in each.
func counts(files []workspace.FileMatches) []string {
	rows := make([]string, len(files))
	for i, f := range files {
		rows[i] = fmt.Sprintf("%s: %s", shown(f.Path), phrase.Count(f.Lines, "line"))
	}
	return rows
}

// hitRows lists matching lines with the lines around them, as many as fit into room
// bytes, and counts the others by file. why says what the model can do about those.
func hitRows(found workspace.Matches, room int, why string) string {
	rows := rowsOf(found.Hits)
	last := len(rows)
	if size(rows) > room || len(found.Hits) < found.Lines {
		used := 0
		for last = 0; last < len(rows) && used+len(rows[last].text)+1 <= room*3/4; last++ {
			used += len(rows[last].text) + 1
		}
		for last > 0 && rows[last-1].line == 0 { // nothing of the file would follow
			last--
		}
	}
	var b strings.Builder
	listed := map[string]int{}
	for _, row := range rows[:last] {
		b.WriteString(row.text + "\n")
		if row.hit {
			listed[row.path]++
		}
	}
	var left []workspace.FileMatches
	lines := 0
	for _, f := range found.Files {
		if n := f.Lines - listed[f.Path]; n > 0 {
			left = append(left, workspace.FileMatches{Path: f.Path, Lines: n})
			lines += n
		}
	}
	if lines > 0 {
		fmt.Fprintf(&b, "… %d more lines match (%s):\n%s", lines, why, within(min(room-b.Len()-100, maxLeft), counts(left), 0, " files"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// row is one line of an answer.
type row struct {
	path, text string
	line       int  // its number in the file; 0 for a heading or a gap
	hit        bool // a matching line, not one around it
}

func size(rows []row) (n int) {
	for _, r := range rows {
		n += len(r.text) + 1
	}
	return n
}

// rowsOf lists hits, with the lines around them if they have any. Each file's path is listed
// once: in front of its only row, else on a line of its own. A line "--" separates lines of a
// file that are not next to each other, as grep does.
func rowsOf(hits []workspace.Hit) (rows []row) {
	for len(hits) > 0 {
		n := slices.IndexFunc(hits, func(h workspace.Hit) bool { return h.Path != hits[0].Path })
		if n < 0 {
			n = len(hits)
		}
		of := rowsOfFile(hits[:n])
		path := hits[0].Path
		if len(of) == 1 {
			of[0].text = shown(path) + ":" + of[0].text
		} else {
			rows = append(rows, row{path: path, text: heading(path)})
		}
		rows, hits = append(rows, of...), hits[n:]
	}
	return rows
}

// rowsOfFile lists the hits of one file, with the lines around them.
func rowsOfFile(hits []workspace.Hit) (rows []row) {
	last, around := 0, false // the line of the last row; whether hits have lines around them
	add := func(path string, line int, text string, hit bool) {
		if line <= last {
			return // a line around two hits
		}
		if around && last > 0 && line > last+1 {
			rows = append(rows, row{path: path, text: "--"})
		}
		form := "%d: %s"
		if !hit {
			form = "%d- %s"
		}
		rows = append(rows, row{path, fmt.Sprintf(form, line, text), line, hit})
		last = line
	}
	for i, h := range hits {
		around = around || len(h.Before)+len(h.After) > 0
		for j, text := range h.Before {
			add(h.Path, h.Line-len(h.Before)+j, text, false)
		}
		add(h.Path, h.Line, h.Text, true)
		for j, text := range h.After {
			if i+1 < len(hits) && hits[i+1].Line <= h.Line+1+j {
				break // the next hit
			}
			add(h.Path, h.Line+1+j, text, false)
		}
	}
	return rows
}

// rowLike matches a path that looks like a row below a heading.
var rowLike = lazyregexp.New(`^(?:\d+[:-]|--$|…)`)

// heading formats a path for the line above a file's rows.
func heading(path string) string {
	if rowLike().MatchString(path) {
		return strconv.Quote(path)
	}
	return shown(path)
}
