package draft

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/edits"
	"redline/edits/patch"
)

// A refused call is left undone unless the model makes it good. The path alone does not show
// whether it did, since another edit of the same file may have nothing to do with the refused one.
// A later call makes a refused one good if both hold:
//
//   - It belongs to a later reply, or to a specialist that begins later. A call of the same reply was
//     written before the model had read the refusal, so it is no answer to it, whichever comes first.
//   - It changes the same file, or the one that a wrong path meant, in the way of the refused
//     call: it adds half of the lines that the refused one would have added (or takes out half of
//     those that it would have taken out), changes most of the file, or takes the file away. A line
//     counts if it has most of the words, since a second attempt is seldom the same to the letter.
//
// Of a refusal in an earlier turn only the path is known. The user has read about it since and
// has said what is to be done, so there anything staged for the file counts.

// Undone is what a refused call was to do, or a part of one.
type Undone struct {
	plan.Refused
	NewPath string `json:"newPath,omitempty"` // where a file was to be moved
	Deletes bool   `json:"deletes,omitempty"` // the file was to be deleted
	Texts   []Text `json:"texts,omitempty"`   // the texts to replace; none if the call cannot be read
	Whole   int    `json:"whole,omitempty"`   // how many texts there were before some were made
}

// Text is one replacement in a file: without Old, New is added or is the whole text.
type Text struct {
	Old    string `json:"old,omitempty"`
	New    string `json:"new,omitempty"`
	Either bool   `json:"either,omitempty"` // New has lines of both, since the call cannot be read
}

// Tools that differ from the others: a second call of the one that writes a file anew is the first
// one again, and no file has what a command does.
const (
	writesWhole = "write_file"
	runsCommand = "run_command"
)

const (
	maxFirst   = 80   // bytes of a quoted line
	maxRefused = 200  // refusals in a draft
	maxLines   = 200  // lines of a text that are compared
	maxChanged = 2000 // changed lines that they are compared with
	fewWords   = 2    // a text with so many words is seldom in a file by chance
)

// refused is a call that was refused and not made good since.
type refused struct {
	Undone
	earlier bool     // in the turn that made the revision from which the draft was resumed
	told    bool     // the model has read it: what comes now may make it good
	alike   []string // the files that may have been meant, if there is none at that path
}

// is reports whether two refusals are the same.
func (r refused) is(other refused) bool {
	return r.Refused == other.Refused && r.earlier == other.earlier
}

// isAbout reports whether something staged for the file name can make the refused call good: it
// is the refused file, or one that the call may have meant by a path without a file.
func (r refused) isAbout(name string) bool {
	outside := strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "../")
	return r.Path == name || slices.Contains(r.alike, name) || outside && strings.HasSuffix(r.Path, "/"+name)
}

func hasRefused(all []refused, r refused) bool { return slices.ContainsFunc(all, r.is) }

// doing is what a call has done: to a file, or without one.
type doing struct {
	path, tool     string
	removed, added string // the texts of the file before and after, or the texts of a call that has no file
	gone           bool   // the file is no longer at its path
	movedTo        string // and is there
}

// after returns what is left of the refusal after something was done; ok is false if nothing is.
func (r refused) after(did doing) (left refused, ok bool) {
	switch {
	case !r.told && !r.earlier:
		return r, true
	case did.path == "":
		return r.afterCall(did)
	case r.earlier && r.Path == "" && r.Tool == plan.InAnswer:
		return r, false
	case r.Path == "" && (len(r.Texts) == 0 || r.Tool == runsCommand), r.Path != "" && !r.isAbout(did.path):
		if r.NewPath != "" && did.path == r.NewPath && !did.gone {
			return r, false
		}
		return r, true
	case r.earlier:
		return r, false
	case r.Deletes || r.NewPath != "":
		return r, !did.gone
	case len(r.Texts) == 0:
		return r, false
	case did.movedTo != "":
		r.alike = append(slices.Clip(r.alike), did.movedTo)
		if did.removed == did.added {
			return r, true
		}
	case did.gone:
		return r, r.Path == ""
	}
	c := changedLines(did.removed, did.added)
	if r.Path != "" && c.most() || r.Tool == writesWhole && did.tool == writesWhole {
		return r, false
	}
	return r.less(func(t Text) bool { return c.makes(t) })
}

