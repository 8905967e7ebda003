package web

import "redline/edits"

// Moved is a block of a hunk's rows that is removed in one place of the plan and added in another.
type Moved struct {
	Row  int    `json:"row"`  // the first of its rows, from 0
	Rows int    `json:"rows"` // how many
	Path string `json:"path"` // where the other side is
	Line int    `json:"line"` // the first line of the other side, in its text
	Hunk string `json:"hunk"` // the hunk that has the other side
}

// run is where a run of rows of one kind is.
type run struct{ file, hunk, row int }

// markMoves marks what has moved within the files and between them.
func markMoves(files []File) {
	runs, texts := map[string][]run{}, map[string][][]string{}
	for f := range files {
		for h := range files[f].Hunks {
			kind := ""
			for i, r := range files[f].Hunks[h].Rows {
				if r.Kind == "same" || r.Cut {
					kind = ""
					continue
				}
				if r.Kind != kind {
					kind = r.Kind
					runs[kind], texts[kind] = append(runs[kind], run{f, h, i}), append(texts[kind], nil)
				}
				last := len(texts[kind]) - 1
				texts[kind][last] = append(texts[kind][last], r.Text)
			}
		}
	}
	for _, m := range edits.Moves(texts["removed"], texts["added"]) {
		from, to := runs["removed"][m.From.Run], runs["added"][m.To.Run]
		from.row, to.row = from.row+m.From.Line, to.row+m.To.Line
		a, b := &files[from.file], &files[to.file]
		was, is := &a.Hunks[from.hunk], &b.Hunks[to.hunk]
		was.Moved = append(was.Moved, Moved{from.row, m.Lines, b.Path, is.Rows[to.row].New, is.ID})
		is.Moved = append(is.Moved, Moved{to.row, m.Lines, oldPath(a), was.Rows[from.row].Old, was.ID})
	}
}

// oldPath returns the path of a file before the plan.
func oldPath(f *File) string {
	if f.From != "" {
		return f.From
	}
	return f.Path
}
