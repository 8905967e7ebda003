package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"redline/edits/charset"
)

// ApprovalHash returns the hash that binds an approval to a revision: "sha256:" and the
// hexadecimal SHA-256 of everything that will happen, as canonical JSON
// (https://www.rfc-editor.org/rfc/rfc8785), such as {"changes":[…],"description":"fix the sum",…}. The
// members of that JSON, always present except for the last two:
//
//	plan         number of the plan
//	revision     number of the revision
//	description  what is to be done
//	textOnly     whether approval only lets the model work out the operations
//	predicted    text-only: the paths to be expected
//	operations   in order; of each id, step, tool, path, command and args,
//	             which is the canonical JSON of the arguments as a string
//	changes      in order; of each path, newPath, action, mode, whether there
//	             was a file (baseExists), the names of the base and the
//	             proposed text, which are their SHA-256, and the charset if it
//	             is not UTF-8
//	  hunks      of each id and the bytes it takes in both texts (old, new:
//	             [start, end]), since an approval may name hunks
//	conditions   in order, of the steps that have one, absent if none has: of each
//	             step, on (the step that it waits for), outcome and outputMatches
//	parallel     in order, the commands that run at the same time, a list of ids for
//	             each group, absent if there is none
//
// It leaves out parent, author, time, the words of steps, what the turn left undone, whether
// the model reports on the commands and matching steps, since they change nothing that happens; also
// which operation made which hunk, since that follows from the operations and the texts. The hash does not depend on
// the order of members, the spaces or the spelling of strings in args; integers keep all
// their digits, even where RFC 8785 would round them, because a tool would see them.
// Absent args are null. A string that is not UTF-8, and args that are not JSON, are
// written as {"bytes": hex}, so that no two of them look alike.
func ApprovalHash(planNumber int, r *Revision) string {
	doc, err := json.Marshal(approvedJSON{
		Plan: planNumber, Revision: r.Number,
		Description: str(r.Description), TextOnly: r.TextOnly, Predicted: each(r.Predicted, str),
		Operations: each(r.Operations, operationForm), Changes: each(r.Changes, changeForm),
		Conditions: conditionForms(r.Steps), Parallel: parallelForms(r),
	})
	if err == nil {
		doc, err = canonical(doc)
	}
	if err != nil {
		panic("plan: approval form is not JSON: " + err.Error()) // all its parts are made here, so they can be encoded
	}
	sum := sha256.Sum256(doc)
	return "sha256:" + hex.EncodeToString(sum[:])
}

type approvedJSON struct {
	Plan        int             `json:"plan"`
	Revision    int             `json:"revision"`
	Description any             `json:"description"`
	TextOnly    bool            `json:"textOnly"`
	Predicted   []any           `json:"predicted"`
	Operations  []operationJSON `json:"operations"`
	Changes     []changeJSON    `json:"changes"`

	Conditions []conditionJSON `json:"conditions,omitempty"`
	Parallel   [][]any         `json:"parallel,omitempty"`
}

type operationJSON struct {
	ID      any `json:"id"`
	Step    any `json:"step"`
	Tool    any `json:"tool"`
	Path    any `json:"path"`
	Command any `json:"command"`
	Args    any `json:"args"`
}

type changeJSON struct {
	Path       any        `json:"path"`
	NewPath    any        `json:"newPath"`
	Action     any        `json:"action"`
	Mode       uint32     `json:"mode"`
	BOM        bool       `json:"bom,omitempty"`
	Charset    any        `json:"charset,omitempty"`
	BaseExists bool       `json:"baseExists"`
	Base       any        `json:"base"`
	Proposed   any        `json:"proposed"`
	Hunks      []hunkJSON `json:"hunks"`
}

type hunkJSON struct {
	ID  any    `json:"id"`
	Old [2]int `json:"old"`
	New [2]int `json:"new"`
}

type conditionJSON struct {
	Step          any `json:"step"`
	On            any `json:"on"`
	Outcome       any `json:"outcome"`
	OutputMatches any `json:"outputMatches"`
}

func conditionForms(steps []Step) (out []conditionJSON) {
	for _, s := range steps {
		if c := s.When; c != nil {
			out = append(out, conditionJSON{Step: str(s.ID), On: str(c.Step), Outcome: str(string(c.Outcome)), OutputMatches: str(c.OutputMatches)})
		}
	}
	return out
}

func parallelForms(r *Revision) (out [][]any) {
	for _, group := range r.Parallel() {
		out = append(out, each(group, str))
	}
	return out
}

func operationForm(o Operation) operationJSON {
	form := operationJSON{ID: str(o.ID), Step: str(o.Step), Tool: str(o.Tool), Path: str(o.Path), Command: str(o.Command)}
	if len(o.Args) == 0 {
		form.Args = "null"
	} else if args, err := canonical(slices.Clone(o.Args)); err == nil {
		form.Args = string(args)
	} else {
		form.Args = inHex(string(o.Args))
	}
	return form
}

func changeForm(c Change) changeJSON {
	form := changeJSON{
		Path: str(c.Path), NewPath: str(c.NewPath), Action: str(string(c.Action)), Mode: c.Mode, BOM: c.BOM, BaseExists: c.BaseExists,
		Base: str(string(c.Base)), Proposed: str(string(c.Proposed)), Hunks: each(c.Hunks, hunkForm),
	}
	if c.Charset != charset.UTF8 {
		form.Charset = str(string(c.Charset))
	}
	return form
}

func hunkForm(h Hunk) hunkJSON {
	return hunkJSON{ID: str(h.ID), Old: [2]int{h.Old.Start, h.Old.End}, New: [2]int{h.New.Start, h.New.End}}
}

// CheckArgs refuses JSON arguments that no approval can be bound to, because JSON parsers
// differ on their meaning (RFC 8259, sections 4 and 8.2). The error is one sentence for
// the model.
func CheckArgs(args json.RawMessage) error {
	v := jsontext.Value(args)
	switch {
	case v.IsValid():
		return nil
	case v.IsValid(jsontext.AllowInvalidUTF8(true)):
		return errors.New(`an argument is not text: it holds half of a surrogate pair (like \ud800) or bytes that are not UTF-8; give the character whole, or leave it out`)
	}
	return errors.New("an argument is given twice; give each once")
}

// canonical makes doc canonical in place. It fails if doc is not one JSON value, or has a
// duplicate member name or a string that is not UTF-8.
func canonical(doc []byte) ([]byte, error) {
	v := jsontext.Value(doc)
	err := v.Canonicalize(jsontext.CanonicalizeRawInts(false))
	return v, err
}

func str(s string) any {
	if utf8.ValidString(s) {
		return s
	}
	return inHex(s)
}

func inHex(s string) any { return map[string]string{"bytes": hex.EncodeToString([]byte(s))} }

// each returns the form of every item; for no items, an empty list, never null.
func each[T, F any](items []T, form func(T) F) []F {
	out := make([]F, len(items))
	for i, item := range items {
		out[i] = form(item)
	}
	return out
}