// afterCall does what after does, for a call that is not about a file.
func (r refused) afterCall(did doing) (refused, bool) {
	switch {
	case r.Path != "" || r.Tool != did.tool:
		return r, true
	case len(r.Texts) == 0:
		return r, false
	}
	c := changedLines("", did.added)
	return r.less(func(t Text) bool { return c.makes(t) })
}

// less returns the refusal without the texts that are made; ok is false if none is left.
func (r refused) less(made func(Text) bool) (left refused, ok bool) {
	if len(r.Texts) == 0 {
		return r, true
	}
	r.Whole = max(r.Whole, len(r.Texts))
	r.Texts = slices.DeleteFunc(slices.Clone(r.Texts), made)
	return r, len(r.Texts) > 0
}

// said returns the refusal for the user.
func (r refused) said() plan.Refused {
	out := r.Refused
	if len(r.Texts) > 0 && len(r.Texts) < r.Whole {
		first, _, _ := strings.Cut(strings.TrimSpace(r.Texts[0].Old+"\n"+r.Texts[0].New), "\n")
		first = strings.ToValidUTF8(first[:min(len(first), maxFirst)], "")
		out.Reason = fmt.Sprintf("a part of it was not sent again, the change of %q", edits.VisibleLine(first))
	}
	return out
}

// Refuse records refused calls, unless the draft has what they were to do already. It forgets
// earlier refusals of the same thing, and all of an earlier turn for the same file.
func (draft *Draft) Refuse(all ...Undone) {
	d, done := draft.open()
	defer done()
	for _, u := range all {
		r := refused{Undone: u, alike: d.meantBy(u.Path)}
		if r, ok := d.unmade(r); ok {
			d.refuse(r)
		}
	}
}

func (d *content) refuse(r refused) {
	var left []refused
	for _, old := range d.refused {
		switch {
		case old.is(r):
		case old.earlier && old.isAbout(r.Path):
		case old.told && old.isRepeatedBy(r):
		default:
			left = append(left, old)
		}
	}
	if len(left) < maxRefused { // the plan is incomplete all the same
		left = append(left, r)
	}
	d.refused = left
}

// isRepeatedBy reports whether a later call, which was refused too, was to do the same.
func (r refused) isRepeatedBy(later refused) bool {
	switch {
	case r.Path != later.Path && !r.isAbout(later.Path) && r.Path != "":
		return false
	case r.Path == "" && r.Tool != later.Tool:
		return false
	case len(r.Texts) == 0 || len(later.Texts) == 0:
		return true
	}
	var removed, added strings.Builder
	for _, t := range later.Texts {
		removed.WriteString(t.Old + "\n")
		added.WriteString(t.New + "\n")
	}
	c := changedLines(removed.String(), added.String())
	return !slices.ContainsFunc(r.Texts, func(t Text) bool { return !c.makes(t) })
}

// Told records that the model has read the answers to its calls: what it stages from now on may
// make the refused ones good.
func (draft *Draft) Told() {
	d, done := draft.open()
	defer done()
	if !slices.ContainsFunc(d.refused, func(r refused) bool { return !r.told }) {
		return
	}
	d.refused = slices.Clone(d.refused) // forks share it
	for i := range d.refused {
		d.refused[i].told = true
	}
}

// Refused returns the calls that were refused and not made good, in order. With now set, it
// leaves out those of earlier turns.
func (draft *Draft) Refused(now bool) []plan.Refused {
	d, done := draft.open()
	defer done()
	var all []plan.Refused
	for _, r := range d.refused {
		if now && r.earlier {
			continue
		}
		if left, ok := d.unmade(r); ok {
			all = append(all, left.said())
		}
	}
	return all
}

