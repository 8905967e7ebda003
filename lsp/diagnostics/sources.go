package diagnostics

import (
	"maps"

	"go.lsp.dev/protocol"

	"redline/agent/view"
	"redline/lsp/position"
)

// Sources holds the data that all diagnostics are made from, at one moment.
type Sources struct {
	position.Mapper
	Snapshot *view.Snapshot
	notes    map[string]notes
}

// Document holds the data for the diagnostics of one document: its files with undecided
// hunks, each with its plan, and its notes.
type Document struct {
	Plans []*view.Plan
	Files []*view.File
	Notes notes
}

// Now returns the current sources of all diagnostics.
func (d *Publisher) Now() Sources {
	d.mu.Lock()
	noted := maps.Clone(d.notes)
	d.mu.Unlock()
	return Sources{d.mapper, d.snapshot(), noted}
}

// Documents returns the documents that have diagnostics, by URI.
func (s Sources) Documents() map[string]Document {
	all := map[string]Document{}
	for _, p := range s.Snapshot.Plans {
		for _, f := range p.Files {
			if f.URI != "" && hasUndecided(f) {
				m := all[f.URI]
				m.Plans, m.Files = append(m.Plans, p), append(m.Files, f)
				all[f.URI] = m
			}
		}
	}
	for at, noted := range s.notes {
		m := all[at]
		m.Notes = noted
		all[at] = m
	}
	return all
}

// List returns the diagnostics of one document, never nil, so that JSON gets a list.
func (s Sources) List(m Document) []protocol.Diagnostic {
	list := []protocol.Diagnostic{}
	for i, f := range m.Files {
		for k, h := range f.Undecided {
			list = append(list, OfHunk(s.Mapper, m.Plans[i], f, k, h))
		}
	}
	if m.Notes != nil {
		list = append(list, *m.Notes...)
	}
	return list
}

func hasUndecided(f *view.File) bool {
	for range f.Undecided {
		return true
	}
	return false
}
