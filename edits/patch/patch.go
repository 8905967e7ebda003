// Package patch reads the formats in which models and tools write changes to files:
// unified diffs, "*** Begin Patch" texts and search/replace blocks. It finds out what a
// patch does to each file, and where in a file's text each part belongs; it does no I/O.
//
// Line numbers in a patch never decide anything by themselves. A place is found by its
// text; a number, like a context header, can only tell apart places that have the same
// text, and a number only if no lines have moved since they were counted. If a chunk
// still has several places, the chunks before and after it must leave one: chunks in one
// part of a patch are in ascending order.
package patch

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/edits/match"
	"redline/edits/placeholder"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// Limits of a patch. A patch beyond them is refused.
const (
	MaxBytes  = 8 << 20
	MaxFiles  = 1000
	MaxChunks = 10000
)

// File is what a patch does to one file.
type File struct {
	Path    string     // as the patch names it, without git's "a/" and "b/"
	NewPath string     // the new path of a moved file
	Kind    edits.Kind // Rename with or without chunks
	Text    string     // Create: the whole text
	Mode    uint32     // Create: 0o755 or 0o644 if the patch names permission bits, see [edits.NewMode]; 0 if not
	Chunks  []Chunk    // Delete: the content of the file according to the patch, if given
}

// Chunk is a change at one place of a file, in whole lines. A last line without a line
// end has none in the file either.
type Chunk struct {
	Old, New string
	Line     int      // where Old starts according to the patch, counted from 1; 0 if not given
	Within   []string // lines of the file, outermost first; of several places, the chunk's is below them, or in the blocks that they open
	Heading  string   // the same, where it is only a hint
	AtEnd    bool     // Old is the end of the file; without Old, New is appended

	below []string // context headers of empty parts above: used like Within, where possible
	bare  *texts   // the texts if unchanged lines have no mark, nil if that is impossible
	fault error    // why the chunk must be read as bare: a line has no mark

	doubled *texts // the texts if unchanged lines have an extra space, nil if they have none
	unclear bool   // added lines may have the extra space too

	lead, tail int  // how many lines at the start and at the end of Old may be unchanged
	block      bool // it is a search/replace block, which does not mark unchanged lines
	fresh      bool // it has no Old, so it may be the text of a new file
	rows       bool // each of its lines has a mark and its own line end, as in a unified diff
	unsaid     bool // its line @@ says nothing
	part       int  // index of its part of the patch for the file, from 0; see Join

	path     string // of its file, in File.Edits
	restored bool   // New contains restored lines, see Restore
}

// Parse recognizes the form of a patch and returns its effect, one File for each part:
// several parts may have the same path; [Join] merges them. The error is a [*Refusal].
func Parse(text string) ([]File, error) {
	if len(text) > MaxBytes {
		return nil, refuse("The patch is larger than %d MiB. Give it in several parts, or write the files whole.", MaxBytes>>20)
	}
	lines := strings.Split(text, "\n")
	whole := lines[len(lines)-1] == ""
	if whole {
		lines = lines[:len(lines)-1]
	}
	lines = unwrap(lines)
	parse, err := formOf(lines)
	if err != nil {
		return nil, err
	}
	files, err := parse(input{lines, whole})
	if err != nil {
		return nil, err
	}
	if err := limit(files); err != nil {
		return nil, err
	}
	return files, nil
}

// input is a patch in lines, without their "\n".
type input struct {
	lines []string
	whole bool // the last line had a "\n"
}

// bare returns line i without the spaces and "\r" at its end, or "" after the last
// line.
func (in *input) bare(i int) string {
	if i >= len(in.lines) {
		return ""
	}
	return strings.TrimRight(in.lines[i], " \t\r")
}

// limit refuses a patch of too many parts.
func limit(files []File) error {
	chunks := 0
	for i := range files {
		chunks += len(files[i].Chunks)
	}
	switch {
	case len(files) > MaxFiles:
		return refuse("The patch is of more than %d files. Give it in several parts.", MaxFiles)
	case chunks > MaxChunks:
		return refuse("The patch has more than %d chunks. Give it in several parts, or write the files whole.", MaxChunks)
	}
	return nil
}

// heredoc matches the line of a shell command that takes a patch as input.
var heredoc = lazyregexp.New(`<<-?\s*['"]?(\w+)['"]?\s*$`)

