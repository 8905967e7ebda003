package draft

import (
	"bytes"
	"encoding/json"
	"maps"

	"redline/agent/plan"
)

// sameCommand reports whether two operations run the same command line in the same way. Calls
// of tool servers never count as the same: repeating one may be intended.
func sameCommand(a, b *plan.Operation) bool {
	return a.Tool == "run_command" && b.Tool == a.Tool && a.Step == b.Step && a.ID == "" && b.ID == "" &&
		a.IsCommand() && a.Command == b.Command && sameArgs(a.Args, b.Args)
}

// waits returns the id of the command of the plan that is the same as o and has not succeeded, so
// that it runs when the plan is approved; "" for none. The step does not matter.
func (d *content) waits(o *plan.Operation) string {
	for i := range d.operations[:d.begun] {
		was := &d.operations[i]
		if was.Tool == "run_command" && o.Tool == was.Tool && was.Command == o.Command && !d.ran[was.ID] && sameArgs(was.Args, o.Args, "step") {
			return was.ID
		}
	}
	return ""
}

// sameArgs reports whether two calls have the same arguments, except for those named.
func sameArgs(a, b json.RawMessage, but ...string) bool {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	for _, name := range but {
		delete(x, name)
		delete(y, name)
	}
	return maps.EqualFunc(x, y, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// mergeable finds the last operation before o on the same file, if o replaces exactly
// its new text. It returns its index and the one edit that replaces both.
func mergeable(before []plan.Operation, o plan.Operation) (at int, merged plan.Operation, ok bool) {
	later, ok := editOf(o)
	if !ok {
		return 0, merged, false
	}
	for at = len(before) - 1; at >= 0; at-- {
		if p := before[at].Path; p == o.Path || p == "" && !before[at].IsCommand() {
			break
		}
	}
	if at < 0 || before[at].Step != o.Step || before[at].Path != o.Path {
		return 0, merged, false
	}
	first, ok := editOf(before[at])
	if !ok || later.Old != first.New {
		return 0, merged, false
	}
	first.New = later.New
	args, err := json.Marshal(first)
	if err != nil {
		return 0, merged, false // strings only
	}
	merged = before[at]
	merged.Args = args
	return at, merged, true
}

// changesNothing reports whether an edit replaces a text with the same text.
func changesNothing(o plan.Operation) bool {
	r, ok := editOf(o)
	return ok && r.Old == r.New
}

// replacement has the arguments of an edit_file that replaces one text.
type replacement struct {
	Path string `json:"path"`
	Old  string `json:"old_string"`
	New  string `json:"new_string"`
	Step string `json:"step,omitempty"`
}

// editOf reads the arguments of an operation that replaces one text by another.
func editOf(o plan.Operation) (replacement, bool) {
	var r replacement
	if o.Tool != "edit_file" || o.ID != "" {
		return r, false
	}
	d := json.NewDecoder(bytes.NewReader(o.Args))
	d.DisallowUnknownFields() // such as replace_all
	err := d.Decode(&r)
	return r, err == nil && r.Old != ""
}
