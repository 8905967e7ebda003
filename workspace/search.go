package workspace

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/charset"
	"redline/workspace/secrets"
)

// Query describes a search.
type Query struct {
	Pattern    string   // plain text, or a regular expression (RE2) for single lines
	Path       string   // the file or folder to search; "" or "." is the whole workspace
	Glob       string   // limits the files, as in List; "" for all
	Exclude    []string // globs of files, or of folders, to leave out
	Regexp     bool
	IgnoreCase bool
	Context    int // how many lines around each hit to return too
	Limit      int // the most hits to return; 0: all
}

// Hit is a matching line.
type Hit struct {
	Path   string
	Line   int      // from 1
	Text   string   // the line without its ending; for a long one, 400 bytes around the match
	Before []string // the lines before it, as many as [Query].Context says and there are; long ones are cut
	After  []string // the lines after it
}

// Matches are the result of a search.
type Matches struct {
	Hits  []Hit         // the first ones, ordered by path and line
	Files []FileMatches // every file with a matching line, ordered by path
	Lines int           // how many lines match in all
}

// FileMatches says how many lines of a file match.
type FileMatches struct {
	Path  string
	Lines int
}

// Search returns the matching lines of visible files (as in List). A file that q.Path names
// need not be visible, but must not be secret. Search reads open documents as the editor has
// them; overlay replaces both. It skips binary files, files larger than [Options].MaxFile,
// and files whose text is secret.
func (w *Workspace) Search(ctx context.Context, q Query, overlay Overlay) (Matches, error) {
	lines, err := newLineFinder(q)
	if err != nil {
		return Matches{}, err
	}
	left, err := excluder(q.Exclude)
	if err != nil {
		return Matches{}, err
	}
	s := &searching{lines: lines, context: q.Context, beyondASCII: !charset.ASCII(q.Pattern), first: firsts[Hit]{limit: q.Limit, less: func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	}}}
	if s.isFile(w, q.Path, overlay) {
		var match func(path, rel string) bool
		if match, err = globMatcher(path.Dir(q.Path), q.Glob); err == nil && match(q.Path, path.Base(q.Path)) && !left(q.Path) {
			err = s.one(ctx, w, q.Path, overlay)
		}
	} else {
		err = s.folder(ctx, w, q, left, overlay)
	}
	if err == nil {
		err = ctx.Err() // ctx may have ended during the last files
	}
	if err != nil {
		return Matches{}, err
	}
	return s.matches(), nil
}

