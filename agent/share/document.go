// Package share writes a plan to a file that others can read, and reads such a file back
// as a plan. A file is untrusted: share checks all of it, and nothing in it can approve
// anything. docs/reference/plan-format.md describes the format.
package share

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"redline/agent/plan"
	"redline/internal/phrase"
)

// The format and version that a file names. Files of version 1 have no id.
const (
	Format  = "redline-plan"
	Version = 2
)

// MaxSize is the largest size of a file, in bytes.
const MaxSize = 64 << 20

// Document is the content of a file. Its lists are in the order of the plan, so that a
// diff of two files shows how the plans differ.
type Document struct {
	Format    string     `json:"format"`
	Version   int        `json:"version"`
	ID        string     `json:"id,omitzero"` // the plan's own everywhere
	Plan      int        `json:"plan"`        // its number where it was exported
	Goal      string     `json:"goal"`
	State     string     `json:"state"`
	Rating    int        `json:"rating,omitzero"`
	Created   time.Time  `json:"created"`
	Current   int        `json:"current"` // number of the revision to decide on
	Revisions []Revision `json:"revisions"`
	Decisions []Decision `json:"decisions"` // for reading, like progress
	Progress  Progress   `json:"progress"`
	Texts     []Text     `json:"texts"` // in the order in which revisions name them
}

// Revision is one version of the plan.
type Revision struct {
	Revision    int              `json:"revision"`
	Parent      int              `json:"parent"`
	Author      string           `json:"author"`
	Created     time.Time        `json:"created"`
	Note        string           `json:"note,omitzero"`
	Hash        string           `json:"hash"` // of the plan where it was exported
	Description string           `json:"description"`
	TextOnly    bool             `json:"textOnly,omitzero"`
	Predicted   []string         `json:"predicted,omitempty"`
	Steps       []plan.Step      `json:"steps"`
	Operations  []plan.Operation `json:"operations"`
	Changes     []Change         `json:"changes"`
	Unfinished  *plan.Unfinished `json:"unfinished,omitempty"`
}

// Change is what a revision does to one file.
type Change struct {
	Path       string   `json:"path"`
	NewPath    string   `json:"newPath,omitzero"`
	Action     string   `json:"action"`
	Base       string   `json:"base"`     // name of a text
	Proposed   string   `json:"proposed"` // name of a text
	BaseExists bool     `json:"baseExists"`
	Mode       uint32   `json:"mode"`
	BOM        bool     `json:"bom,omitzero"`
	Operations []string `json:"operations"`
	MovedBy    []string `json:"movedBy,omitempty"`
	Hunks      []Hunk   `json:"hunks"`
}

// Hunk is one contiguous piece of a change: bytes of the two texts.
type Hunk struct {
	ID         string   `json:"id"`
	Old        [2]int   `json:"old"` // start and end in base
	New        [2]int   `json:"new"` // start and end in proposed
	Match      string   `json:"match,omitzero"`
	Operations []string `json:"operations,omitempty"`
}

// Decision is a decision made where the plan was exported.
type Decision struct {
	Revision  int       `json:"revision"`
	Verdict   string    `json:"verdict"`
	Path      string    `json:"path,omitzero"`
	Hunks     []string  `json:"hunks,omitempty"`
	Stale     []string  `json:"stale,omitempty"`
	Operation string    `json:"operation,omitzero"`
	Reason    string    `json:"reason,omitzero"`
	Who       string    `json:"who"`
	Client    string    `json:"client"`
	At        time.Time `json:"at"`
}

// Progress is the progress of the current revision where it was exported.
type Progress struct {
	Files    []Status `json:"files"`
	Hunks    []Status `json:"hunks"`
	Commands []Status `json:"commands"`
}

// Status is the status of one file, hunk or command; the id of a file is its path.
type Status struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Reason string `json:"reason,omitzero"`
}

// Text is a base or proposed text and its name, which is its SHA-256. Its lines keep
// their ends.
type Text struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// Rules are the checks of a file, apart from its format.
type Rules struct {
	Clean   func(name string) (string, error) // the path of a file that a plan may touch
	Secret  func(path string) bool            // whether the file may hold secrets
	Tool    func(name string) bool            // whether a plan may have operations of the tool
	MaxText int64                             // bytes of a text
	LimitOf func(path string) int64           // bytes of a text of a file, at most MaxText
}

// Imported is what an import makes a plan from.
type Imported struct {
	ID            string // "" of a file that has none
	Goal          string
	Revisions     []plan.Revision // oldest first, to be added in this order: without number and hash; a hunk has the name that its parent knows it by
	Texts         map[plan.Blob]string
	NextOperation int
}

