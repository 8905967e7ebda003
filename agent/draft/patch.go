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
		if err := d.holds(p.was.origin, p.NewPath, p.next.text); err != nil {
			return err
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
	if err := d.holds("", p.Path, p.Text, edits.Edit{New: p.Text}); err != nil {
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

// NotPossible is a file of a patch that cannot be staged.
type NotPossible struct {
	Path string
	Err  error  // the reason, if the file itself was refused
	With string // otherwise the path of the refused file that it depends on
}

// Possible returns which files of a patch can be staged and which cannot. Files that depend
// on each other can only be staged together: those that share a path, as a moved file does
// with the one deleted to make room, or that are in a folder with the former name of the
// other file. Possible stages nothing: [Draft.Patch] does. Paths are cleaned.
func (draft *Draft) Possible(files []patch.File) (possible []patch.File, not []NotPossible) {
	files, unclear := joinEach(files)
	d, done := draft.open()
	defer done()
	why := map[string]NotPossible{} // by path
	for _, group := range together(files) {
		culprit, err := d.tryGroup(group, files, unclear)
		if err == nil {
			continue
		}
		for _, i := range group {
			if path := files[i].Path; path != culprit {
				why[path] = NotPossible{Path: path, With: culprit}
			}
		}
		why[culprit] = NotPossible{Path: culprit, Err: err}
	}
	named := map[string]bool{}
	for _, f := range files {
		n, refused := why[f.Path]
		switch {
		case !refused:
			possible = append(possible, f)
		case !named[f.Path]:
			named[f.Path] = true
			not = append(not, n)
		}
	}
	return possible, not
}

// tryGroup tries to stage files that depend on each other, and undoes that. If one cannot be
// staged, it returns that file's path and refusal.
func (d *content) tryGroup(group []int, files []patch.File, unclear map[string]error) (culprit string, err error) {
	some := make([]patch.File, len(group))
	for k, i := range group {
		if err := unclear[files[i].Path]; err != nil {
			return files[i].Path, err
		}
		some[k] = files[i]
	}
	back := d.wayBack(some)
	_, failed, err := d.tryParts(some)
	if err != nil {
		return some[failed].Path, err
	}
	back()
	return "", nil
}

// joinEach does what [patch.Join] does, but joins each file that it can. The others come last,
// unchanged, and unclear has their refusals.
func joinEach(files []patch.File) (joined []patch.File, unclear map[string]error) {
	if joined, err := patch.Join(files); err == nil {
		return joined, nil
	}
	of := map[string][]patch.File{}
	for _, f := range files {
		of[f.Path] = append(of[f.Path], f)
	}
	unclear = map[string]error{}
	var clear, rest []patch.File
	for _, f := range files {
		if _, err := patch.Join(of[f.Path]); err != nil {
			unclear[f.Path] = err
			rest = append(rest, f)
		} else {
			clear = append(clear, f)
		}
	}
	joined, _ = patch.Join(clear) // each can be joined by itself, so all can
	return append(joined, rest...), unclear
}

// together groups the indices of files that depend on each other. Each file is in one group, in
// the order of the patch.
func together(files []patch.File) [][]int {
	group := make([]int, len(files)) // maps each file to the first of its group
	root := func(i int) int {
		for group[i] != i {
			i = group[i]
		}
		return i
	}
	first := map[string]int{} // the first file of each path
	join := func(i, j int) {
		a, b := root(i), root(j)
		group[max(a, b)] = min(a, b)
	}
	for i := range files {
		group[i] = i
		for _, path := range pathsIn(&files[i]) {
			if j, ok := first[path]; ok {
				join(i, j)
			} else {
				first[path] = i
			}
		}
	}
	for path, i := range first {
		for at, c := range path {
			if j, ok := first[path[:at]]; c == '/' && ok {
				join(i, j)
			}
		}
	}
	var groups [][]int
	at := map[int]int{}
	for i := range files {
		r := root(i)
		k, ok := at[r]
		if !ok {
			k = len(groups)
			at[r] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// pathsIn returns the paths of a part of a patch.
func pathsIn(f *patch.File) []string {
	if f.NewPath == "" || f.NewPath == f.Path {
		return []string{f.Path}
	}
	return []string{f.Path, f.NewPath}
}

// Has reports whether the draft already has the result of a part of a patch, so nothing is
// missing even if the part is refused: the new text of each chunk is there, the file that it
// creates has that text, the file that it deletes or moves is gone. The path is cleaned.
func (draft *Draft) Has(f *patch.File) bool {
	d, done := draft.open()
	defer done()
	path := f.Path
	if f.Kind == edits.Delete || f.Kind == edits.Rename {
		if was, staged := d.files[f.Path]; !staged || was.exists {
			return false
		}
		if f.Kind == edits.Delete {
			return true
		}
		path = f.NewPath
	}
	now, err := d.look(path)
	switch {
	case err != nil || !now.exists:
		return false
	case f.Kind == edits.Create:
		return now.text == f.Text
	}
	var text patch.Text
	text.Set(now.text)
	return !slices.ContainsFunc(f.Chunks, func(c patch.Chunk) bool { return c.Standing(&text, nil) != patch.Made })
}
