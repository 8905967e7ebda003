package trial

import "redline/agent/checks"

// Checks returns the commands with which projects check themselves, if this machine can run
// them: the projects of the files at paths, and the one at the root. It reads files.
func (t *Trials) Checks(paths ...string) []checks.Check {
	read := func(path string) (string, bool) {
		f, err := t.ws.Read(path)
		return f.Text, err == nil && f.Exists
	}
	return checks.Installed(checks.Of(read, paths...), t.Machine())
}
