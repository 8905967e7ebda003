package workspace

import "redline/edits"

// Guard has may asked about each file just before it is changed, here or through
// an editor: the text that it returns says why not, "" lets it be. It is called
// once, before anything is changed.
func (w *Workspace) Guard(may func(path string) (why string)) { w.guard.Store(&may) }

// Guarded says why a change may not be made now, "" if it may. What is off limits
// never may.
func (w *Workspace) Guarded(c edits.Change) (why string) {
	may := w.guard.Load()
	for _, path := range []string{c.Path, c.NewPath} {
		if path == "" {
			continue
		}
		if err := w.offLimitsAt(path, 0); err != nil {
			return err.Error()
		}
		if may == nil {
			continue
		}
		if why := (*may)(path); why != "" {
			return why
		}
	}
	return ""
}
