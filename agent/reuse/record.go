package reuse

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"redline/agent/plan"
)

// record is what is stored of a turn.
type record struct {
	Answer string      `json:"answer"`
	Calls  []call      `json:"calls"`
	Files  []fileState `json:"files"`
}

// call is a tool call of the model.
type call struct {
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
	Result    string `json:"result"` // SHA-256 of its text
}

// fileState is a file as the turn left it.
type fileState struct {
	Path     string      `json:"path"`
	NewPath  string      `json:"newPath,omitempty"`
	Action   plan.Action `json:"action"`
	Base     plan.Blob   `json:"base"`
	Proposed plan.Blob   `json:"proposed"`
}

// maxRecord bounds a record, in bytes.
const maxRecord = 1 << 20

// repeatable are the tools whose results depend on the files alone. A turn that has called
// another is not kept.
var repeatable = []string{
	"read_file", "list_files", "search", "outline",
	"submit_plan", "edit_file", "apply_patch", "write_file", "delete_file", "rename_file", "text_editor", "str_replace_based_edit_tool", "run_command",
}

// states returns how changes leave the files, sorted by path.
func states(changes []plan.Change) []fileState {
	var all []fileState
	for _, c := range changes {
		all = append(all, fileState{c.Path, c.NewPath, c.Action, c.Base, c.Proposed})
	}
	slices.SortFunc(all, func(x, y fileState) int { return strings.Compare(x.Path, y.Path) })
	return all
}

// sum returns the SHA-256 of a text.
func sum(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:])
}