// Read returns the plan in a file: its revisions, undecided, the current one last. Its error continues
// a sentence that begins with the file's name.
func Read(data []byte, rules Rules) (*Imported, error) {
	d, err := decode(data)
	if err != nil {
		return nil, err
	}
	c := &checker{rules: rules, texts: make(map[plan.Blob]string, len(d.Texts))}
	if err := c.takeTexts(d.Texts); err != nil {
		return nil, err
	}
	if err := bounded("the goal", d.Goal, maxGoal); err != nil {
		return nil, err
	}
	if d.ID != "" && !planID().MatchString(d.ID) {
		return nil, fmt.Errorf("has %s, which is not the id of a plan", short(d.ID))
	}
	out := &Imported{ID: d.ID, Goal: phrase.OneLine(d.Goal), Texts: map[plan.Blob]string{}}
	for i := range d.Revisions {
		r := &d.Revisions[i]
		if r.Revision != i+1 || r.Parent < 0 || r.Parent > i {
			return nil, fmt.Errorf("has revisions that are not numbered from 1, each after its parent")
		}
		made, err := c.revision(r)
		if err != nil {
			return nil, fmt.Errorf("is not a plan that can be imported: in revision %d %w", r.Revision, err)
		}
		made.Parent = r.Parent
		out.take(&made, c.texts)
	}
	if d.Current < 1 || d.Current > len(out.Revisions) {
		return nil, fmt.Errorf("has no revision %d, which it says is the current one", d.Current)
	}
	current := out.Revisions[d.Current-1]
	switch {
	case current.TextOnly && len(current.Changes)+len(current.Operations) > 0:
		return nil, errors.New("has a plan that is in words only and has operations")
	case current.TextOnly:
	case len(current.Changes) == 0 && len(current.Operations) == 0:
		return nil, errors.New("has a plan in it that does nothing")
	}
	if d.Current < len(out.Revisions) { // the newest is the one to decide on
		current.Parent = d.Current
		out.take(&current, c.texts)
	}
	return out, nil
}

// take adds a revision with its texts.
func (in *Imported) take(r *plan.Revision, texts map[plan.Blob]string) {
	in.Revisions = append(in.Revisions, *r)
	for i := range r.Changes {
		for _, blob := range []plan.Blob{r.Changes[i].Base, r.Changes[i].Proposed} {
			in.Texts[blob] = texts[blob]
		}
	}
	for _, o := range r.Operations {
		in.NextOperation = max(in.NextOperation, number(o.ID))
	}
}

// decode reads the JSON of a file. It checks the format and version first: a newer
// version may differ.
func decode(data []byte) (*Document, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("is larger than %d MiB, which no plan file may be", MaxSize>>20)
	}
	var kind struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	switch err := jsonv2.Unmarshal(data, &kind); {
	case err != nil:
		return nil, fmt.Errorf("is not a plan file: %w", plain(err))
	case kind.Format != Format:
		return nil, fmt.Errorf("is not a plan file: its format is not %q", Format)
	case kind.Version > Version:
		return nil, fmt.Errorf("was written by a newer Redline (version %d of the format, this one knows %d): update Redline", kind.Version, Version)
	case kind.Version < 1:
		return nil, fmt.Errorf("has version %d of the format, which there never was", kind.Version)
	}
	d := new(Document)
	if err := jsonv2.Unmarshal(data, d, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("is not a plan file: %w", plain(err))
	}
	return d, nil
}

// plain describes what is wrong with JSON, in a few words and without Go types.
func plain(err error) error {
	if at, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		if errors.Is(err, jsonv2.ErrUnknownName) {
			return fmt.Errorf("it has a member that is not known, %s", at.JSONPointer)
		}
		return fmt.Errorf("%s is not what it has to be", at.JSONPointer)
	}
	if at, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("it is not JSON at byte %d", at.ByteOffset)
	}
	return errors.New("it is not JSON")
}

// takeTexts adds the texts, and checks that each matches its name.
func (c *checker) takeTexts(texts []Text) error {
	for _, t := range texts {
		size := int64(0)
		for _, line := range t.Lines {
			size += int64(len(line))
		}
		if size > c.rules.MaxText {
			return fmt.Errorf("has a text of more than %d bytes, which is more than a file may have here", c.rules.MaxText)
		}
		text := strings.Join(t.Lines, "")
		if plan.BlobOf(text) != plan.Blob(t.Name) {
			return fmt.Errorf("was changed or damaged: a text in it is not %s", short(t.Name))
		}
		c.texts[plan.Blob(t.Name)] = text
	}
	return nil
}

// bounded refuses words that are too long or not valid text.
func bounded(what, s string, most int) error {
	switch {
	case len(s) > most:
		return fmt.Errorf("%s has more than %d bytes", what, most)
	case !utf8.ValidString(s):
		return fmt.Errorf("%s is not valid UTF-8", what)
	}
	return nil
}

// short quotes the start of a text from the file.
func short(s string) string { return fmt.Sprintf("%q", phrase.Start(s, 80)) }

// unfinished checks the file's list of what a turn left undone: texts of one line each, which
// have no effect.
func unfinished(in *plan.Unfinished) (plan.Unfinished, error) {
	if in == nil {
		return plan.Unfinished{}, nil
	}
	if len(in.Refused) > maxItems {
		return plan.Unfinished{}, fmt.Errorf("there are more than %d refused calls", maxItems)
	}
	words := []string{in.Stopped, in.NotTaken}
	for _, f := range in.Refused {
		words = append(words, f.Path, f.Reason, f.Tool)
	}
	for _, w := range words {
		if err := bounded("what was left undone", w, maxGoal); err != nil {
			return plan.Unfinished{}, err
		}
	}
	out := plan.Unfinished{Stopped: phrase.OneLine(in.Stopped), NotTaken: phrase.OneLine(in.NotTaken)}
	for _, f := range in.Refused {
		out.Refused = append(out.Refused, plan.Refused{Path: phrase.OneLine(f.Path), Reason: phrase.OneLine(f.Reason), Tool: phrase.OneLine(f.Tool)})
	}
	return out, nil
}
