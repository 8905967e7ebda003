package agent

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"redline/agent/plan"
	"redline/agent/refusal"
	"redline/agent/view"
	"redline/internal/phrase"
)

// Decide is what a user decides on: a plan, or the narrowest part of it that
// is named. It binds to exactly one revision.
type Decide struct {
	Plan          int
	Revision      int    // 0: not named
	Hash          string // "": not named. Without both, the current revision is meant
	Paths         []string
	Hunks         []string
	Operation     string // its command, or the hunks that it had a part in and the move if it moved the file
	SkipStale     bool   // leave stale hunks out instead of refusing
	AllowCommands bool   // approve the commands too
	NoCommands    bool   // run none, also none that the user's own rules allow; excludes AllowCommands
	Saved         bool   // the user says that what the editor does not show is saved, see [Options.SomeBuffers]
	Reason        string // the user's words
	Who           string // "" for the user
	Client        string // the program that the decision comes from
}

// scope is what a decision is about: hunks of files, and files as a whole.
type scope struct {
	parts    []part
	commands []string // ids of undecided commands
	whole    bool     // the whole plan was meant
}

// part is one file of a scope.
type part struct {
	file  *view.File // as it was when the scope was found
	hunks []int      // indices into file.Change.Hunks
	move  bool       // a rename is part of it
	past  []pastPart // of an undo: what earlier revisions have applied to the file
}

// binds refuses a decision that is about another revision of the plan than r, the current one.
func (d Decide) binds(p *plan.Plan, r *plan.Revision) error {
	if (d.Hash != "" && d.Hash != r.Hash) || (d.Revision != 0 && d.Revision != r.Number) {
		return notAsShown(p.Number)
	}
	return nil
}

// scopeOf finds what a decision names among the parts whose status is wanted.
// Naming one hunk or operation that does not exist, or is in another state, is
// refused; in a file or plan such hunks are passed over.
func scopeOf(v *view.Plan, d Decide, w wanted) (scope, error) {
	s := scope{whole: len(d.Paths) == 0 && len(d.Hunks) == 0 && d.Operation == ""}
	named := func(f *view.File, i int) bool { return true }
	moves := func(f *view.File) bool { return true }
	switch {
	case len(d.Hunks) > 0:
		for _, id := range d.Hunks {
			if _, _, ok := v.Revision.Hunk(id); !ok {
				return s, refusal.New(refusal.Invalid, "Plan %d has no hunk %s in revision %d.", v.Plan.Number, id, v.Revision.Number)
			}
			if st := v.Plan.Progress.Hunk(id).Status; !w.hunk(st) {
				return s, w.refusal(id, v.Plan.Number, st)
			}
		}
		named = func(f *view.File, i int) bool { return slices.Contains(d.Hunks, f.Change.Hunks[i].ID) }
		moves = func(f *view.File) bool { return false } // a move goes with its whole file or its operation
	case d.Operation != "":
		o, ok := v.Revision.Operation(d.Operation)
		if !ok {
			return s, refusal.New(refusal.Invalid, "Plan %d has no operation %s in revision %d.", v.Plan.Number, d.Operation, v.Revision.Number)
		}
		if o.IsCommand() {
			s.commands = []string{o.ID}
			return s, nil
		}
		named = func(f *view.File, i int) bool {
			return slices.Contains(f.Change.MakersOf(&f.Change.Hunks[i]), d.Operation)
		}
		moves = func(f *view.File) bool { return slices.Contains(f.Change.Movers(), d.Operation) }
	case len(d.Paths) > 0:
		var files []*view.File
		for _, path := range d.Paths {
			f := v.File(path)
			if f == nil {
				return s, refusal.New(refusal.Invalid, "Plan %d does not touch %s.", v.Plan.Number, path)
			}
			files = append(files, f)
		}
		moves = func(f *view.File) bool { return slices.Contains(files, f) }
		named = func(f *view.File, i int) bool { return moves(f) }
	}
	for _, f := range v.Files {
		p := part{file: f}
		for i := range f.Change.Hunks {
			if named(f, i) && w.hunk(v.Plan.Progress.Hunk(f.Change.Hunks[i].ID).Status) {
				p.hunks = append(p.hunks, i)
			}
		}
		p.move = f.Change.Action == plan.Rename && moves(f) && w.move(v.Mark(f).Move)
		if len(p.hunks) > 0 || p.move {
			s.parts = append(s.parts, p)
		}
	}
	if s.whole {
		s.commands = v.Plan.Undecided(v.Revision).Commands
	}
	return s, nil
}

