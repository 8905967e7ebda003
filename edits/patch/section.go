package patch

import (
	"slices"
	"strconv"
	"strings"

	"redline/edits"
	"redline/edits/match"
)

// section is the part of a unified diff for one file.
type section struct {
	line          int    // where it starts, counted from 0
	from, to      string // names on both sides, "" if not given
	headed        bool   // they were given in lines --- and +++
	plain         bool   // names have no prefixes
	renameFrom    string
	renameTo      string
	mode          string // of a new file
	created, gone bool
	changesMode   bool
	noOld, noNew  bool // their times say that there is no file on that side
	chunks        []Chunk
	heading       string // from an empty hunk, for the one below it
	last          bool   // the text ends with its names
}

// agrees reports whether the names in lines --- and +++ match the line "diff --git"
// above, which may belong to another file without such lines.
func (s *section) agrees(from, to string) bool {
	if s.from == "" {
		return true
	}
	gitFrom, gitTo := s.paths()
	if s.from != s.to {
		from, to = sides(from, to)
	}
	return (from == "" || from == devNull || from == gitFrom) && (to == "" || to == devNull || to == gitTo)
}

// name returns the name of the section's file for messages, or "".
func (s *section) name() string {
	from, to := s.paths()
	switch {
	case s.renameFrom != "":
		return s.renameFrom
	case from != "" && from != devNull:
		return from
	case to != devNull:
		return to
	}
	return ""
}

// paths returns the names on both sides without prefixes.
func (s *section) paths() (from, to string) {
	if s.plain || !s.headed && s.from == s.to {
		return s.from, s.to
	}
	return sides(s.from, s.to)
}

// file returns the change of the section to its file.
func (s *section) file() (File, error) {
	from, to := s.paths()
	if from == to {
		s.settle()
	}
	f := File{Path: s.name(), Chunks: s.chunks}
	switch {
	case f.Path == "":
		return File{}, refuseLine(s.line, "starts a change of a file that it does not name. Put the lines --- a/PATH and +++ b/PATH above the first hunk.")
	case s.changesMode:
		return File{}, refuseFile(f.Path, "The patch changes the permission bits of the file (old mode, new mode), which Redline does not do. Leave these lines out, or the file if nothing else changes.")
	case s.created || from == devNull:
		return s.create(f, to)
	case s.gone || to == devNull:
		return s.deletion(f)
	case s.renameFrom != "" || s.renameTo != "":
		f.Kind, f.Path, f.NewPath = edits.Rename, s.renameFrom, s.renameTo
		if f.Path == "" || f.NewPath == "" || f.Path == f.NewPath {
			return File{}, refuseFile(s.name(), "A move needs two lines, rename from PATH and rename to another PATH.")
		}
		return f, nil
	case from != "" && to != "" && from != to:
		return File{}, refuseFile(from, "The lines --- and +++ name two files, the other is %s. Name one file twice; to move it, add the lines rename from PATH and rename to PATH below a line diff --git.", to)
	case len(s.chunks) == 0:
		if s.last {
			return File{}, refuseFile(f.Path, "The patch ends after the name of the file: it is cut off. Send it whole.")
		}
		return File{}, refuseFile(f.Path, "The patch names the file but has no hunk for it. Put one below the lines --- and +++, or leave the file out.")
	}
	return f, nil
}

// settle takes the times of the names for a creation or a deletion, if the one hunk agrees: a file
// can have such a time by chance.
func (s *section) settle() {
	if s.noOld == s.noNew || len(s.chunks) != 1 || s.renameFrom != "" || s.renameTo != "" {
		return
	}
	switch c := s.chunks[0]; {
	case s.noOld && c.Old == "":
		s.created = true
	case s.noNew && c.New == "":
		s.gone = true
	}
}

