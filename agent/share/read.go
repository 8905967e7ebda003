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
	LimitOf func(path string) int64           // bytes of a text of a file, at most MaxText
}

// Imported is what an import makes a plan from.
type Imported struct {
	Document  *Document // what was read
	Goal      string
	Revisions []plan.Revision // those of Document, in its order and with its names of hunks and operations; without number and hash
	Texts     map[plan.Blob]string
}

// Read returns the plan in a file, undecided. Its error continues a sentence that begins with the file's name.
func Read(data []byte, rules Rules) (*Imported, error) {
	d, err := Decode(data)
	if err != nil {
		return nil, err
	}
	return d.Under(rules)
}

// Under checks a document against the rules of a workspace, and returns the plan in it. Its error is as
// that of Read.
func (d *Document) Under(rules Rules) (*Imported, error) {
	c := &checker{rules: rules, texts: make(map[plan.Blob]string, len(d.Texts))}
	if err := c.takeTexts(d.Texts); err != nil {
		return nil, err
	}
	out := &Imported{Document: d, Goal: phrase.OneLine(d.Goal), Texts: map[plan.Blob]string{}}
	for i := range d.Revisions {
		r := &d.Revisions[i]
		made, err := c.revision(r)
		if err != nil {
			return nil, fmt.Errorf("is not a plan that can be imported: in revision %d %w", r.Revision, err)
		}
		out.take(&made, c.texts)
	}
	current := &out.Revisions[d.Current-1]
	switch {
	case current.TextOnly && len(current.Changes)+len(current.Operations) > 0:
		return nil, errors.New("has a plan that is in words only and has operations")
	case current.TextOnly:
	case len(current.Changes) == 0 && len(current.Operations) == 0:
		return nil, errors.New("has a plan in it that does nothing")
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
}

// Decode reads the JSON of a file and checks what needs no workspace: that each hash is that of what it
// names, and that everything is about something that is there. Of a file of an earlier version it makes
// one of this version. Its error is as that of Read.
func Decode(data []byte) (*Document, error) {
	d, err := decode(data)
	if err != nil {
		return nil, err
	}
	if err := bounded("the goal", d.Goal, maxGoal); err != nil {
		return nil, err
	}
	if d.ID != "" && !planID().MatchString(d.ID) {
		return nil, fmt.Errorf("has %s, which is not the id of a plan", short(d.ID))
	}
	if len(d.Revisions) > maxRevisions {
		return nil, fmt.Errorf("has more than %d revisions", maxRevisions)
	}
	for i := range d.Revisions {
		if r := &d.Revisions[i]; r.Revision != i+1 || r.Parent < 0 || r.Parent > i {
			return nil, errors.New("has revisions that are not numbered from 1, each after its parent")
		}
	}
	if d.Current < 1 || d.Current > len(d.Revisions) {
		return nil, fmt.Errorf("has no revision %d, which it says is the current one", d.Current)
	}
	for i := range d.Texts {
		t := &d.Texts[i]
		text := strings.Join(t.Lines, "")
		if plan.BlobOf(text) != plan.Blob(t.Name) {
			return nil, fmt.Errorf("was changed or damaged: a text in it is not %s", short(t.Name))
		}
		t.Lines = linesOf(text)
	}
	if d.Version < Version {
		err = d.upgrade()
	} else {
		err = d.check()
	}
	if err != nil {
		return nil, err
	}
	d.arrange()
	return d, nil
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

// takeTexts adds the texts, which match their names.
func (c *checker) takeTexts(texts []Text) error {
	for _, t := range texts {
		size := int64(0)
		for _, line := range t.Lines {
			size += int64(len(line))
		}
		if size > c.rules.MaxText {
			return fmt.Errorf("has a text of more than %d bytes, which is more than a file may have here", c.rules.MaxText)
		}
		c.texts[plan.Blob(t.Name)] = strings.Join(t.Lines, "")
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
