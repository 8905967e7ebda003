package workspace

// Ignoring tells which files git ignores, by the rules that a workspace had at one time. Its methods may be
// called from several goroutines, but for Fix.
type Ignoring struct {
	w     *Workspace
	rules map[*root]*rules
}

// Ignoring returns what git ignores now. It reads the rules of a folder when it is first asked about
// something in it, and none any more once [Ignoring.Fix] was called.
func (w *Workspace) Ignoring() *Ignoring {
	i := &Ignoring{w: w, rules: map[*root]*rules{}}
	for _, r := range w.allRoots() {
		i.rules[r] = newRules(r)
	}
	return i
}

// Folder reports whether git ignores a folder, or one that it is in. If not, it reads the rules in
// the folder.
func (i *Ignoring) Folder(path string) bool {
	r, rel, err := i.w.locate(path)
	if err != nil || i.rules[r] == nil {
		return false
	}
	s := i.rules[r]
	if rel != "." && (i.above(s, rel) >= 0 || hidden(s, rel, true)) {
		return true
	}
	if in := s.in(rel); in.nested != nil {
		in.nested.tracks("", false)
	}
	return false
}

// Unruled notes that a folder has no rules of its own and is no repository, so that nothing is read there.
func (i *Ignoring) Unruled(path string) {
	if r, rel, err := i.w.locate(path); err == nil && i.rules[r] != nil && rel != "." {
		i.rules[r].dirs.LoadOrStore(rel, &folderRules{})
	}
}

// ReadAhead reads the index of each repository, which takes a while in a large one.
func (i *Ignoring) ReadAhead() {
	for _, s := range i.rules {
		s.own.tracks("", false)
	}
}

// Fix ends reading rules: of the folders that nobody has asked about, none count.
func (i *Ignoring) Fix() {
	i.ReadAhead()
	for _, s := range i.rules {
		s.fixed = true
	}
}

// File reports whether git ignores a file, also one that is not there, and returns the outermost
// ignored folder that it would be in, "" for none.
func (i *Ignoring) File(path string) (folder string, ignored bool) {
	r, rel, err := i.w.locate(path)
	if err != nil {
		return "", false
	}
	s := i.rules[r]
	if s == nil { // the folder has just been opened
		return "", false
	}
	if at := i.above(s, rel); at >= 0 {
		return path[:len(path)-len(rel)+at], true
	}
	return "", hidden(s, rel, false)
}

// Limit returns how many bytes a file may have to be carried from a copy or another workspace.
func (i *Ignoring) Limit(path string) int64 {
	if r, rel, err := i.w.locate(path); err == nil && i.rules[r] != nil && i.rules[r].tracks(rel, false) {
		return i.w.MaxTracked()
	}
	return i.w.LimitOf(path)
}

// above returns where the name of the outermost ignored folder that rel is in ends, -1 for none.
func (i *Ignoring) above(s *rules, rel string) int {
	for at := range len(rel) {
		if rel[at] == '/' && hidden(s, rel[:at], true) {
			return at
		}
	}
	return -1
}

// hidden reports whether git ignores rel itself.
func hidden(s *rules, rel string, isDir bool) bool {
	return s.hides(rel, isDir) && !s.withholds(rel, isDir)
}
