package patch

import (
	"slices"

	"redline/edits"
)

// Join merges the parts of a patch for the same file; their paths must be spelled alike.
// Several parts may update a file, and one file may go while another takes its path. Any
// other two parts contradict each other; the error is a [*Refusal]. Join drops files
// without a change if there are others.
func Join(files []File) ([]File, error) {
	var out []File
	index := map[string]int{} // index of the part that changes the existing file
	added := map[string]bool{}
	for _, f := range files {
		if f.Kind == edits.Create {
			if added[f.Path] {
				return nil, refuseFile(f.Path, "The patch creates the file twice. Say once what it holds.")
			}
			added[f.Path] = true
			out = append(out, f)
			continue
		}
		i, ok := index[f.Path]
		if !ok {
			index[f.Path] = len(out)
			f.Chunks = slices.Clone(f.Chunks)
			out = append(out, f)
			continue
		}
		g := &out[i]
		if f.Kind == edits.Delete || g.Kind == edits.Delete || f.NewPath != "" && g.NewPath != "" && f.NewPath != g.NewPath {
			return nil, refuseFile(f.Path, "Two parts of the patch contradict each other about the file. Keep one of them.")
		}
		part := 1
		if last := len(g.Chunks) - 1; last >= 0 {
			part += g.Chunks[last].part
		}
		for _, c := range f.Chunks {
			c.part = part
			g.Chunks = append(g.Chunks, c)
		}
		if f.NewPath != "" {
			g.Kind, g.NewPath = f.Kind, f.NewPath
		}
	}
	return withoutNotes(out), nil
}
