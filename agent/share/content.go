package share

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// contentOf returns the content hash of a revision: "sha256:" and the hexadecimal SHA-256 of the
// canonical JSON (RFC 8785) of
//
//	{"plan": the plan's id, "parent": the parent's content hash or "", "revision": the revision}
//
// as a file has it, without its number, its parent's, the person and the hashes. So it covers what will
// happen, by names of texts, and also the words, the author's kind and the time; and it is the same
// wherever the plan is. An approval hash ([plan.ApprovalHash]) covers what will happen together with
// the plan's number, the revision's number, and the permissions and charsets of the files here: what
// was shown to one user in one workspace.
func contentOf(id, parent string, r *Revision) (string, error) {
	bare := *r
	bare.Revision, bare.Parent, bare.Content, bare.Hash, bare.By = 0, 0, "", "", ""
	return hashOf(struct {
		Plan     string   `json:"plan"`
		Parent   string   `json:"parent"`
		Revision Revision `json:"revision"`
	}{id, parent, bare})
}

// idOf returns the id of a decision.
func (d Decision) idOf() (string, error) {
	d.ID, d.Revision, d.By = "", 0, ""
	return hashOf(d)
}

// idOf returns the id of a trial.
func (t Trial) idOf() (string, error) {
	t.ID, t.Revision, t.By, t.Output = "", 0, "", ""
	return hashOf(t)
}

// hashOf returns the hash of the canonical JSON of v.
func hashOf(v any) (string, error) {
	data, err := canonical(v)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func canonical(v any) ([]byte, error) {
	data, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		return nil, err
	}
	doc := jsontext.Value(data)
	err = doc.Canonicalize(jsontext.CanonicalizeRawInts(false))
	return doc, err
}

// keyOf returns the canonical JSON of v, by which things without an id are known. v is from a
// document that was read or made, so it can be written.
func keyOf(v any) string {
	data, err := canonical(v)
	if err != nil {
		panic("share: a document cannot be written: " + err.Error())
	}
	return string(data)
}

// contents returns the content hash of each revision, of a document whose parents come before
// their children.
func (d *Document) contents() ([]string, error) {
	out := make([]string, len(d.Revisions))
	for i := range d.Revisions {
		parent := ""
		if n := d.Revisions[i].Parent; n > 0 {
			parent = out[n-1]
		}
		var err error
		if out[i], err = contentOf(d.ID, parent, &d.Revisions[i]); err != nil {
			return nil, fmt.Errorf("revision %d cannot be written as JSON: %w", d.Revisions[i].Revision, err)
		}
	}
	return out, nil
}

// arrange puts the lists of a document into their order, and numbers the revisions by it: each after
// its parent, else by time and content hash. The revisions have their content hashes, and numbers of
// which each parent's is lower; what is about a revision has its content hash.
func (d *Document) arrange() {
	old := d.Revisions
	children, ready := make(map[int][]int, len(old)), []int{}
	for i := range old {
		if old[i].Parent == 0 {
			ready = append(ready, i)
		} else {
			children[old[i].Parent-1] = append(children[old[i].Parent-1], i)
		}
	}
	current := old[d.Current-1].Content
	number := make([]int, len(old)+1) // the new number, by the old
	d.Revisions = make([]Revision, 0, len(old))
	before := func(x, y int) int {
		return cmp.Or(old[x].Created.Compare(old[y].Created), strings.Compare(old[x].Content, old[y].Content))
	}
	slices.SortFunc(ready, before)
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		number[i+1] = len(d.Revisions) + 1
		r := old[i]
		r.Revision, r.Parent = number[i+1], number[r.Parent]
		d.Revisions = append(d.Revisions, r)
		for _, child := range children[i] {
			at, _ := slices.BinarySearchFunc(ready, child, before)
			ready = slices.Insert(ready, at, child)
		}
	}
	numbers := d.numbers()
	d.Current = numbers[current]
	d.arrangeSaid(numbers)
	d.arrangeTexts()
}

// numbers returns the number of each revision by its content hash.
func (d *Document) numbers() map[string]int {
	numbers := make(map[string]int, len(d.Revisions))
	for i := range d.Revisions {
		numbers[d.Revisions[i].Content] = d.Revisions[i].Revision
	}
	return numbers
}

// arrangeSaid orders what was said about the revisions, by time, and numbers it.
func (d *Document) arrangeSaid(numbers map[string]int) {
	for i := range d.Decisions {
		d.Decisions[i].Revision = numbers[d.Decisions[i].Content]
	}
	for i := range d.Comments {
		d.Comments[i].Revision = numbers[d.Comments[i].Content]
	}
	for i := range d.Trials {
		d.Trials[i].Revision = numbers[d.Trials[i].Content]
	}
	for i := range d.Problems {
		d.Problems[i].Revision = numbers[d.Problems[i].Content]
	}
	slices.SortFunc(d.Decisions, func(x, y Decision) int { return cmp.Or(x.At.Compare(y.At), strings.Compare(x.ID, y.ID)) })
	slices.SortFunc(d.Comments, func(x, y Comment) int {
		return cmp.Or(x.Time.Compare(y.Time), strings.Compare(x.ID, y.ID), strings.Compare(x.key(), y.key()))
	})
	slices.SortFunc(d.Trials, func(x, y Trial) int { return cmp.Or(x.At.Compare(y.At), strings.Compare(x.ID, y.ID)) })
	slices.SortFunc(d.Problems, func(x, y Report) int { return cmp.Or(x.At.Compare(y.At), strings.Compare(x.key(), y.key())) })
	slices.SortFunc(d.Conversation, func(x, y Exchange) int { return cmp.Or(x.At.Compare(y.At), strings.Compare(keyOf(x), keyOf(y))) })
}

// arrangeTexts leaves the texts that revisions name, in the order in which they do.
func (d *Document) arrangeTexts() {
	texts := make(map[string]Text, len(d.Texts))
	for _, t := range d.Texts {
		texts[t.Name] = t
	}
	d.Texts = []Text{}
	for i := range d.Revisions {
		for _, c := range d.Revisions[i].Changes {
			for _, name := range []string{c.Base, c.Proposed} {
				if t, ok := texts[name]; ok {
					d.Texts = append(d.Texts, t)
					delete(texts, name)
				}
			}
		}
	}
}

// key is what a comment is known by: two with one id that say different things are two.
func (c Comment) key() string {
	c.Revision, c.Author, c.Done = 0, "", false
	return keyOf(c)
}

// key is what a report is known by.
func (r Report) key() string {
	r.Revision = 0
	return keyOf(r)
}
