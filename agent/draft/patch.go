package draft

import (
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/patch"
	"redline/edits/placeholder"
)

// Patch stages one operation for a patch to several files, with cleaned paths. All parts
// apply at once: Patch finds all chunks in the current texts, and files may trade places. If
// one part is not possible, it stages nothing; [Draft.Possible] returns the parts that are.
// If there is only one file, the operation has its path.
func (draft *Draft) Patch(files []patch.File, op plan.Operation) ([]Staged, error) {
	files, err := patch.Join(files)
	if err != nil {
		return nil, err
	}
	d, done := draft.open()
	defer done()
	parts, _, err := d.tryParts(files)
	if err != nil {
		return nil, err
	}
	var staged []Staged
	op.Path = files[0].Path
	for i := range parts {
		staged = append(staged, parts[i].staged)
		if files[i].Path != op.Path {
			op.Path = ""
		}
		d.settlePart(&parts[i])
	}
	d.add(op)
	return staged, nil
}

// settlePart removes the refusals that a part of a patch has made good.
func (d *content) settlePart(p *part) {
	did := doing{path: p.Path}
	if p.was != nil {
		did.removed = p.was.text
	}
	switch {
	case p.creates:
		did.added, _, _ = d.now(p.Path)
	case p.Kind == edits.Delete:
		did.gone = true
	case p.Kind == edits.Rename:
		did.path, did.added = p.NewPath, p.next.text
		d.settle(did)
		did.path, did.gone, did.movedTo = p.Path, true, p.NewPath
	default:
		did.added = p.next.text
	}
	d.settle(did)
}

// tryParts changes the files of the draft as a patch says. If a part is not possible,
// all files stay as they are, and failed is its index.
func (d *content) tryParts(files []patch.File) (parts []part, failed int, err error) {
	parts = make([]part, len(files))
	for i := range files {
		if parts[i], err = d.part(&files[i]); err != nil {
			return nil, i, err
		}
	}
	back := d.wayBack(files)
	for i := range parts {
		d.take(&parts[i])
	}
	for i := range parts {
		if err := d.put(&parts[i]); err != nil {
			back()
			return nil, i, err
		}
	}
	return parts, 0, nil
}

// part is what a patch does to one file.
type part struct {
	*patch.File
	creates   bool
	was, next *file // nil if it is created or deleted
	staged    Staged
}

// part computes what a patch does to one file, and stages nothing.
func (d *content) part(pf *patch.File) (part, error) {
	p := part{File: pf, staged: Staged{Path: pf.Path, NewPath: pf.NewPath, Action: Update}}
	restored, err := pf.Restore()
	if err != nil {
		return p, err
	}
	switch {
	case pf.Kind == edits.Create:
		p.creates = true
		return p, nil
	case pf.New():
		if p.was, err = d.look(pf.Path); err != nil || !p.was.exists {
			pf.Text, p.creates = pf.Chunks[0].New, true
			return p, err
		}
	default:
		if p.was, err = d.existing(pf.Path); err != nil {
			return p, err
		}
	}
	if pf.Kind == edits.Delete || pf.Kind == edits.Rename {
		if err := d.mayLeave(pf.Path, p.was); err != nil {
			return p, err
		}
	}
	es, steps, err := pf.Edits(p.was.text, d.asBegun(pf.Path, p.was))
	switch {
	case err != nil:
		return p, err
	case pf.Kind == edits.Delete:
		p.staged.Action, p.staged.Removed = Delete, edits.CountLines(p.was.text)
		return p, nil
	case len(es) > 0:
		if p.next, p.staged, err = d.edited(pf.Path, p.was, es, steps); err != nil {
			return p, err
		}
		p.staged.addNote(placeholder.Restored(restored))
	default: // moved without changes
		moved := *p.was
		moved.kept = nil
		p.next = &moved
	}
	if pf.Kind == edits.Rename {
		p.staged.NewPath, p.staged.Action = pf.NewPath, Rename
	}
	return p, nil
}

// take removes a file from its path if the patch deletes or moves it.
func (d *content) take(p *part) {
	if p.creates {
		return
	}
	switch p.Kind {
	case edits.Delete:
		d.leave(p.Path, p.was)
		d.files[p.Path] = &file{operations: d.with(broughtBy(p.Path, p.was))}
	case edits.Rename:
		d.files[p.Path] = &file{operations: d.with(p.was.operations)}
	}
}

// put puts the result of a part at its path, if there is one.
func (d *content) put(p *part) error {
	switch {
	case p.creates:
		return d.putNew(p)
	case p.Kind == edits.Rename:
		d.respell(p.Path, p.NewPath)
		target, err := d.target(p.NewPath)
		if err != nil {
			return err
		}
		if strings.HasPrefix(p.NewPath, p.Path+"/") {
			return refuse(p.NewPath, "cannot be created: %s is a file", p.Path)
		}
		p.next.operations = d.with(union(p.was.operations, target.operations))
		p.next.movers = d.with(p.was.movers)
		d.files[p.NewPath] = p.next
	case p.Kind == edits.Update:
		p.next.operations = d.with(p.was.operations)
		d.files[p.Path] = p.next
	}
	return nil
}

// putNew puts a new file at its path.
func (d *content) putNew(p *part) error {
	target, err := d.target(p.Path)
	if err == nil {
		err = d.fits(p.Path, len(p.Text))
	}
	if err != nil {
		return err
	}
	if err := noNUL(p.Path, p.Text); err != nil {
		return err
	}
	text, bom := edits.CutBOM(p.Text)
	if bom {
		p.staged.Note = noteMark
	}
	p.staged.Action = Create
	p.staged.measure("", text, []edits.Edit{{New: text}})
	d.files[p.Path] = &file{exists: true, text: text, mode: p.Mode, bom: bom, operations: d.with(target.operations)}
	return nil
}

// with returns operations and the index of the one about to be added.
func (d *content) with(operations []int) []int {
	next := len(d.operations)
	if slices.Contains(operations, next) {
		return operations
	}
	return append(slices.Clip(operations), next)
}
