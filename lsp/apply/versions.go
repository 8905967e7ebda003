package apply

import (
	"redline/edits"
	"redline/workspace"
)

// version is the version of the text that a change is made for, nil if the file
// is not open. A client that takes version 0 for any would put the edits into
// whatever it has by then; version 1 it takes as long as there is no newer one.
func (a *Applier) version(s *sending) *int32 {
	if s.open == nil {
		return nil
	}
	version := s.open.Version
	if version == 0 && a.client.LooseVersions && !a.exactVersions.Load() {
		version = 1
	}
	return &version
}

// otherVersion tells whether a change was sent for another version than the
// text has.
func (a *Applier) otherVersion(s *sending) bool {
	return s.open != nil && *a.version(s) != s.open.Version
}

// leftOut tells whether file, as it is now, is newer than what the change was
// sent for and has nothing of it: Neovim leaves out such a change, and says that
// it has made it.
func (a *Applier) leftOut(s *sending, file workspace.File) bool {
	return s.change.Kind == edits.Update && s.open != nil && file.Buffer != nil &&
		file.Text != s.before && s.look(file) == edits.Absent && !s.arrived()
}
