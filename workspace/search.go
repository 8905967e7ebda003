package workspace

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"redline/edits"
)

// Query is what to search for.
type Query struct {
	Pattern    string // plain text, or a regular expression (RE2) for single lines
	Glob       string // which files, as in List; "" for all
	Regexp     bool
	IgnoreCase bool
	Limit      int // the most hits to return; 0: all
}

// Hit is one line that matches.
type Hit struct {
	Path string
	Line int    // from 1
	Text string // the line without its ending; of a long one the 400 bytes around the match
}

// Search returns the lines of visible files (as in List) that match, ordered by
// path and line, and how many more there are than q.Limit. Open documents are
// searched as they are in the editor, and overlay is seen over both. Binary
// files and files above [Options].MaxFile are skipped.
func (w *Workspace) Search(ctx context.Context, q Query, overlay Overlay) (hits []Hit, left int, err error) {
	needle, err := newNeedle(q)
	if err != nil {
		return nil, 0, err
	}
	first := firsts[Hit]{limit: q.Limit, less: func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	}}
	err = w.walk(ctx, "", q.Glob, overlay, func(e entry) {
		if ctx.Err() != nil {
			return
		}
		if data, ok := w.bytesOf(e); ok {
			if hits := needle.lines(e.path, data); len(hits) > 0 {
				first.add(hits...)
			}
		}
	})
	if err != nil {
		return nil, 0, err
	}
	hits, left = first.sorted()
	return hits, left, nil
}

// bytesOf returns what to search in e; ok is false for what is not searched.
func (w *Workspace) bytesOf(e entry) (data []byte, ok bool) {
	if e.live != nil {
		return []byte(e.live.text()), true
	}
	data, _, err := readKnown(e.dir, e.path, e.rel, w.maxFile)
	data = bytes.TrimPrefix(data, []byte(edits.BOM))
	return data, err == nil && bytes.IndexByte(data, 0) < 0
}

// needle finds what a query asks for.
type needle struct {
	find func(line []byte) int // where the first match starts, or -1
	// plain says that find can be asked about many lines at once, to learn
	// whether it is worth while to look at each.
	plain bool
}

func newNeedle(q Query) (needle, error) {
	switch {
	case q.Pattern == "":
		return needle{}, refuse("", "the search pattern is empty; give some text to look for")
	case strings.ContainsAny(q.Pattern, "\r\n"):
		return needle{}, refuse("", "the search pattern has several lines; search for one line at a time")
	}
	if !q.Regexp && !q.IgnoreCase {
		text := []byte(q.Pattern)
		return needle{func(line []byte) int { return bytes.Index(line, text) }, true}, nil
	}
	expr := q.Pattern
	if !q.Regexp {
		expr = regexp.QuoteMeta(expr)
	}
	if q.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return needle{}, refuse("", "the search pattern is not a regular expression (%v); correct it or search for plain text", err)
	}
	find := func(line []byte) int {
		if at := re.FindIndex(line); at != nil {
			return at[0]
		}
		return -1
	}
	return needle{find, !q.Regexp}, nil
}

// lines returns the lines of data that match.
func (n needle) lines(path string, data []byte) []Hit {
	if n.plain && n.find(data) < 0 {
		return nil
	}
	var hits []Hit
	for number := 1; len(data) > 0; number++ {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if at := n.find(line); at >= 0 {
			hits = append(hits, Hit{Path: path, Line: number, Text: excerpt(line, at)})
		}
	}
	return hits
}

// maxLine is the most bytes of a line that a hit holds.
const maxLine = 400

// excerpt returns line, or of a long one the part around at, with dots where it
// was cut. It is valid UTF-8.
func excerpt(line []byte, at int) string {
	if len(line) <= maxLine {
		return strings.ToValidUTF8(string(line), "\ufffd")
	}
	start := 0
	if at > maxLine*3/4 {
		start = at - maxLine/4
	}
	end := min(start+maxLine, len(line))
	for start > 0 && start < len(line) && !utf8.RuneStart(line[start]) {
		start++
	}
	for end < len(line) && end > start && !utf8.RuneStart(line[end]) {
		end--
	}
	text := strings.ToValidUTF8(string(line[start:end]), "\ufffd")
	if start > 0 {
		text = "…" + text
	}
	if end < len(line) {
		text += "…"
	}
	return text
}