// create makes f a new file.
func (s *section) create(f File, to string) (File, error) {
	f.Kind, f.Chunks = edits.Create, nil
	for _, c := range s.chunks {
		if c.fault != nil {
			return File{}, refuseFile(f.Path, "%s", c.fault)
		}
	}
	if to != "" && to != devNull {
		f.Path = to
	}
	if s.gone || to == devNull || s.renameTo != "" {
		return File{}, refuseFile(f.Path, "The patch both creates the file and takes it away. Say one of them.")
	}
	if s.mode != "" {
		if err := s.checkMode(s.mode); err != nil {
			return File{}, err
		}
		mode, err := strconv.ParseUint(s.mode, 8, 32)
		if err != nil || mode&^0o777 != 0o100000 {
			return File{}, refuseFile(f.Path, "%s is no mode of a file. Use 100644, or 100755 for a program.", quoted(s.mode))
		}
		f.Mode = edits.NewMode(uint32(mode))
	}
	switch {
	case len(s.chunks) > 1, len(s.chunks) == 1 && s.chunks[0].Old != "":
		return File{}, refuseFile(f.Path, "The file is new, so its text is one hunk in which every line begins with +. To change a file that is there, name it in both lines, --- and +++.")
	case len(s.chunks) == 1:
		f.Text = s.chunks[0].New
	}
	return f, nil
}

// deletion makes f a deletion.
func (s *section) deletion(f File) (File, error) {
	f.Kind = edits.Delete
	if s.renameFrom != "" || len(s.chunks) > 1 || len(s.chunks) == 1 && s.chunks[0].New != "" {
		return File{}, refuseFile(f.Path, "The patch deletes the file, but keeps something of it. Leave the hunks out, or take all lines away in one.")
	}
	return f, nil
}

// A part of a patch that changes nothing is a note: it may locate the part below it, else
// Redline skips it. A patch of only notes is refused.

// changesNothing reports whether a chunk leaves its lines as they are.
func (c *Chunk) changesNothing() bool { return c.Old == c.New && c.Old != "" }

// changesNothing reports whether f leaves the text of its file as it is.
func (f *File) changesNothing() bool {
	return len(f.Chunks) > 0 && !slices.ContainsFunc(f.Chunks, func(c Chunk) bool { return !c.changesNothing() })
}

// allTheSame refuses chunks if none of them changes anything. The error is that of
// chunk i, or of none if i is -1.
func allTheSame(chunks []Chunk) (i int, err error) {
	switch {
	case !(&File{Chunks: chunks}).changesNothing():
		return 0, nil
	case len(chunks) == 1:
		return 0, &match.Refusal{Reason: match.ReasonNoop}
	}
	return -1, reason("No part of the patch changes anything in the file: in each, the new lines are the same as the old ones. Nothing was changed. Mark each line that goes with -, and each that comes with +.")
}

// withoutNotes drops the files in which nothing changes, unless that leaves none.
func withoutNotes(files []File) []File {
	isNote := func(f File) bool { return f.Kind == edits.Update && f.changesNothing() }
	if !slices.ContainsFunc(files, func(f File) bool { return !isNote(f) }) {
		return files
	}
	return slices.DeleteFunc(files, isNote)
}

// refuseAdded returns the refusal of a chunk that only adds lines: nothing says where
// they go. It quotes the last lines of the file, which the author can use to append them.
func refuseAdded(text string) error {
	const why = "It only adds lines, and nothing says where: line numbers alone do not decide. Nothing was changed. Give some of the lines around the new ones, as they are in the file."
	last := match.LastLines(text)
	if last == nil {
		return reason(why + " To append to the file, read its end first.")
	}
	return reason(why + " To append to the file, put its last lines, which stay, above the new ones:\n  " + strings.Join(last, "\n  "))
}

// meansEnds reports whether the line ends of the chunk are meant as written: in a text
// with both kinds, if the chunk gives all lines the other kind, as programs write it. In
// a text of one kind, new lines get that kind.
func (c *Chunk) meansEnds(text string) bool {
	if !c.rows || strings.IndexByte(c.Old, '\r') < 0 && strings.IndexByte(c.New, '\r') < 0 {
		return false
	}
	all, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n")
	return crlf > 0 && crlf < all || c.Old == text && c.convertsEnds()
}

// convertsEnds reports whether at least half of the chunk's lines change only their line
// ends.
func (c *Chunk) convertsEnds() bool {
	kept, bare := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(c.New) {
		kept[line], bare[strings.TrimRight(line, "\r\n")] = true, true
	}
	lines, converted := 0, 0
	for line := range strings.Lines(c.Old) {
		if lines++; !kept[line] && bare[strings.TrimRight(line, "\r\n")] {
			converted++
		}
	}
	return 2*converted >= lines
}
