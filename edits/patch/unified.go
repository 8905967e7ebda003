package patch

import (
	"strconv"
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// unified reads unified diffs: those that git and diff write, and those that
// models write from memory. What is around them is passed over, except lines
// that look as if they belonged to a hunk: nothing of a patch is ever left out.
type unified struct {
	input
	at       int // the next line
	sections []*section
	fence    string // the fence that the lines are in, "" for none
	loose    bool   // the last hunk may have ended too early
}

// section is what a unified diff says about one file.
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
	chunks        []Chunk
	heading       string // of an empty hunk, for the one below it
	last          bool   // the text ends with its names
}

func parseUnified(in input) ([]File, error) {
	u := &unified{input: in}
	for u.at < len(u.lines) {
		if err := u.step(); err != nil {
			return nil, err
		}
	}
	if len(u.sections) == 0 {
		return nil, errRefusal(errNone)
	}
	u.current().last = u.endsWithNames()
	files := make([]File, 0, len(u.sections))
	for _, s := range u.sections {
		f, err := s.file()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// endsWithNames tells whether the last line that is not blank names a file, or says
// something else about one.
func (u *unified) endsWithNames() bool {
	for i := len(u.lines) - 1; i >= 0; i-- {
		if line := u.bare(i); line != "" {
			return isName(line) || strings.HasPrefix(line, "diff -") || extendedHeader().MatchString(line)
		}
	}
	return false
}

// current is the section that lines belong to, nil before the first.
func (u *unified) current() *section {
	if len(u.sections) == 0 {
		return nil
	}
	return u.sections[len(u.sections)-1]
}

// begin starts a section.
func (u *unified) begin() *section {
	s := &section{line: u.at}
	u.sections = append(u.sections, s)
	return s
}

// step reads what starts on the next line.
func (u *unified) step() error {
	line := u.bare(u.at)
	s := u.current()
	switch {
	case strings.HasPrefix(line, "@@@"), strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
		return refuseLine(u.at, "is of a combined diff, which shows a merge and says nothing of one text. Give a unified diff against the file as it is.")
	case strings.HasPrefix(line, "@@"):
		return u.hunk()
	case strings.HasPrefix(line, "diff --git "):
		u.git(line)
	case u.namesAt(u.at) > 0:
		return u.names()
	case u.isMixed(line):
		return errRefusal(errMixed)
	case isBinary(line):
		return u.binary()
	case strings.HasPrefix(line, "diff -"):
		u.begin() // other programs' first line of a file
	case isName(line):
		if u.blankFrom(u.at + 1) {
			return refuseLine(u.at, "(%s) names a file, but no hunk follows: the patch is cut off. Send it whole, with the lines --- and +++ above the first hunk of each file.", quoted(line))
		}
		return refuseLine(u.at, "(%s) names a file, but no hunk follows. Put the lines --- and +++ above the first hunk of each file.", quoted(line))
	case s != nil && len(s.chunks) == 0 && s.extended(line):
		if err := s.extend(line); err != nil {
			return err
		}
	case isFence(line):
		u.toggle(line)
	case u.loose && isRow(u.lines[u.at]) && !isBullet(line):
		return refuseLine(u.at, "(%s) looks like a part of a hunk, but the hunk above ended before it. Every line of a hunk begins with a blank, + or -.", quoted(line))
	}
	u.at++
	return nil
}

// binary refuses a file that is no text.
func (u *unified) binary() error {
	const why = "is about a binary file. Only text can be changed here; leave the file out."
	if s := u.current(); s != nil && len(s.chunks) == 0 && s.name() != "" {
		return refuseFile(s.name(), "The patch %s", why)
	}
	return refuseLine(u.at, "%s", why)
}

// isMixed tells whether a line is one of another form of patch.
func (u *unified) isMixed(line string) bool {
	return line == beginPatch || beginVerb(line) || isOpener(line)
}

// namesAt returns how many lines from line i on name the files of a diff: "---"
// and "+++", or one of them with a hunk below.
func (u *unified) namesAt(i int) int {
	line, next := u.lines[i], ""
	if i+1 < len(u.lines) {
		next = u.lines[i+1]
	}
	return namesIn(line, next)
}

// namesIn is namesAt for a line and the next.
func namesIn(line, next string) int {
	from, to := strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ ")
	switch {
	case from && strings.HasPrefix(next, "+++ "):
		return 2
	case (from || to) && strings.HasPrefix(next, "@@"):
		return 1
	}
	return 0
}

// names reads the lines that name the files.
func (u *unified) names() error {
	s, from, to := u.current(), "", ""
	first := u.at
	for range u.namesAt(first) {
		name := headerName(strings.TrimRight(u.lines[u.at][4:], " \t\r"))
		if strings.HasPrefix(u.lines[u.at], "--- ") {
			from = name
		} else {
			to = name
		}
		u.at++
	}
	if s == nil || s.headed || len(s.chunks) > 0 || !s.agrees(from, to) {
		s = u.begin()
		s.line = first
	}
	s.headed, s.plain = true, s.from != "" && s.from == s.to
	s.from, s.to = from, to
	u.loose = false
	// A model may leave the line @@ out.
	if u.at < len(u.lines) && isRow(u.lines[u.at]) && u.namesAt(u.at) == 0 {
		return u.body(hunkHeader{}, u.at)
	}
	return nil
}

// agrees tells whether names in lines --- and +++ can be those of the line
// "diff --git" above: it may be of another file, which has no such lines.
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

// git reads the first line of a file in git's form.
func (u *unified) git(line string) {
	s := u.begin()
	u.loose = false
	if from, to, ok := gitNames(strings.TrimPrefix(line, "diff --git ")); ok {
		s.from, s.to = from, to
	}
}

// hunk reads a hunk with its line @@.
func (u *unified) hunk() error {
	s := u.current()
	if s == nil || s.name() == "" {
		return refuseLine(u.at, "starts a hunk, but no file was named before it. Put the lines --- a/PATH and +++ b/PATH above the first hunk of each file.")
	}
	return u.body(parseHunkHeader(u.bare(u.at)), u.at+1)
}

// extendedHeader is a line that git writes below "diff --git".
var extendedHeader = lazyregexp.New(`^(rename from|rename to|copy from|copy to|new file mode|deleted file mode|old mode|new mode|index|similarity index|dissimilarity index) (.*)$`)

func (s *section) extended(line string) bool { return extendedHeader().MatchString(line) }

// extend takes over what such a line says.
func (s *section) extend(line string) error {
	m := extendedHeader().FindStringSubmatch(line)
	value := m[2]
	switch m[1] {
	case "rename from":
		s.renameFrom = unquote(value)
	case "rename to":
		s.renameTo = unquote(value)
	case "copy from", "copy to":
		return refuseFile(unquote(value), "The patch copies this file, which is not done here. Give the copy as a new file, with all of its text.")
	case "new file mode":
		s.created, s.mode = true, value
	case "deleted file mode":
		s.gone = true
		return s.checkMode(value)
	case "old mode", "new mode":
		s.changesMode = true
		return s.checkMode(value)
	case "index":
		if _, mode, ok := strings.Cut(value, " "); ok {
			return s.checkMode(mode)
		}
	}
	return nil
}

// checkMode refuses what is no file with text.
func (s *section) checkMode(mode string) error {
	switch mode {
	case "120000":
		return refuseFile(s.name(), "The patch makes or changes a symbolic link, which is not done here. Leave it out.")
	case "160000":
		return refuseFile(s.name(), "The patch changes a submodule, which is not done here. Leave it out.")
	}
	return nil
}

// name is how the file of the section is called in messages, "" if it has no
// name.
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

// file makes of a section what it does to its file.
func (s *section) file() (File, error) {
	from, to := s.paths()
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
		f.Mode = uint32(mode & 0o777)
	}
	switch {
	case len(s.chunks) > 1, len(s.chunks) == 1 && s.chunks[0].Old != "":
		return File{}, refuseFile(f.Path, "The file is new, so its text is one hunk in which every line begins with +. To change a file that is there, name it in both lines, --- and +++.")
	case len(s.chunks) == 1:
		f.Text = s.chunks[0].New
	}
	return f, nil
}

// deletion makes f a file that goes.
func (s *section) deletion(f File) (File, error) {
	f.Kind = edits.Delete
	if s.renameFrom != "" || len(s.chunks) > 1 || len(s.chunks) == 1 && s.chunks[0].New != "" {
		return File{}, refuseFile(f.Path, "The patch deletes the file, but keeps something of it. Leave the hunks out, or take all lines away in one.")
	}
	return f, nil
}
