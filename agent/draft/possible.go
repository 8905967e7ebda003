package draft

import (
	"slices"

	"redline/edits"
	"redline/edits/patch"
)

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
