package patch

import (
	"fmt"

	"redline/internal/phrase"
)

// Refusal is the reason why a patch, or a part of it, is refused. Its message tells the
// author of the patch what was found, and what to do.
type Refusal struct {
	Path  string // the file, "" for the patch as a whole
	Chunk int    // which chunk of the file, counted from 1; 0 for none
	Of    int    // how many chunks the file has
	Err   error  // why; an [*match.Refusal] if a place was not found
}

// Error implements error.
func (r *Refusal) Error() string {
	switch {
	case r.Path == "":
		return r.Err.Error()
	case r.Chunk == 0:
		return fmt.Sprintf("%s: %s", r.Path, r.Err)
	}
	return fmt.Sprintf("%s, chunk %d of %d: %s", r.Path, r.Chunk, r.Of, r.Err)
}

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Err }

// reason is why something is refused, in whole sentences.
type reason string

func (r reason) Error() string { return string(r) }

func reasonf(format string, args ...any) error { return reason(fmt.Sprintf(format, args...)) }

// refuse returns a refusal of the patch as a whole.
func refuse(format string, args ...any) *Refusal {
	return &Refusal{Err: reasonf(format, args...)}
}

// refuseFile returns a refusal of the part of a patch for a file.
func refuseFile(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Err: reasonf(format, args...)}
}

// refuseLine returns a refusal of line i, counted from 0, of a patch.
func refuseLine(i int, format string, args ...any) *Refusal {
	return refuse("Line %d of the patch %s", i+1, fmt.Sprintf(format, args...))
}

// errMixed is why a text with two forms of patches is refused.
var errMixed error = reason("The text has patches of different forms in it. Give one unified diff, or one text from *** Begin Patch to *** End Patch.")

// errNone is why a text without a patch is refused.
var errNone error = reason("There is no patch in the text. Give a unified diff, with a line --- and a line +++ for each file, or a text that begins with *** Begin Patch and ends with *** End Patch.")

func errRefusal(err error) *Refusal { return &Refusal{Err: err} }

// maxShown is how many bytes of a line are quoted.
const maxShown = 80

// quoted returns a line as messages quote it.
func quoted(line string) string { return fmt.Sprintf("%q", phrase.StartBytes(line, maxShown)) }
