package apply

import (
	"redline/edits"
	"redline/workspace"
)

// progress reports the changes of an Apply whose texts have them, in order.
type progress struct {
	tell     func(n int) // nil once nothing is to be reported
	together bool        // the changes were made in one request: they are reported at once
	told     int
}

// look reports the changes that have landed since the last call, up to the first that has not.
// It waits for nothing. begun has the changes that were begun so far.
func (p *progress) look(f files, begun []*attempt) {
	if p.tell == nil {
		return
	}
	n := p.told
	for ; n < len(begun) && begun[n].seen(f); n++ {
		if !p.together {
			p.tell(n + 1)
		}
	}
	if p.together && n > p.told {
		p.tell(n)
	}
	p.told = n
}

// seen reports whether the change was verified, or an open text has all of it now. It reads no
// file.
func (t *attempt) seen(f files) bool {
	if t.finished || t.change.Kind != edits.Update {
		return t.finished && t.result.Status == edits.Done
	}
	b, open := f.workspace.Buffer(t.path())
	return open && t.landing(workspace.File{Path: t.path(), Exists: true, Text: b.Lines.Text(), Buffer: b}) == edits.Landed
}
