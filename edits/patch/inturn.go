package patch

import (
	"errors"

	"redline/edits"
	"redline/edits/match"
)

// ErrInTurn means that another part of the patch for the file makes a part ambiguous.
var ErrInTurn error = reason("An earlier part of the patch for the same file puts the text to replace in another place too, so it is not clear which one is meant. Nothing was changed. Put all changes of the file below one header, with enough lines around each for it to be in one place only, or give the parts one after the other.")

// inTurn refuses a part of f that has another place, or several, in the result of the
// parts before it. found has the places of all chunks in text. A part without a place in
// that result can only mean text. The error is that of chunk i.
func (f *File) inTurn(text string, numbered bool, found []placed) (i int, err error) {
	for i := 0; i < len(f.Chunks); {
		part := f.Chunks[i].part
		end := i
		for end < len(f.Chunks) && f.Chunks[end].part == part {
			end++
		}
		if i > 0 {
			if err := clearAfter(text, numbered, found, f.Chunks, i, end); err != nil {
				return i, err
			}
		}
		i = end
	}
	return 0, nil
}

// clearAfter is inTurn for the chunks from first up to end.
func clearAfter(text string, numbered bool, found []placed, chunks []Chunk, first, end int) error {
	before, err := edits.Apply(text, editsBelow(found, first))
	if err != nil {
		return err
	}
	after, err := edits.Apply(text, editsBelow(found, end))
	if err != nil {
		return err
	}
	again, _, err := place(before, chunks[first:end], numbered)
	if err != nil {
		if r, ok := errors.AsType[*match.Refusal](err); ok && r.Reason == match.ReasonSeveral {
			return ErrInTurn
		}
		return nil
	}
	if made, err := edits.Apply(before, editsBelow(again, len(chunks))); err != nil || made != after {
		return ErrInTurn
	}
	return nil
}

// ofEarlier returns why chunk i has no place: err, or that only the chunks before it
// add its text to the file.
func (f *File) ofEarlier(text string, numbered bool, i int, err error) error {
	if r, ok := errors.AsType[*match.Refusal](err); !ok || r.Reason != match.ReasonNone || i < 1 {
		return err
	}
	found, _, failed := place(text, f.Chunks[:i], numbered)
	if failed != nil {
		return err
	}
	made, failed := edits.Apply(text, editsBelow(found, i))
	if failed != nil {
		return err
	}
	if _, _, failed := place(made, f.Chunks[i:i+1], numbered); failed != nil {
		return err
	}
	return reason("The text to replace is not in the file: an earlier part of the patch puts it there. All parts are looked for in the file as it is. Nothing was changed. Put both changes into one part, from the lines that the file has to those that it is to have in the end.")
}

// editsBelow returns the edits of the chunks below n.
func editsBelow(found []placed, n int) []edits.Edit {
	var es []edits.Edit
	for _, p := range found {
		if p.chunk < n {
			es = append(es, p.Edit)
		}
	}
	return es
}
