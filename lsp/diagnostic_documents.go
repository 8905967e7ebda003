package lsp

import (
	"maps"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/plan"
	"redline/lsp/position"
)

// diagnosticSources is what all diagnostics are made of, at one moment.
type diagnosticSources struct {
	position.Mapper
	snapshot *agent.Snapshot
	notes    map[string]notes
}

// documentSources is what the diagnostics of one document are made of: files with
// staged hunks, each with its plan, and its notes.
type documentSources struct {
	plans []*agent.PlanView
	files []*agent.FileView
	notes notes
}

// now returns what diagnostics are made of now.
func (d *diagnostics) now() diagnosticSources {
	d.mu.Lock()
	noted := maps.Clone(d.notes)
	d.mu.Unlock()
	return diagnosticSources{d.mapper, d.snapshot(), noted}
}

// documents returns the documents that have diagnostics, by URI.
func (s diagnosticSources) documents() map[string]documentSources {
	all := map[string]documentSources{}
	for _, p := range s.snapshot.Plans {
		for _, f := range p.Files {
			if f.URI != "" && hasStaged(f) {
				m := all[f.URI]
				m.plans, m.files = append(m.plans, p), append(m.files, f)
				all[f.URI] = m
			}
		}
	}
	for at, noted := range s.notes {
		m := all[at]
		m.notes = noted
		all[at] = m
	}
	return all
}

// list returns the diagnostics of one document; never nil, so that JSON has a list.
func (s diagnosticSources) list(m documentSources) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for i, f := range m.files {
		list = append(list, s.fileDiagnostics(m.plans[i], f)...)
	}
	if m.notes != nil {
		list = append(list, *m.notes...)
	}
	return list
}

// staged reports whether a hunk is undecided.
func staged(h agent.HunkView) bool {
	return h.Status == plan.HunkPending || h.Status == plan.HunkStale
}

func hasStaged(f *agent.FileView) bool {
	for i := range f.Len() {
		if staged(f.Hunk(i)) {
			return true
		}
	}
	return false
}
