package board

import "fmt"

// Guard returns why a file may not be changed now, "" if it may: the user has begun to type in
// it in another editor since the decision was checked. It never stops an edit that reverts an
// earlier one, since half of an approval would be worse for both editors.
func (p *Presence) Guard(path string) (why string) {
	p.mu.Lock()
	free := p.takingBack[path] > 0
	p.mu.Unlock()
	if free {
		return ""
	}
	if by := p.Elsewhere()(path); by != "" {
		return fmt.Sprintf("it has unsaved changes in another editor by now (%s)", by)
	}
	return ""
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

// Elsewhere returns a function that names the other editor in which the file at a path is
// unsaved now, "" for none.
func (p *Presence) Elsewhere() func(path string) (editor string) {
	others := p.record.Others()
	return func(path string) string {
		if path == "" || len(others) == 0 {
			return ""
		}
		name, err := p.ws.RealName(path)
		if err != nil {
			return "" // the code that wants to change it fails, and says why
		}
		for _, u := range others {
			switch {
			case !u.Has(name):
			case u.Client == "":
				return fmt.Sprintf("process %d", u.Process)
			default:
				return fmt.Sprintf("%s, process %d", u.Client, u.Process)
			}
		}
		return ""
	}
}
