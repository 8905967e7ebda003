package trial

import "redline/agent/checks"

// Checks returns the commands with which the projects that the files at paths belong to check
// themselves, and those of the project at the root, as far as they can be run on this machine. It
// reads files.
func (t *Trials) Checks(paths ...string) []checks.Check {
	read := func(path string) (string, bool) {
		f, err := t.ws.Read(path)
		return f.Text, err == nil && f.Exists
	}
	return checks.Installed(checks.Of(read, paths...), checks.Here(t.ws))
}
