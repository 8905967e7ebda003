package share

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"

	"redline/agent/plan"
)

// Into adds to a plan the revisions of a document that it does not have, and returns their numbers in it.
// If the document's current revision was made from the plan's current one, it becomes the current one.
// Otherwise the plan keeps its own: what both have made is beside each other. prepare completes a revision
// before it is added.
func (in *Imported) Into(p *plan.Plan, text func(plan.Blob) string, prepare func(*plan.Revision)) (added []int) {
	d := in.Document
	ours := map[string]int{} // the number in the plan, by content hash
	for i := range p.Revisions {
		if hash := p.Revisions[i].Content; hash != "" {
			ours[hash] = p.Revisions[i].Number
		}
	}
	path := in.pathFrom(p)
	names := make([]naming, len(d.Revisions)) // the names in the plan, by those in the document
	for i := range d.Revisions {
		theirs := &d.Revisions[i]
		n := naming{map[string]string{}, map[string]string{}}
		if theirs.Parent > 0 {
			n = naming{names[theirs.Parent-1].hunks, maps.Clone(names[theirs.Parent-1].operations)}
		}
		number, known := ours[theirs.Content]
		if !known {
			r := in.Revisions[i]
			r.Parent = 0
			if theirs.Parent > 0 {
				r.Parent = ours[d.Revisions[theirs.Parent-1].Content]
			}
			r.Operations, r.Changes = renamed(p, &r, n)
			prepare(&r)
			var made *plan.Revision
			if path[i] {
				made = p.Add(r, text)
			} else {
				made = plan.AddBeside(p, r, text)
			}
			made.Content, number = theirs.Content, made.Number
			ours[theirs.Content] = number
			added = append(added, number)
		}
		here, _ := p.Revision(number)
		back := pair(here, theirs)
		n.hunks = map[string]string{}
		for local, name := range back.hunks {
			n.hunks[name] = local
		}
		for local, name := range back.operations {
			n.operations[name] = local
		}
		names[i] = n
	}
	return added
}

// pathFrom returns the revisions of the document that lead from the plan's current one to the document's
// current one, by index; none if it was not made from that.
func (in *Imported) pathFrom(p *plan.Plan) map[int]bool {
	from := ""
	if r, ok := p.Revision(p.Current); ok {
		if from = r.Content; from == "" {
			return nil
		}
	}
	path := map[int]bool{}
	for n := in.Document.Current; n > 0; n = in.Document.Revisions[n-1].Parent {
		if in.Document.Revisions[n-1].Content == from {
			return path
		}
		path[n-1] = true
	}
	if from == "" {
		return path
	}
	return nil
}

// renamed returns the operations and changes of a revision of a document with names for the plan. What the
// revision's parents have keeps its name; a hunk that is new has none yet; an operation that is new has
// one that the plan has not used.
func renamed(p *plan.Plan, r *plan.Revision, n naming) ([]plan.Operation, []plan.Change) {
	used := map[string]bool{}
	for i := range p.Revisions {
		for _, o := range p.Revisions[i].Operations {
			used[o.ID] = true
		}
	}
	last := p.NextOperation
	for _, o := range r.Operations {
		last = max(last, numberOf(o.ID))
	}
	operations := make([]plan.Operation, len(r.Operations))
	for i, o := range r.Operations {
		if name, ok := n.operations[o.ID]; ok {
			o.ID = name
		} else if name := o.ID; used[name] {
			last++
			o.ID = "o" + strconv.Itoa(last)
			n.operations[name] = o.ID
		} else {
			n.operations[name] = name
		}
		used[o.ID] = true
		operations[i] = o
		p.NextOperation = max(p.NextOperation, numberOf(o.ID))
	}
	ids := func(of []string) []string {
		if of == nil {
			return nil
		}
		out := make([]string, len(of))
		for i, id := range of {
			out[i] = n.operation(id)
		}
		return out
	}
	changes := make([]plan.Change, len(r.Changes))
	for i, c := range r.Changes {
		c.Operations, c.MovedBy = ids(c.Operations), ids(c.MovedBy)
		hunks := make([]plan.Hunk, len(c.Hunks))
		for k, h := range c.Hunks {
			h.ID, h.Operations = n.hunks[h.ID], ids(h.Operations)
			hunks[k] = h
		}
		c.Hunks = hunks
		changes[i] = c
	}
	return operations, changes
}

// Fresh is what a document has that another one of the plan does not.
type Fresh struct {
	Comments  []Comment
	Decisions []Decision
	Trials    []Trial
}

// Fresh returns what d has that before does not, which may be nil.
func (d *Document) Fresh(before *Document) Fresh {
	if before == nil {
		return Fresh{d.Comments, d.Decisions, d.Trials}
	}
	return Fresh{
		missing(d.Comments, before.Comments, Comment.key),
		missing(d.Decisions, before.Decisions, func(d Decision) string { return d.ID }),
		missing(d.Trials, before.Trials, func(t Trial) string { return t.ID }),
	}
}

// missing returns the items of all whose keys are not in known.
func missing[T any](all, known []T, key func(T) string) (out []T) {
	there := make(map[string]bool, len(known))
	for _, item := range known {
		there[key(item)] = true
	}
	for _, item := range all {
		if !there[key(item)] {
			out = append(out, item)
		}
	}
	return out
}

// Kept returns the document as a store keeps it, without texts: those are with the plan's revisions.
func (d *Document) Kept() (string, error) {
	out := *d
	out.Texts = []Text{}
	data, err := jsonv2.Marshal(&out, jsonv2.Deterministic(true))
	return string(data), err
}

// ReadKept reads what Kept has returned, nil of "".
func ReadKept(data string) (*Document, error) {
	if data == "" {
		return nil, nil
	}
	d := new(Document)
	if err := jsonv2.Unmarshal([]byte(data), d); err != nil {
		return nil, err
	}
	if err := d.check(); err != nil { // a store can be changed by others too
		return nil, err
	}
	return d, nil
}

// Leaves is what leaves with a document.
type Leaves struct {
	Files                                                            []LeavingFile // by path
	Revisions, Comments, Decisions, Trials, Outputs, Messages, Bytes int
}

// LeavingFile is a file whose texts leave.
type LeavingFile struct {
	Path  string
	Bytes int // of its texts in all revisions
}

// Leaves returns what leaves with the document. Bytes are those of all texts.
func (d *Document) Leaves() Leaves {
	size := make(map[string]int, len(d.Texts))
	l := Leaves{Revisions: len(d.Revisions), Comments: len(d.Comments), Decisions: len(d.Decisions), Trials: len(d.Trials), Messages: len(d.Conversation)}
	for _, t := range d.Texts {
		for _, line := range t.Lines {
			size[t.Name] += len(line)
		}
		l.Bytes += size[t.Name]
	}
	for _, t := range d.Trials {
		if t.Output != "" {
			l.Outputs++
		}
	}
	texts := map[string]map[string]bool{}
	for i := range d.Revisions {
		for _, c := range d.Revisions[i].Changes {
			for _, path := range []string{c.Path, cmp.Or(c.NewPath, c.Path)} {
				if texts[path] == nil {
					texts[path] = map[string]bool{}
				}
				texts[path][c.Base], texts[path][c.Proposed] = true, true
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		f := LeavingFile{Path: path}
		for name := range texts[path] {
			f.Bytes += size[name]
		}
		l.Files = append(l.Files, f)
	}
	return l
}