// Unread returns those of the refused calls of the turn whose refusal the model has not read.
func (draft *Draft) Unread() []plan.Refused {
	d, done := draft.open()
	defer done()
	var all []plan.Refused
	for _, r := range d.refused {
		if !r.told {
			all = append(all, r.said())
		}
	}
	return all
}

// unmade returns a refusal without the texts that the draft has, whoever has put them there; ok
// is false if nothing is left of it.
func (d *content) unmade(r refused) (left refused, ok bool) {
	if r.Path == "" || len(r.Texts) == 0 || r.earlier {
		return r, true
	}
	f, known := d.files[r.Path]
	if !known {
		b, looked := d.bases[r.Path]
		f = &file{exists: looked && b.exists, text: b.text}
	}
	if !f.exists {
		return r, true
	}
	var now, before patch.Text
	now.Set(f.text)
	before.Set(d.bases[r.Path].text)
	return r.less(func(t Text) bool {
		if t.Old == "" {
			return !t.Either && patch.TrimLines(t.New) == patch.TrimLines(f.text)
		}
		c := patch.Chunk{Old: t.Old, New: t.New}
		switch {
		case c.Standing(&now, &before) == patch.Made:
			return true
		case len(wordsIn(t.New)) < fewWords:
			return false
		}
		return c.Standing(&now, nil) == patch.Made || strings.Count(f.text, t.New) == 1 && !strings.Contains(f.text, t.Old)
	})
}

// settle removes the refusals that a change has made good.
func (d *content) settle(did doing) {
	if len(d.refused) == 0 {
		return
	}
	var left []refused
	for _, r := range d.refused {
		if r, ok := r.after(did); ok {
			left = append(left, r)
		}
	}
	d.refused = left
}

// Did records that a call of a tool without a file has succeeded, with a text that tells it from
// others, such as the command. It may make good a refused call of the same tool.
func (draft *Draft) Did(tool, text string) {
	d, done := draft.open()
	defer done()
	d.settle(doing{tool: tool, added: text})
}

// Besides calls stage, which stages something that the model did not ask for, and keeps the
// refusals.
func (draft *Draft) Besides(stage func() error) error {
	was := copyOf(draft).refused
	err := stage()
	d, done := draft.open()
	defer done()
	d.refused = was
	return err
}

// joinRefused joins the refusals of several forks. A refusal from before the forks is made good if
// one of them has made it good: its model began after the refusal. A refusal in a fork counts,
// whatever the others did at the same time, since none of them has read it; only if the very text is
// in the joined draft is nothing left to do ([content.unmade]).
func (d *content) joinRefused(parts []*content) []refused {
	var all []refused
	for _, r := range d.refused {
		settled := false
		for _, p := range parts {
			i := slices.IndexFunc(p.refused, r.is)
			if settled = i < 0; settled {
				break
			}
			if len(p.refused[i].Texts) < len(r.Texts) {
				r = p.refused[i]
			}
		}
		if !settled {
			all = append(all, r)
		}
	}
	for _, p := range parts {
		for _, r := range p.refused {
			if !hasRefused(d.refused, r) && !hasRefused(all, r) {
				all = append(all, r)
			}
		}
	}
	return all
}

// Refusal is the reason why an operation cannot be staged: an answer, in one sentence, to the
// model that asked for it.
type Refusal struct {
	Path   string // "" if the reason is a sentence without it
	Reason string // what follows the path: "does not exist"
	Idle   bool   // there is nothing to do: the file is so already
}

func (r *Refusal) Error() string {
	if r.Path == "" {
		return r.Reason
	}
	return r.Path + " " + r.Reason
}

func refuse(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Reason: fmt.Sprintf(format, args...)}
}

// idle refuses an operation because there is nothing to do.
func idle(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Reason: fmt.Sprintf(format, args...), Idle: true}
}
