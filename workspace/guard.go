package workspace

import "redline/edits"

// Guard registers may, which is called once for each file just before it is changed, here
// or through an editor. It returns why the file must not change, or "".
func (w *Workspace) Guard(may func(path string) (why string)) { w.guard.Store(&may) }

// Guarded returns why a change must not be made now, "" if it may be. Paths that are off
// limits are always refused.
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
