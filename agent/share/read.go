package share

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"redline/agent/plan"
	"redline/internal/phrase"
)

// Rules are the checks of a file, apart from its format.
type Rules struct {
	Clean   func(name string) (string, error) // the path of a file that a plan may touch
	Secret  func(path string) bool            // whether the file may hold secrets
	Tool    func(name string) bool            // whether a plan may have operations of the tool
	MaxText int64                             // bytes of a text
}

// Imported is what an import makes a plan from.
type Imported struct {
	Goal          string
	Revision      plan.Revision // without number, hash and names of hunks
	Texts         map[plan.Blob]string
	NextOperation int
}

// Read returns the plan in a file: its current revision, undecided. Its error continues a
// sentence that begins with the file's name.
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
	var current *plan.Revision
	for i := range d.Revisions {
		r := &d.Revisions[i]
		if r.Revision != i+1 || r.Parent < 0 || r.Parent > i {
			return nil, fmt.Errorf("has revisions that are not numbered from 1, each after its parent")
		}
		made, err := c.revision(r)
		if err != nil {
			return nil, fmt.Errorf("is not a plan that can be imported: in revision %d %w", r.Revision, err)
		}
		if r.Revision == d.Current {
			current = &made
		}
	}
	switch {
	case current == nil:
		return nil, fmt.Errorf("has no revision %d, which it says is the current one", d.Current)
	case current.TextOnly && len(current.Changes)+len(current.Operations) > 0:
		return nil, errors.New("has a plan that is in words only and has operations")
	case current.TextOnly:
	case len(current.Changes) == 0 && len(current.Operations) == 0:
		return nil, errors.New("has a plan in it that does nothing")
	}
	out := &Imported{Goal: phrase.OneLine(d.Goal), Revision: *current, Texts: map[plan.Blob]string{}}
	for i := range current.Changes {
		for _, blob := range []plan.Blob{current.Changes[i].Base, current.Changes[i].Proposed} {
			out.Texts[blob] = c.texts[blob]
		}
	}
	for _, o := range current.Operations {
		out.NextOperation = max(out.NextOperation, number(o.ID))
	}
	return out, nil
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
	case kind.Version != Version:
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