// wanted says which parts a decision can be about.
type wanted struct {
	hunk func(plan.HunkStatus) bool
	move func(plan.FileStatus) bool
}

var (
	undecided = wanted{
		hunk: func(s plan.HunkStatus) bool { return s == plan.HunkPending },
		move: func(s plan.FileStatus) bool { return s != plan.FileApplied && s != plan.FileRejected },
	}
	applied = wanted{
		hunk: func(s plan.HunkStatus) bool { return s == plan.HunkApplied },
		move: func(s plan.FileStatus) bool { return s == plan.FileApplied },
	}
)

// refusal says why a hunk that is named is not one of those wanted.
func (w wanted) refusal(id string, n int, status plan.HunkStatus) error {
	if w.hunk(plan.HunkApplied) {
		return refusal.New(refusal.WrongState, "Hunk %s of plan %d is %s: only what is applied can be taken back.", id, n, status)
	}
	return refusal.New(refusal.WrongState, "Hunk %s of plan %d is %s already.", id, n, status)
}

// ids names the hunks of a scope.
func (s scope) ids() []string {
	var ids []string
	for _, p := range s.parts {
		for _, i := range p.hunks {
			ids = append(ids, p.file.Change.Hunks[i].ID)
		}
		for _, past := range p.past {
			for _, i := range past.hunks {
				ids = append(ids, past.Change.Hunks[i].ID)
			}
		}
	}
	return ids
}

// without returns the part less the hunks with the given ids.
func (p part) without(ids []string) part {
	p.hunks = slices.DeleteFunc(slices.Clone(p.hunks), func(i int) bool {
		return slices.Contains(ids, p.file.Change.Hunks[i].ID)
	})
	return p
}

// empty tells whether there is nothing in the part.
func (p part) empty() bool { return len(p.hunks)+len(p.past) == 0 && !p.move }

// sent is the part as it is stored while an editor is asked for it.
func (p part) sent(verdict plan.Verdict) plan.Sent {
	return plan.Sent{Verdict: verdict, Hunks: scope{parts: []part{p}}.ids(), Move: p.move}
}

// fitting splits what is still to be made of a scope into what fits the text as
// it is now and the names of what does not: hunks, or files that cannot be
// moved. why says what is wrong with the first of them.
func fitting(s scope) (fits scope, stale []string, why string) {
	s, _ = withoutMade(s)
	fits = s
	fits.parts = nil
	for _, p := range s.parts {
		v := p.file
		var out []string
		for _, i := range p.hunks {
			if status, reason := v.StatusOf(i); status == plan.HunkStale {
				out = append(out, p.file.Change.Hunks[i].ID)
				why = cmp.Or(why, reason)
			}
		}
		p = p.without(out)
		if p.move && v.Clash != "" {
			p.move = false
			if len(out) == 0 {
				out = []string{p.file.Change.Path}
			}
			why = cmp.Or(why, v.Clash)
		}
		stale = append(stale, out...)
		if !p.empty() {
			fits.parts = append(fits.parts, p)
		}
	}
	return fits, stale, why
}

// staleRefusal is the refusal of an approval that names stale hunks. rest tells
// that it names something else too.
func staleRefusal(n int, ids []string, why string, rest bool) error {
	what := "Rework the plan."
	if rest {
		what = "Rework the plan, or approve the rest."
	}
	err := refusal.New(refusal.Stale, "Plan %d cannot be approved as shown, because %s (%s). %s", n, why, phrase.Named("hunk", ids), what).(*refusal.Error)
	err.Hunks = ids
	return err
}

// decisionOn is the record of a decision as the store keeps it.
func decisionOn(p *plan.Plan, r *plan.Revision, d Decide, verdict plan.Verdict, s scope, at time.Time) *plan.Decision {
	return &plan.Decision{
		Plan: p.Number, Revision: r.Number, Hash: r.Hash, Verdict: verdict,
		Path: strings.Join(d.Paths, ", "), Hunks: s.ids(), Operation: d.Operation, Reason: d.Reason,
		Who: cmp.Or(d.Who, "user"), Client: d.Client, At: at.UTC(),
	}
}

// notAsShown is the refusal of a decision on something else than what is there.
func notAsShown(n int) error {
	return refusal.New(refusal.HashMismatch, "Plan %d has changed since it was shown: review it again.", n)
}

// units are the indices of the hunks of a part; 0 alone stands for a file without hunks.
func (p part) units() []int {
	if len(p.file.Change.Hunks) == 0 {
		return []int{0}
	}
	return p.hunks
}
