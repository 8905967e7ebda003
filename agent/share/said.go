package share

import (
	"errors"
	"fmt"
	"time"

	"redline/agent/plan"
	"redline/edits"
)

// Limits of what a file says about its plan.
const (
	maxRevisions = 2_000
	maxSaid      = 5_000     // decisions, comments, trials, reports or messages, each
	maxPerson    = 200       // bytes of a name and an address
	maxComment   = 8 << 10   // bytes
	maxWords     = 64 << 10  // bytes of what was printed, asked or answered
	maxLine      = 1_000_000 // the number of a line
)

// upgrade makes a document of one that was read from a file of an earlier version, which has no content
// hashes. It leaves out decisions on revisions that are not there.
func (d *Document) upgrade() error {
	if d.Version == 1 {
		d.ID = ""
	}
	hashes, err := d.contents()
	if err != nil {
		return err
	}
	d.Version, d.Progress.Hash = Version, ""
	for i := range d.Revisions {
		d.Revisions[i].Content, d.Revisions[i].Hash = hashes[i], ""
	}
	decisions := d.Decisions
	d.Decisions = []Decision{}
	known := map[string]bool{}
	for _, one := range decisions {
		if one.Revision < 1 || one.Revision > len(hashes) {
			continue
		}
		one.Content = hashes[one.Revision-1]
		if one.ID, err = one.idOf(); err != nil {
			return err
		}
		if !known[one.ID] {
			known[one.ID] = true
			d.Decisions = append(d.Decisions, one)
		}
	}
	d.Comments, d.Trials, d.Problems, d.Conversation = nil, nil, nil, nil // versions before had none
	return d.check()
}

// check checks the content hashes of a document and what it says about its revisions.
func (d *Document) check() error {
	hashes, err := d.contents()
	if err != nil {
		return err
	}
	revisions := make(map[string]*Revision, len(hashes))
	for i := range d.Revisions {
		r := &d.Revisions[i]
		switch {
		case r.Content != hashes[i]:
			return fmt.Errorf("was changed or damaged: revision %d does not have the content hash %s", r.Revision, short(r.Content))
		case revisions[r.Content] != nil:
			return fmt.Errorf("has revision %d twice", r.Revision)
		case r.Hash != "":
			return errors.New("has the approval hash of a revision, which is not shared")
		}
		if err := person(r.By); err != nil {
			return err
		}
		revisions[r.Content] = r
	}
	about := func(what, content string, number int) error {
		if r := revisions[content]; r == nil || r.Revision != number {
			return fmt.Errorf("has a %s about revision %d, which is not the revision of its content hash", what, number)
		}
		return nil
	}
	for _, n := range []int{len(d.Decisions), len(d.Comments), len(d.Trials), len(d.Problems), len(d.Conversation)} {
		if n > maxSaid {
			return fmt.Errorf("has more than %d decisions, comments, trials, reports or messages", maxSaid)
		}
	}
	for _, check := range []func(func(what, content string, number int) error) error{d.checkDecisions, d.checkTrials, d.checkReports} {
		if err := check(about); err != nil {
			return err
		}
	}
	if err := d.checkComments(about, revisions); err != nil {
		return err
	}
	return d.checkWords()
}

func (d *Document) checkDecisions(about func(string, string, int) error) error {
	known := map[string]bool{}
	for _, one := range d.Decisions {
		id, err := one.idOf()
		switch {
		case err != nil:
			return err
		case id != one.ID || known[id]:
			return fmt.Errorf("was changed or damaged: %s is not the id of one decision", short(one.ID))
		}
		known[id] = true
		if err := about("decision", one.Content, one.Revision); err != nil {
			return err
		}
		if err := person(one.By); err != nil {
			return err
		}
		for _, line := range []string{one.Verdict, one.Who, one.Client, one.Way, one.Operation} {
			if err := person(line); err != nil {
				return err
			}
		}
		if err := bounded("the reason of a decision", one.Reason, maxWords); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) checkComments(about func(string, string, int) error, revisions map[string]*Revision) error {
	known := map[string]bool{}
	for _, c := range d.Comments {
		if !commentID().MatchString(c.ID) || known[c.key()] {
			return fmt.Errorf("has %s, which is not the id of one comment", short(c.ID))
		}
		known[c.key()] = true
		if err := about("comment", c.Content, c.Revision); err != nil {
			return err
		}
		if err := person(c.Author); err != nil {
			return err
		}
		if err := bounded("a comment", c.Text, maxComment); err != nil {
			return err
		}
		if side := plan.CommentSide(c.Side); side != plan.OldSide && side != plan.NewSide || c.Line < 1 || c.Line > maxLine {
			return errors.New("has a comment that is about no line")
		}
		if !touches(revisions[c.Content], c.Path) {
			return fmt.Errorf("has a comment about %s, which its revision does not change", short(c.Path))
		}
	}
	return nil
}

func (d *Document) checkTrials(about func(string, string, int) error) error {
	known := map[string]bool{}
	for _, t := range d.Trials {
		id, err := t.idOf()
		switch {
		case err != nil:
			return err
		case id != t.ID || known[id]:
			return fmt.Errorf("was changed or damaged: %s is not the id of one trial", short(t.ID))
		}
		known[id] = true
		if err := about("trial", t.Content, t.Revision); err != nil {
			return err
		}
		if err := person(t.By); err != nil {
			return err
		}
		for _, words := range []string{t.Command, t.Cwd, t.Verdict, t.Why, t.Problem, t.World, t.Output} {
			if err := bounded("a trial", words, maxWords); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Document) checkReports(about func(string, string, int) error) error {
	known := map[string]bool{}
	for _, r := range d.Problems {
		if known[r.Content] {
			return errors.New("has two reports of problems of a revision")
		}
		known[r.Content] = true
		if err := about("report", r.Content, r.Revision); err != nil {
			return err
		}
		if len(r.Added) > maxSaid || len(r.Checked) > maxSaid {
			return fmt.Errorf("has a report of more than %d problems", maxSaid)
		}
		for _, p := range r.Added {
			for _, words := range []string{p.Path, p.Severity, p.Message, p.Source, p.Code} {
				if err := bounded("a problem", words, maxComment); err != nil {
					return err
				}
			}
		}
		for _, c := range r.Checked {
			for _, words := range []string{c.Language, c.Server, c.State} {
				if err := bounded("a report", words, maxComment); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkWords checks the messages and the times of a document.
func (d *Document) checkWords() error {
	times := []time.Time{d.Created, d.Updated}
	known := map[string]bool{}
	for _, e := range d.Conversation {
		for _, words := range []string{e.Request, e.Answer} {
			if err := bounded("a message", words, maxMessage); err != nil {
				return err
			}
		}
		if known[keyOf(e)] {
			return errors.New("has a message twice")
		}
		known[keyOf(e)] = true
	}
	for _, at := range times {
		if at.Year() < 0 || at.Year() > 9999 {
			return errors.New("has a time that cannot be")
		}
	}
	return nil
}

// maxMessage is how many bytes a message or an answer has at most.
const maxMessage = 1 << 20

// touches reports whether a revision changes the file, which is named by its path before a rename.
func touches(r *Revision, path string) bool {
	for i := range r.Changes {
		if r.Changes[i].Path == path {
			return true
		}
	}
	return false
}

// person refuses a name that cannot be shown in one line as it is.
func person(name string) error {
	if err := bounded("a name", name, maxPerson); err != nil {
		return err
	}
	if edits.VisibleLine(name) != name {
		return fmt.Errorf("has a name with characters that cannot be seen: %s", short(name))
	}
	return nil
}
