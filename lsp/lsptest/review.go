package lsptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Proposal is one change of an edit that needs confirmation, as the editor's review shows it: a text
// edit, or a file operation by its kind.
type Proposal struct {
	Kind        string // "edit", "create", "rename" or "delete"
	Path        string // of the file as it is now
	Label       string
	Description string
	NewText     string // of an edit
}

// changeAnnotation is what a review shows for the changes that name it.
type changeAnnotation struct {
	Label             string `json:"label"`
	NeedsConfirmation bool   `json:"needsConfirmation"`
	Description       string `json:"description"`
}

// needsConfirmation reports whether the user must confirm some change of the edit.
func (e WorkspaceEdit) needsConfirmation() bool {
	for _, a := range e.ChangeAnnotations {
		if a.NeedsConfirmation {
			return true
		}
	}
	return false
}

// review shows an edit to the user, and makes the changes they tick. A document that changed in the
// meantime is a conflict: then review makes no change.
func (in incoming) review(edit WorkspaceEdit) (Answer, error) {
	changes, proposals, err := in.proposals(edit)
	if err != nil {
		return Answer{}, err
	}
	script := in.e.scripts.onReview.now()
	in.e.documents.mu.Lock()
	for i, c := range changes {
		if c.Kind == "" && err == nil {
			err = in.e.checkVersion(i, c)
		}
	}
	versions := in.e.versions(edit)
	in.e.documents.mu.Unlock()
	if err != nil {
		return Answer{Applied: false}, nil
	}
	var ticked []bool
	if script != nil {
		ticked = script(proposals)
	}
	in.e.documents.mu.Lock()
	conflict := !slices.Equal(versions, in.e.versions(edit))
	in.e.documents.mu.Unlock()
	if conflict || !slices.Contains(ticked, true) {
		return Answer{Applied: false}, nil
	}
	picked, err := pick(changes, ticked)
	if err != nil {
		return Answer{}, err
	}
	answer := in.e.Apply(WorkspaceEdit{DocumentChanges: picked})
	return Answer{Applied: answer.Applied}, nil
}

// proposals lists the changes of an edit one by one. It fails on a change that names an unknown
// annotation, and on an edit without documentChanges.
func (in incoming) proposals(edit WorkspaceEdit) (changes []documentChange, all []Proposal, err error) {
	if edit.DocumentChanges == nil {
		return nil, nil, errors.New("only documentChanges can be reviewed")
	}
	add := func(kind, uri, annotation, text string) error {
		a, ok := edit.ChangeAnnotations[annotation]
		if !ok {
			return fmt.Errorf("the %s of %s names the annotation %q, which is not there", kind, uri, annotation)
		}
		path, err := in.e.keyOf(uri)
		all = append(all, Proposal{kind, path, a.Label, a.Description, text})
		return err
	}
	for _, raw := range edit.DocumentChanges {
		var c documentChange
		if err := json.Unmarshal(raw, &c); err != nil {
			return nil, nil, err
		}
		changes = append(changes, c)
		if c.Kind != "" {
			if err := add(c.Kind, c.URI+c.OldURI, c.AnnotationID, ""); err != nil {
				return nil, nil, err
			}
		}
		for _, t := range c.Edits {
			if err := add("edit", c.TextDocument.URI, t.AnnotationID, t.NewText); err != nil {
				return nil, nil, err
			}
		}
	}
	return changes, all, nil
}

// pick returns the changes with something ticked, reduced to that. The versions are already checked.
func pick(changes []documentChange, ticked []bool) (picked []json.RawMessage, err error) {
	next := func() bool {
		is := len(ticked) > 0 && ticked[0]
		ticked = ticked[min(1, len(ticked)):]
		return is
	}
	for _, c := range changes {
		if c.Kind != "" && !next() {
			continue
		}
		c.Edits = slices.DeleteFunc(c.Edits, func(textEdit) bool { return !next() })
		if c.Kind == "" && len(c.Edits) == 0 {
			continue
		}
		c.TextDocument.Version = json.RawMessage("null")
		raw, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		picked = append(picked, raw)
	}
	return picked, nil
}

// versions returns the versions of the documents that an edit names, 0 for one that is not open; the
// caller holds d.mu.
func (d *documents) versions(edit WorkspaceEdit) []int {
	var all []int
	for _, uri := range edit.URIs() {
		version := 0
		if key, err := d.keyOf(uri); err == nil {
			if b, ok := d.buffers[key]; ok {
				version = b.version
			}
		}
		all = append(all, version)
	}
	return all
}
