package patch

import "redline/edits/placeholder"

// Restore replaces the placeholders in f by the lines of the file that they stand for
// (see [placeholder.Resolve]), and returns these placeholders. In a patch that marks
// removed lines, it replaces none. The error, a [*Refusal], is that of the first
// placeholder whose lines are unclear.
func (f *File) Restore() ([]placeholder.Placeholder, error) {
	var all []placeholder.Placeholder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		if c.fresh {
			continue // a new file, or a chunk without a place
		}
		form := placeholder.Rows
		if c.block {
			form = placeholder.Part
		}
		text, restored, err := placeholder.Resolve(f.Path, c.Old, c.New, form)
		if err != nil {
			return nil, f.refusal(i, err)
		}
		c.New, c.restored = text, len(restored) > 0
		all = append(all, restored...)
	}
	return all, nil
}
