package presence

import (
	"fmt"

	"redline/agent/store"
)

// Guard returns why a file may not be changed now, "" if it may: the user has begun to type
// in it in another editor since the decision was checked. It never stops an edit that takes
// an earlier one back, since half of an approval would be worse for both editors.
func (p *Presence) Guard(path string) (why string) {
	p.mu.Lock()
	free := p.takingBack[path] > 0
	p.mu.Unlock()
	if free {
		return ""
	}
	if u := p.with(p.Others(), path); u != nil {
		return fmt.Sprintf("it has unsaved changes in another editor by now (%s)", NameOf(u))
	}
	return ""
}

// with returns the editor in which the file at a path is unsaved, nil for none, and for a
// path that no change can be made at: the change itself fails then, and says why.
func (p *Presence) with(others []store.Unsaved, path string) *store.Unsaved {
	if len(others) == 0 {
		return nil
	}
	name, err := p.ws.RealName(path)
	if err != nil {
		return nil
	}
	for i := range others {
		if others[i].Has(name) {
			return &others[i]
		}
	}
	return nil
}

// WhileTakingBack makes [Presence.Guard] allow changes to a file, whoever has it unsaved,
// until done is called. Call done once.
func (p *Presence) WhileTakingBack(path string) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takingBack[path]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.takingBack[path]--; p.takingBack[path] == 0 {
			delete(p.takingBack, path)
		}
	}
}

// NameOf names another editor, for a message.
func NameOf(u *store.Unsaved) string {
	if u.Client == "" {
		return fmt.Sprintf("process %d", u.Process)
	}
	return fmt.Sprintf("%s, process %d", u.Client, u.Process)
}

// Others returns what is unsaved in the user's other editors.
func (p *Presence) Others() []store.Unsaved { return p.record.Others() }

// Elsewhere returns a function that reports whether the file at a path is unsaved in
// another editor now.
func (p *Presence) Elsewhere() func(path string) bool {
	others := p.Others()
	return func(path string) bool { return p.with(others, path) != nil }
}
