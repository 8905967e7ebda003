package trial

import "redline/agent/brief"

// Checks returns the commands with which projects check themselves, if this machine can run
// them: the projects of the files at paths, and the one at the root. It reads files.
func (t *Trials) Checks(paths ...string) []brief.Check {
	read := func(path string) (string, bool) {
		f, err := t.ws.Read(path)
		return f.Text, err == nil && f.Exists
	}
	return brief.Installed(brief.ChecksOf(read, paths...), t.Machine())
}
