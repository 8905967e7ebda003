package workspace

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"redline/edits"
	"redline/workspace/secrets"
)

// Query describes a search.
type Query struct {
	Pattern    string // plain text, or a regular expression (RE2) for single lines
	Glob       string // limits the files, as in List; "" for all
	Regexp     bool
	IgnoreCase bool
	Limit      int // the most hits to return; 0: all
}

// Hit is a matching line.
type Hit struct {
	Path string
	Line int    // from 1
	Text string // the line without its ending; for a long one, 400 bytes around the match
}

// Search returns the matching lines of visible files (as in List), ordered by path and
// line, and the number of further matches beyond q.Limit. It searches open documents as the
// editor has them; overlay replaces both. It skips binary files, files larger than
// [Options].MaxFile, and files whose text is secret.
func (w *Workspace) Search(ctx context.Context, q Query, overlay Overlay) (hits []Hit, left int, err error) {
	needle, err := newNeedle(q)
	if err != nil {
		return nil, 0, err
	}
	first := firsts[Hit]{limit: q.Limit, less: func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	}}
	files := newReaders(w.maxFile, w.offLimits.now(lookAgain))
	defer files.close()
	err = w.walk(ctx, "", q.Glob, overlay, func(e entry) {
		if ctx.Err() != nil {
			return
		}
		if e.live != nil {
			needle.file(ctx, e.path, []byte(e.live.text()), e.live.drafted != nil, &first)
			return
		}
		files.read(e, func(data []byte) {
			needle.file(ctx, e.path, bytes.TrimPrefix(data, []byte(edits.BOM)), false, &first)
		})
	})
	if err == nil {
		err = ctx.Err() // ctx may have ended during the last files
	}
	if err != nil {
		return nil, 0, err
	}
	hits, left = first.sorted()
	return hits, left, nil
}

// file adds the matching lines of a file. It skips a binary file, and one whose text is
// secret unless it is drafted: then it was shown before, or the model wrote it.
func (n *needle) file(ctx context.Context, path string, data []byte, drafted bool, first *firsts[Hit]) {
	var hits []Hit
	more := 0
	text, looked, counting := true, false, false
	n.each(ctx, data, func(number int, line []byte, at int) bool {
		if !looked { // most files have no match and need no check
			looked, text = true, bytes.IndexByte(data, 0) < 0 && (drafted || !secrets.Bytes(path, data))
		}
		hit := Hit{Path: path, Line: number}
		if first.limit > 0 && (len(hits) == first.limit || len(hits) == 0 && first.beyond(hit)) {
			counting = true
		}
		if counting {
			more++
			return text
		}
		hit.Text = excerpt(line, at)
		hits = append(hits, hit)
		return text
	})
	if text {
		first.add(more, hits...)
	}
}

// readers reads files for a search, each into a reused buffer.
type readers struct {
	limit   int64   // bytes
	off     *limits // files not to read
	buffers sync.Pool
	folders folders
}

func newReaders(limit int64, off *limits) *readers {
	return &readers{limit: limit, off: off, buffers: sync.Pool{New: func() any { return new([]byte) }}}
}

// read calls use with the content of e on disk, unless it is unreadable or too large. use
// must not keep the bytes.
func (r *readers) read(e entry, use func(data []byte)) {
	buffer := r.buffers.Get().(*[]byte)
	defer r.buffers.Put(buffer)
	if data, ok := r.folders.read(e, r.limit, r.off, buffer); ok {
		use(data)
	}
}

func (r *readers) close() { r.folders.close() }

// readSlowly reads a file in a way that works on every system.
func readSlowly(e entry, limit int64, off *limits) (data []byte, ok bool) {
	data, info, err := readKnown(e.dir, e.path, e.rel, limit)
	return data, err == nil && !off.covers(info, "")
}

// maxLine is the length limit of a hit's text, in bytes.
const maxLine = 400

// excerpt returns line, or the part of a long one around at, with dots where it was cut.
// The result is valid UTF-8.
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
