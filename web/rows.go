package web

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/edits/intraline"
	"redline/internal/phrase"
)

// around is how many unchanged lines are shown above and below a change, as in the preview.
const around = 3

// Limits of what a page is sent at once. A file with more is sent when the user opens it.
const (
	maxRows     = 20_000
	maxFileRows = 4_000
	maxLine     = 10_000 // bytes of a line that are shown
)

// File is a file of the plan as the page draws it.
type File struct {
	ID         string `json:"id"`   // for requests about the file
	Path       string `json:"path"` // as the plan leaves it
	From       string `json:"from,omitempty"`
	Action     string `json:"action"`
	Mode       string `json:"mode,omitempty"`
	Status     string `json:"status"`
	Reason     string `json:"reason,omitempty"`
	Syntax     string `json:"syntax,omitempty"`
	OtherNames int    `json:"otherNames,omitempty"`
	Added      int    `json:"added"`
	Removed    int    `json:"removed"`
	Language   string `json:"language"`
	Lines      int    `json:"lines"`           // of the text before the change
	Whole      bool   `json:"whole,omitempty"` // decided on as one
	Hunks      []Hunk `json:"hunks"`
	Large      bool   `json:"large,omitempty"` // the rows are left out
}

// Hunk is a hunk with its lines.
type Hunk struct {
	ID           string   `json:"id"`
	Also         []string `json:"also,omitempty"` // further hunks in the same lines, to be decided together
	Status       string   `json:"status"`
	Reason       string   `json:"reason,omitempty"`
	Added        int      `json:"added"`
	Removed      int      `json:"removed"`
	Match        string   `json:"match,omitempty"`
	Joined       bool     `json:"joined,omitempty"` // its lines follow those of the hunk before
	By           []string `json:"by"`               // the operations that made it
	ChangedSince bool     `json:"changedSince,omitempty"`
	At           int      `json:"at"` // its line in the file as it is now, from 1
	Rows         []Row    `json:"rows"`
	Moved        []Moved  `json:"moved,omitempty"`
}

// Row is a line.
type Row struct {
	Kind  string   `json:"k"` // same, removed or added
	Old   int      `json:"old,omitempty"`
	New   int      `json:"new,omitempty"`
	Text  string   `json:"text"`
	From  int      `json:"from,omitempty"`  // of an added line: the removed one, by Old, that it is an edit of
	Marks [][2]int `json:"marks,omitempty"` // what differs, in UTF-16 columns of Text
	End   string   `json:"end,omitempty"`   // its line end, if it is not "\n"
	Cut   bool     `json:"cut,omitempty"`   // Text is only its beginning
}

// fileID returns the id of the file with an index.
func fileID(i int) string { return "f" + strconv.Itoa(i+1) }

// fileAt returns the file with an id.
func fileAt(v *view.Plan, id string) (*view.File, bool) {
	digits, ok := strings.CutPrefix(id, "f")
	i, err := strconv.Atoi(digits)
	if !ok || err != nil || i < 1 || i > len(v.Files) {
		return nil, false
	}
	return v.Files[i-1], true
}

// filesOf draws the files of a plan. before is the revision that the user has seen, nil for none.
func filesOf(v *view.Plan, before *plan.Revision) []File {
	files, left := make([]File, 0, len(v.Files)), maxRows
	for i, f := range v.Files {
		n := 0
		for _, h := range f.Change.Hunks {
			n += h.Added + h.Removed
		}
		large := n > maxFileRows || n > left
		if !large {
			left -= n
		}
		files = append(files, fileOf(v, i, before, !large))
	}
	return files
}

// fileOf draws one file, with its lines if rows is true.
func fileOf(v *view.Plan, i int, before *plan.Revision, rows bool) File {
	f := v.Files[i]
	c := f.Change
	out := File{
		ID: fileID(i), Path: c.Path, Action: string(c.Action), Mode: c.ModeShown(), Status: string(f.Status), Reason: f.Reason,
		Syntax: f.Unparsed(), OtherNames: f.OtherNames(), Language: strings.TrimPrefix(path.Ext(c.Path), "."), Lines: lineCount(f.Base),
		Whole: c.Action == plan.Rename || f.Len() == 0, Hunks: []Hunk{}, Large: !rows,
	}
	if c.NewPath != "" {
		out.Path, out.From = c.NewPath, c.Path
	}
	for k := range f.Len() {
		h := f.Hunk(k)
		out.Added, out.Removed = out.Added+h.Added, out.Removed+h.Removed
		one := Hunk{
			ID: h.ID, Status: string(h.Status), Reason: h.Reason, Added: h.Added, Removed: h.Removed, Match: h.Loosely(),
			By: append([]string{}, c.MakersOf(&c.Hunks[k])...), Rows: []Row{}, At: f.Live.LineOf(h.Span.Start) + 1,
		}
		if before != nil {
			_, _, had := before.Hunk(h.ID)
			one.ChangedSince = !had
		}
		out.Hunks = append(out.Hunks, one)
	}
	if rows {
		out.Hunks = withRows(out.Hunks, f)
	}
	return out
}

// lineCount counts the lines of a text as the page numbers them.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// withRows gives hunks their lines. Hunks in the same lines become one.
func withRows(hunks []Hunk, f *view.File) []Hunk {
	var out []Hunk
	for _, block := range edits.Blocks(f.Base, f.Change.Edits(f.Proposed), around) {
		old, new := block.Old+1, block.New+1
		for i, c := range block.Changes {
			h := together(hunks[:c.Edits])
			hunks = hunks[c.Edits:]
			h.Joined = i > 0
			h.Rows = appendSame(h.Rows, c.Before, old, new)
			old, new = old+len(c.Before), new+len(c.Before)
			h.Rows = appendChanged(h.Rows, c.Removed, c.Added, old, new)
			old, new = old+len(c.Removed), new+len(c.Added)
			if i == len(block.Changes)-1 {
				h.Rows = appendSame(h.Rows, block.After, old, new)
			}
			out = append(out, h)
		}
	}
	return append(out, hunks...) // those of an empty file
}

