package plan

import (
	"encoding/json"

	"redline/edits"
	"redline/internal/phrase"
)

// NoteArg is the argument of a buffered call that says why it is made. It is recorded with the
// other arguments, so the approval hash covers it.
const NoteArg = "note"

// maxNote is how many bytes of a note are shown.
const maxNote = 200

// Note returns the model's reason for the operation in one line, "" if it gave none.
func (o *Operation) Note() string {
	if o.CallsServer() {
		return "" // the arguments belong to the server's tool
	}
	var args struct {
		Note string `json:"note"`
	}
	if json.Unmarshal(o.Args, &args) != nil {
		return ""
	}
	return phrase.FirstLine(edits.Visible(args.Note), maxNote)
}
