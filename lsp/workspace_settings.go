package lsp

import (
	"context"

	"redline/agent/config"
)

// warnOfSettings says in the log, once, which settings the workspace's own file
// has in vain.
func (s *session) warnOfSettings(context.Context) {
	data, err := s.workspace.Own().Read(config.WorkspaceFile)
	if err != nil {
		return // there is none
	}
	s.warnedOfSettings.Do(func() {
		for _, warning := range config.IgnoredIn(config.OfWorkspace, data) {
			s.log.Warn(string(warning))
		}
	})
}