// together makes one hunk of those that are in the same lines. Its ids are those that can still be
// decided; if one of these is stale, all are, since they are approved together.
func together(all []Hunk) Hunk {
	out := all[0]
	if len(all) == 1 {
		return out
	}
	var open, reasons []string
	out.By, out.Also, out.Added, out.Removed = nil, nil, 0, 0
	decided := map[string]int{}
	for _, h := range all {
		out.Added, out.Removed = out.Added+h.Added, out.Removed+h.Removed
		out.By, out.Match, out.ChangedSince = append(out.By, h.By...), cmp.Or(out.Match, h.Match), out.ChangedSince || h.ChangedSince
		if h.Reason != "" && !slices.Contains(reasons, h.Reason) {
			reasons = append(reasons, h.Reason)
		}
		switch plan.HunkStatus(h.Status) {
		case plan.HunkStale, plan.HunkPending:
			if len(open) == 0 || h.Status == string(plan.HunkStale) {
				out.Status = h.Status
			}
			open = append(open, h.ID)
		default:
			decided[h.Status]++
		}
	}
	if len(open) > 0 {
		out.ID, out.Also = open[0], open[1:]
	} else {
		for _, h := range all[1:] {
			out.Also = append(out.Also, h.ID)
		}
	}
	if len(open) > 0 || len(decided) > 1 {
		for _, status := range slices.Sorted(maps.Keys(decided)) {
			n := decided[status]
			reasons = append(reasons, fmt.Sprintf("%s in these lines: %s.", phrase.Count(n, "change"), status))
		}
	}
	slices.Sort(out.By)
	out.By, out.Reason = slices.Compact(out.By), strings.Join(reasons, " ")
	return out
}

func appendSame(rows []Row, lines []string, old, new int) []Row {
	for i, line := range lines {
		r := rowOf("same", line)
		r.Old, r.New = old+i, new+i
		rows = append(rows, r)
	}
	return rows
}

// appendChanged adds replaced lines and their replacements, with marks where the two differ. Those
// between two lines that stay are removed first, then added.
func appendChanged(rows []Row, removed, added []string, old, new int) []Row {
	was, is := shown(removed), shown(added)
	var come []Row
	for _, r := range intraline.Rows(strings.Join(was, ""), strings.Join(is, "")) {
		if r.Kind == intraline.Same && removed[r.Old] == added[r.New] { // and not only shown as the same
			rows, come = append(rows, come...), nil
			rows = appendSame(rows, removed[r.Old:r.Old+1], old+r.Old, new+r.New)
			continue
		}
		if r.Old >= 0 {
			row := rowOf("removed", was[r.Old])
			row.Old = old + r.Old
			for _, c := range r.Changes {
				row.mark(was[r.Old], c.Old)
			}
			rows = append(rows, row)
		}
		if r.New >= 0 {
			row := rowOf("added", is[r.New])
			row.New = new + r.New
			if r.Old >= 0 {
				row.From = old + r.Old
			}
			for _, c := range r.Changes {
				row.mark(is[r.New], c.New)
			}
			come = append(come, row)
		}
	}
	return append(rows, come...)
}

// shown returns lines as the page has them: with hidden characters written out, so that marks count
// the characters that the user sees.
func shown(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = edits.Visible(line)
	}
	return out
}

// rowOf returns a row for a line with its line end.
func rowOf(kind, line string) Row {
	r := Row{Kind: kind}
	text, ended := strings.CutSuffix(edits.Visible(line), "\n")
	if !ended {
		r.End = "none"
	} else if t, ok := strings.CutSuffix(text, "\r"); ok {
		text, r.End = t, "crlf"
	}
	if len(text) > maxLine {
		text, r.Cut = strings.ToValidUTF8(text[:maxLine], ""), true
	}
	r.Text = text
	return r
}

// mark marks a part of the row's line.
func (r *Row) mark(line string, part edits.Span) {
	if part.Len() == 0 || part.End > len(r.Text) { // beyond what is shown
		return
	}
	start := columns(line[:part.Start])
	r.Marks = append(r.Marks, [2]int{start, start + columns(part.Of(line))})
}

// columns returns the length of a text in the units of a browser.
func columns(text string) (n int) {
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// contextOf returns unchanged lines of a file, from and to counted from 1 in the text before the
// change, and how many lines that has. It leaves out lines that the plan changes.
func contextOf(f *view.File, from, to int) (rows []Row, lines int) {
	all := slices.Collect(strings.Lines(f.Base))
	rows = []Row{}
	shift, next := 0, 0
	blocks := edits.Blocks(f.Base, f.Change.Edits(f.Proposed), 0)
	for i := max(from, 1); i <= min(to, len(all)); i++ {
		for ; next < len(blocks) && blocks[next].Old < i-1+1; next++ {
			changed := blocks[next].Changes[0]
			if blocks[next].Old+len(changed.Removed) >= i { // the plan removes the line
				break
			}
			shift += len(changed.Added) - len(changed.Removed)
		}
		if next < len(blocks) && blocks[next].Old < i && i <= blocks[next].Old+len(blocks[next].Changes[0].Removed) {
			continue
		}
		r := rowOf("same", all[i-1])
		r.Old, r.New = i, i+shift
		rows = append(rows, r)
	}
	return rows, len(all)
}
