package lsp

import (
	"maps"

	"go.lsp.dev/protocol"

	"redline/agent"
	"redline/agent/plan"
	"redline/lsp/position"
)

// staging is what there is to make diagnostics of at one moment.
type staging struct {
	position.Mapper
	snapshot *agent.Snapshot
	notes    map[string]notes
}

// material is what the diagnostics of one document are made of: files with staged
// hunks, each with its plan, and what was noted on it.
type material struct {
	plans []*agent.PlanView
	files []*agent.FileView
	notes notes
}

// now is what there is to make diagnostics of.
func (d *diagnostics) now() staging {
	d.mu.Lock()
	noted := maps.Clone(d.notes)
	d.mu.Unlock()
	return staging{d.mapper, d.snapshot(), noted}
}

// documents are the documents that have diagnostics, by URI.
func (s staging) documents() map[string]material {
	all := map[string]material{}
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

// list are the diagnostics of one document; never nil, so that it is spelled as a
// list.
func (s staging) list(m material) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for i, f := range m.files {
		list = append(list, s.fileDiagnostics(m.plans[i], f)...)
	}
	if m.notes != nil {
		list = append(list, *m.notes...)
	}
	return list
}

// staged tells whether a hunk still waits for the user.
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