// excluder returns a function that reports whether globs leave out a file. A glob leaves out
// the files that match it, and those below a folder that does.
func excluder(globs []string) (func(path string) bool, error) {
	var matchers []func(path, rel string) bool
	for _, glob := range globs {
		glob = strings.TrimSuffix(strings.ReplaceAll(glob, `\`, "/"), "/")
		below := glob + "/**"
		if !strings.Contains(glob, "/") {
			below = "**/" + below
		}
		for _, g := range []string{glob, below} {
			match, err := globMatcher(".", g)
			if err != nil {
				return nil, err
			}
			if glob != "" {
				matchers = append(matchers, match)
			}
		}
	}
	return func(path string) bool {
		return slices.ContainsFunc(matchers, func(match func(path, rel string) bool) bool { return match(path, path) })
	}, nil
}

// searching is a search that runs.
type searching struct {
	lines   lineFinder
	context int
	first   firsts[Hit]

	beyondASCII bool // the pattern has characters that other charsets write with other bytes

	mu    sync.Mutex
	files []FileMatches
}

// isFile reports whether path is a file, as the draft, the editor or the disk has it.
func (s *searching) isFile(w *Workspace, path string, overlay Overlay) bool {
	if path == "" || path == "." {
		return false
	}
	if o, ok := overlay[path]; ok {
		return !o.Deleted
	}
	if _, ok := w.Buffer(path); ok {
		return true
	}
	exists, isDir, err := w.Stat(path)
	return err == nil && exists && !isDir
}

// one searches one file.
func (s *searching) one(ctx context.Context, w *Workspace, path string, overlay Overlay) error {
	if o, ok := overlay[path]; ok {
		s.file(ctx, path, []byte(o.Text), true, nil)
		return nil
	}
	if w.Secret(path) {
		return refuse(path, "is not shown: it may hold secrets")
	}
	f, err := w.Read(path)
	if err == nil {
		s.file(ctx, path, []byte(f.Text), false, nil)
	}
	return err
}

// folder searches the visible files of a folder.
func (s *searching) folder(ctx context.Context, w *Workspace, q Query, left func(path string) bool, overlay Overlay) error {
	files := newReaders(w.maxFile, w.offLimits.now(lookAgain))
	defer files.close()
	return w.walk(ctx, q.Path, q.Glob, overlay, func(e entry) {
		switch {
		case ctx.Err() != nil || left(e.path):
		case e.live != nil:
			s.file(ctx, e.path, []byte(e.live.text()), e.live.drafted != nil, nil)
		default:
			files.read(e, func(data []byte) {
				s.file(ctx, e.path, bytes.TrimPrefix(data, []byte(edits.BOM)), false, w.files)
			})
		}
	})
}

// file adds the matching lines of a file. It skips a binary file, and one whose text is
// secret unless it is drafted: then it was shown before, or the model wrote it. Unless disk is nil,
// data are bytes from there, which may be in another charset than UTF-8.
func (s *searching) file(ctx context.Context, path string, data []byte, drafted bool, disk *files) {
	switch {
	case disk == nil || !s.beyondASCII && !mayBeUTF16(data):
	case !mayBeUTF16(data) && utf8.Valid(data):
		disk = nil // it is looked at once
	default:
		if is, why := disk.decode(path, data); why == "" {
			data, disk = []byte(is.text), nil
		}
	}
	var hits []Hit
	more := 0
	text, looked, counting := true, false, false
	first := &s.first
	again := false // in the text of the charset
	s.lines.each(ctx, data, func(number int, line edits.Span, at int) bool {
		if !looked && disk != nil && !utf8.Valid(data) {
			again = true
			return false
		}
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
		hit.Text = excerpt(data[line.Start:line.End], at)
		if s.context > 0 {
			hit.Before, hit.After = linesBefore(data, line.Start, s.context), linesAfter(data, line.End, s.context)
		}
		hits = append(hits, hit)
		return text
	})
	if again {
		if is, why := disk.decode(path, data); why == "" {
			data = []byte(is.text)
		}
		s.file(ctx, path, data, drafted, nil)
		return
	}
	if !text || len(hits)+more == 0 {
		return
	}
	first.add(more, hits...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, FileMatches{path, len(hits) + more})
}

func (s *searching) matches() Matches {
	hits, left := s.first.sorted()
	slices.SortFunc(s.files, func(a, b FileMatches) int { return cmp.Compare(a.Path, b.Path) })
	return Matches{Hits: hits, Files: s.files, Lines: len(hits) + left}
}

// linesBefore returns up to n lines before the line that begins at start.
func linesBefore(data []byte, start, n int) []string {
	var lines []string
	for ; n > 0 && start > 0; n-- {
		end := start - 1 // of the line before, without its line end
		start = bytes.LastIndexByte(data[:end], '\n') + 1
		lines = append(lines, excerpt(bytes.TrimSuffix(data[start:end], []byte{'\r'}), 0))
	}
	slices.Reverse(lines)
	return lines
}

// linesAfter returns up to n lines after the line whose text ends at end.
func linesAfter(data []byte, end, n int) []string {
	var lines []string
	for ; n > 0; n-- {
		i := bytes.IndexByte(data[end:], '\n')
		if i < 0 || end+i+1 == len(data) {
			break
		}
		start := end + i + 1
		if end = len(data); bytes.IndexByte(data[start:], '\n') >= 0 {
			end = start + bytes.IndexByte(data[start:], '\n')
		}
		lines = append(lines, excerpt(bytes.TrimSuffix(data[start:end], []byte{'\r'}), 0))
	}
	return lines
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
