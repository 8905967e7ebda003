package workspace

// Ignoring tells which files git ignores, by the rules that a workspace has when it is first asked
// about a folder.
type Ignoring struct {
	w     *Workspace
	rules map[*root]*rules
}

// Ignoring returns what git ignores from now on. It is for one goroutine.
func (w *Workspace) Ignoring() *Ignoring {
	i := &Ignoring{w: w, rules: map[*root]*rules{}}
	for _, r := range w.allRoots() {
		i.rules[r] = newRules(r)
	}
	return i
}

// Folder reports whether git ignores a folder, or one that it is in.
func (i *Ignoring) Folder(path string) bool {
	folder, _ := i.File(path + "/.")
	return folder != ""
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
	hidden := func(rel string, isDir bool) bool { return s.hides(rel, isDir) && !s.withholds(rel, isDir) }
	for at := range len(rel) {
		if rel[at] == '/' && hidden(rel[:at], true) {
			return path[:len(path)-len(rel)+at], true
		}
	}
	return "", hidden(rel, false)
}