// unwrap returns the lines of the patch without the here-document around them, if any.
func unwrap(lines []string) []string {
	for i, line := range lines {
		if structural(lines, i) || isStray(line) {
			return lines
		}
		m := heredoc().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for end := len(lines) - 1; end > i; end-- {
			if strings.TrimSpace(lines[end]) == m[1] {
				return lines[i+1 : end]
			}
		}
		return lines[i+1:]
	}
	return lines
}

// structural reports whether line i can only occur in a patch.
func structural(lines []string, i int) bool {
	parse, err := formAt(lines, i)
	return parse != nil || err != nil
}

// formOf returns the reader for the form of a patch. The first line that only a patch
// has decides.
func formOf(lines []string) (func(input) ([]File, error), error) {
	for i := range lines {
		if parse, err := formAt(lines, i); parse != nil || err != nil {
			return parse, err
		}
	}
	for i, line := range lines {
		if isStray(line) {
			return nil, refuseMark(i, line)
		}
	}
	return nil, errRefusal(errNone)
}

func formAt(lines []string, i int) (func(input) ([]File, error), error) {
	line := strings.TrimRight(lines[i], " \t\r")
	next := ""
	if i+1 < len(lines) {
		next = lines[i+1]
	}
	switch {
	case strings.TrimSpace(line) == beginPatch, beginVerb(line):
		return parseBegin, nil
	case opener().MatchString(line):
		return parseBlocks, nil
	case line == "***************":
		return nil, refuse("The patch is a context diff, which is not read here. Give a unified diff (diff -u).")
	case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff -"), isBinary(line),
		namesIn(lines[i], next) > 0:
		return parseUnified, nil
	}
	return nil, nil
}

// Refusal is the reason why a patch, or a part of it, is refused. Its message tells the
// author of the patch what was found, and what to do.
type Refusal struct {
	Path  string // the file, "" for the patch as a whole
	Chunk int    // which chunk of the file, counted from 1; 0 for none
	Of    int    // how many chunks the file has
	Err   error  // why; an [*match.Refusal] if a place was not found
}

// Error implements error.
func (r *Refusal) Error() string {
	switch {
	case r.Path == "":
		return r.Err.Error()
	case r.Chunk == 0:
		return fmt.Sprintf("%s: %s", r.Path, r.Err)
	}
	return fmt.Sprintf("%s, chunk %d of %d: %s", r.Path, r.Chunk, r.Of, r.Err)
}

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Err }

// reason is why something is refused, in whole sentences.
type reason string

func (r reason) Error() string { return string(r) }

func reasonf(format string, args ...any) error { return reason(fmt.Sprintf(format, args...)) }

// refuse returns a refusal of the patch as a whole.
func refuse(format string, args ...any) *Refusal {
	return &Refusal{Err: reasonf(format, args...)}
}

// refuseFile returns a refusal of the part of a patch for a file.
func refuseFile(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Err: reasonf(format, args...)}
}

// refuseLine returns a refusal of line i, counted from 0, of a patch.
func refuseLine(i int, format string, args ...any) *Refusal {
	return refuse("Line %d of the patch %s", i+1, fmt.Sprintf(format, args...))
}

// errMixed is why a text with two forms of patches is refused.
var errMixed error = reason("The text has patches of different forms in it. Give one unified diff, or one text from *** Begin Patch to *** End Patch.")

// errNone is why a text without a patch is refused.
var errNone error = reason("There is no patch in the text. Give a unified diff, with a line --- and a line +++ for each file, or a text that begins with *** Begin Patch and ends with *** End Patch.")

func errRefusal(err error) *Refusal { return &Refusal{Err: err} }

// maxShown is how many bytes of a line are quoted.
const maxShown = 80

// quoted returns a line as messages quote it.
func quoted(line string) string { return fmt.Sprintf("%q", phrase.StartBytes(line, maxShown)) }

