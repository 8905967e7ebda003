package workspace

import "redline/edits"

// Guard has may asked about each file just before it is changed, here or through
// an editor: the text that it returns says why not, "" lets it be. It is called
// once, before anything is changed.
func (w *Workspace) Guard(may func(path string) (why string)) { w.guard.Store(&may) }

// Guarded says why a change may not be made now, "" if it may.
func (w *Workspace) Guarded(c edits.Change) (why string) {
	may := w.guard.Load()
	if may == nil {
		return ""
	}
	for _, path := range []string{c.Path, c.NewPath} {
		if path == "" {
			continue
		}
		if why := (*may)(path); why != "" {
			return why
		}
	}
	return ""
}
