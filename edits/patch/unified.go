package patch

import "strings"

// unified reads unified diffs, as git and diff write them, and as models write them from
// memory. It skips text around them, except lines that look like lines of a hunk: it
// never skips a part of a patch.
type unified struct {
	input
	at       int // the next line
	sections []*section
	fence    string // the fence that the lines are in, "" for none
	loose    bool   // the last hunk may have ended too early
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

// endsWithNames reports whether the last line that is not blank names a file, or is
// another header line of one.
func (u *unified) endsWithNames() bool {
	for i := len(u.lines) - 1; i >= 0; i-- {
		if line := u.bare(i); line != "" {
			return isName(line) || strings.HasPrefix(line, "diff -") || extendedHeader().MatchString(line)
		}
	}
	return false
}

// current returns the section of the current line, or nil before the first one.
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

// step reads the next line and what belongs to it.
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
		return refuseLine(u.at, "(%s) looks like a part of a hunk, but the hunk above ended before it. Every line of a hunk begins with a space, + or -.", quoted(line))
	}
	u.at++
	return nil
}

// binary refuses a file that is not text.
func (u *unified) binary() error {
	const why = "is about a binary file. Only text can be changed here; leave the file out."
	if s := u.current(); s != nil && len(s.chunks) == 0 && s.name() != "" {
		return refuseFile(s.name(), "The patch %s", why)
	}
	return refuseLine(u.at, "%s", why)
}

// isMixed reports whether a line belongs to another form of patch.
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
	noOld, noNew := false, false
	first := u.at
	for range u.namesAt(first) {
		name := headerName(strings.TrimRight(u.lines[u.at][4:], " \t\r"))
		if strings.HasPrefix(u.lines[u.at], "--- ") {
			from, noOld = name, isAbsent(u.lines[u.at])
		} else {
			to, noNew = name, isAbsent(u.lines[u.at])
		}
		u.at++
	}
	if s == nil || s.headed || len(s.chunks) > 0 || !s.agrees(from, to) {
		s = u.begin()
		s.line = first
	}
	s.headed, s.plain = true, s.from != "" && s.from == s.to
	s.from, s.to, s.noOld, s.noNew = from, to, noOld, noNew
	u.loose = false
	// A model may omit the line @@.
	if u.at < len(u.lines) && isRow(u.lines[u.at]) && u.namesAt(u.at) == 0 {
		return u.body(hunkHeader{}, u.at)
	}
	return nil
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