// Join merges the parts of a patch for the same file; their paths must be spelled alike.
// Several parts may update a file, and one file may go while another takes its path. Any
// other two parts contradict each other; the error is a [*Refusal]. Join drops files
// without a change if there are others.
func Join(files []File) ([]File, error) {
	var out []File
	index := map[string]int{} // index of the part that changes the existing file
	added := map[string]bool{}
	for _, f := range files {
		if f.Kind == edits.Create {
			if added[f.Path] {
				return nil, refuseFile(f.Path, "The patch creates the file twice. Say once what it holds.")
			}
			added[f.Path] = true
			out = append(out, f)
			continue
		}
		i, ok := index[f.Path]
		if !ok {
			index[f.Path] = len(out)
			f.Chunks = slices.Clone(f.Chunks)
			out = append(out, f)
			continue
		}
		g := &out[i]
		if f.Kind == edits.Delete || g.Kind == edits.Delete || f.NewPath != "" && g.NewPath != "" && f.NewPath != g.NewPath {
			return nil, refuseFile(f.Path, "Two parts of the patch contradict each other about the file. Keep one of them.")
		}
		part := 1
		if last := len(g.Chunks) - 1; last >= 0 {
			part += g.Chunks[last].part
		}
		for _, c := range f.Chunks {
			c.part = part
			g.Chunks = append(g.Chunks, c)
		}
		if f.NewPath != "" {
			g.Kind, g.NewPath = f.Kind, f.NewPath
		}
	}
	return withoutNotes(out), nil
}

// Restore replaces the placeholders in f by the lines of the file that they stand for
// (see [placeholder.Resolve]), and returns these placeholders. In a patch that marks
// removed lines, it replaces none. The error, a [*Refusal], is that of the first
// placeholder whose lines are unclear.
func (f *File) Restore() ([]placeholder.Placeholder, error) {
	var all []placeholder.Placeholder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		if c.fresh {
			continue // a new file, or a chunk without a place
		}
		form := placeholder.Rows
		if c.block {
			form = placeholder.Part
		}
		text, restored, err := placeholder.Resolve(f.Path, c.Old, c.New, form)
		if err != nil {
			return nil, f.refusal(i, err)
		}
		c.New, c.restored = text, len(restored) > 0
		all = append(all, restored...)
	}
	return all, nil
}

// Standing is what a text shows about a chunk: whether its edit is already made.
type Standing uint8

const (
	// Gone means that the text has neither the old lines nor, as far as it shows, the new
	// ones.
	Gone Standing = iota
	// Open means that the chunk has its place in the text and is not made yet.
	Open
	// Ambiguous means that the old lines are in several places.
	Ambiguous
	// Made means that the text is as the chunk makes it.
	Made
)

// Text is a text to search for one chunk after another. The zero value is the empty text.
type Text struct{ text, trimmed string }

// Set sets the text to search.
func (t *Text) Set(text string) {
	if t.trimmed == "" || t.text != text {
		t.text, t.trimmed = text, TrimLines(text)
	}
}

// holds reports whether the text has the new lines of a chunk. Spaces around lines do not
// count, since an applied chunk is indented like the file, unless they are all that the
// chunk changes.
func (t *Text) holds(c *Chunk) bool {
	lines := TrimLines(c.New)
	switch {
	case strings.TrimSpace(c.New) == "":
		return false
	case lines == TrimLines(c.Old):
		return strings.Contains("\n"+t.text, "\n"+c.New)
	}
	return strings.Contains(t.trimmed, lines)
}

// Standing returns whether the text now has the edit of a chunk. before is the text from
// before anyone could have made the edit, nil if unknown: new lines that it already has
// prove nothing.
func (c *Chunk) Standing(now, before *Text) Standing {
	place := c.placeIn(now.text)
	holds := now.holds(c)
	news := before != nil && !before.holds(c)
	if holds && (before == nil || news) {
		switch {
		case place == Gone, c.KeepsOld():
			return Made
		case place == Ambiguous && news: // one of several places with the old lines has become the new ones
			return Made
		}
	}
	return place
}

// KeepsOld reports whether the old lines are among the new ones: the chunk only
// adds lines around them.
func (c *Chunk) KeepsOld() bool {
	return strings.Contains(TrimLines(c.New), TrimLines(c.Old))
}

// IsPlacedIn reports whether the chunk has one place in the text.
func (c *Chunk) IsPlacedIn(t *Text) bool { return c.placeIn(t.text) == Open }

// placeIn returns Open if the chunk has one place in a text, Ambiguous if its old
// lines are in several, else Gone.
func (c *Chunk) placeIn(text string) Standing {
	_, _, err := (&File{Chunks: []Chunk{*c}}).Edits(text, false)
	var refused *match.Refusal
	switch {
	case err == nil:
		return Open
	case errors.As(err, &refused) && refused.Reason == match.ReasonSeveral:
		return Ambiguous
	}
	return Gone
}

// TrimLines returns a text without spaces around its lines, with a line end before
// each and after the last.
func TrimLines(text string) string {
	var b strings.Builder
	b.WriteString("\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}
