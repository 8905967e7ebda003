package patch

import "redline/edits/placeholder"

// Restore puts lines of the file back where f only has a placeholder for them
// (see [placeholder.Resolve]), and returns those placeholders. Of a patch that
// marks the lines that go, nothing is put back. The error, a [*Refusal], is of
// the first placeholder whose lines cannot be told.
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
