package patch

import "redline/edits/placeholder"

// Restore puts back the lines of the file for which f only has a placeholder (see
// [placeholder.Resolve]), and returns those placeholders. It puts nothing back in a
// patch that marks removed lines. The error, a [*Refusal], is that of the first
// placeholder whose lines are not clear.
func (f *File) Restore() ([]placeholder.Placeholder, error) {
	var all []placeholder.Placeholder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		if c.fresh {
			continue // it is a new file, or has no place
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
