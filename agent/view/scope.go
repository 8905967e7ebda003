package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"redline/agent/plan"
	"redline/internal/phrase"
)

// Request is a decision as a user asks for it: on a plan, or on the narrowest part of it that the
// request names. It binds to exactly one revision.
type Request struct {
	Plan          int
	Revision      int    // 0: not named
	Hash          string // "": not named; without Revision too, the current revision is meant
	Paths         []string
	Hunks         []string
	Files         []string // whole files in addition to Hunks, with their moves
	Operation     string   // an id: its command, or the hunks that it helped to make, and its move
	SkipStale     bool     // leave stale hunks out instead of refusing
	AllowCommands bool     // approve the commands too
	NoCommands    bool     // run none, not even those that the user's own rules allow; excludes AllowCommands
	Saved         bool     // the user says that files which the editor does not show are saved, see Options.SomeBuffers of package agent
	Reason        string   // the user's words
	Who           string   // "" for the user
	Way           Way      // of an approval: how it came about
	Client        string   // the program that the decision comes from
	Through       string   // the editor whose server carries it out for Client, "" if that does so itself
	Handover      int64    // the handover of the store by which that server got it, 0 for none
}

// Scope is what a decision covers: hunks of files, and whole files.
type Scope struct {
	Parts    []Part
	Commands []string // ids of undecided commands
	Whole    bool     // the request names the whole plan
}

// Binds refuses a decision on another revision of the plan than r, the current one.
func (d Request) Binds(p *plan.Plan, r *plan.Revision) error {
	if (d.Hash != "" && d.Hash != r.Hash) || (d.Revision != 0 && d.Revision != r.Number) {
		return NotAsShown(p.Number)
	}
	return nil
}

// whole reports whether a request names no part of the plan.
func (d Request) whole() bool {
	return len(d.Paths)+len(d.Hunks)+len(d.Files) == 0 && d.Operation == ""
}

// ScopeOf finds the parts that a request names with the wanted status, [plan.HunkPending] or
// [plan.HunkApplied]. It refuses a named hunk or operation that does not exist, and a named hunk
// with another status; in a file or a plan it leaves such hunks out.
func ScopeOf(v *Plan, d Request, wanted plan.HunkStatus) (Scope, error) {
	s := Scope{Whole: d.whole()}
	named := func(f *File, i int) bool { return true }
	moves := func(f *File) bool { return true }
	switch {
	case len(d.Hunks)+len(d.Files) > 0:
		files, err := v.filesAt(d.Files)
		if err != nil {
			return s, err
		}
		for _, id := range d.Hunks {
			if _, _, ok := v.Revision.Hunk(id); !ok {
				return s, plan.Refuse(plan.Invalid, "Plan %d has no hunk %s in revision %d.", v.Plan.Number, id, v.Revision.Number)
			}
			switch status := v.Plan.Progress.Hunk(id).Status; {
			case status == wanted:
			case wanted == plan.HunkApplied:
				return s, plan.Refuse(plan.WrongState, "Hunk %s of plan %d is %s: only what is applied can be taken back.", id, v.Plan.Number, status)
			default:
				return s, plan.Refuse(plan.WrongState, "Hunk %s of plan %d is %s already.", id, v.Plan.Number, status)
			}
		}
		moves = func(f *File) bool { return slices.Contains(files, f) } // a move goes with its whole file or its operation
		named = func(f *File, i int) bool { return moves(f) || slices.Contains(d.Hunks, f.Change.Hunks[i].ID) }
	case d.Operation != "":
		o, ok := v.Revision.Operation(d.Operation)
		if !ok {
			return s, plan.Refuse(plan.Invalid, "Plan %d has no operation %s in revision %d.", v.Plan.Number, d.Operation, v.Revision.Number)
		}
		if o.IsCommand() {
			s.Commands = []string{o.ID}
			return s, nil
		}
		named = func(f *File, i int) bool {
			return slices.Contains(f.Change.MakersOf(&f.Change.Hunks[i]), d.Operation)
		}
		moves = func(f *File) bool { return slices.Contains(f.Change.Movers(), d.Operation) }
	case len(d.Paths) > 0:
		files, err := v.filesAt(d.Paths)
		if err != nil {
			return s, err
		}
		moves = func(f *File) bool { return slices.Contains(files, f) }
		named = func(f *File, i int) bool { return moves(f) }
	}
	for _, f := range v.Files {
		p := Part{File: f}
		for i := range f.Change.Hunks {
			if named(f, i) && v.Plan.Progress.Hunk(f.Change.Hunks[i].ID).Status == wanted {
				p.Hunks = append(p.Hunks, i)
			}
		}
		move := v.Mark(f).Move
		p.Move = f.Change.Action == plan.Rename && moves(f) && move != plan.FileRejected && (move == plan.FileApplied) == (wanted == plan.HunkApplied)
		s.Parts = add(s.Parts, p)
	}
	if s.Whole {
		s.Commands = v.Plan.Undecided(v.Revision).Commands
	}
	return s, nil
}

// filesAt returns the plan's files with the given paths. It refuses one that the plan does not have.
func (v *Plan) filesAt(paths []string) (files []*File, err error) {
	for _, path := range paths {
		f := v.File(path)
		if f == nil {
			return nil, plan.Refuse(plan.Invalid, "Plan %d does not touch %s.", v.Plan.Number, path)
		}
		files = append(files, f)
	}
	return files, nil
}

// Fitting returns the parts, reduced to what fits the current text. stale lists the ids of hunks,
// and the paths of moves, that do not fit; why says what is wrong with the first of them.
func Fitting(parts []Part) (fits []Part, stale []string, why string) {
	for _, p := range parts {
		var out []string
		for _, i := range p.Hunks {
			if status, reason := p.File.StatusOf(i); status == plan.HunkStale {
				out = append(out, p.File.Change.Hunks[i].ID)
				why = cmp.Or(why, reason)
			}
		}
		p = p.Without(out)
		if p.Move && p.File.Clash != "" {
			p.Move = false
			if len(out) == 0 {
				out = []string{p.File.Change.Path}
			}
			why = cmp.Or(why, p.File.Clash)
		}
		stale = append(stale, out...)
		fits = add(fits, p)
	}
	return fits, stale, why
}

// RecordDecision returns a decision in the form that the store keeps.
func RecordDecision(p *plan.Plan, r *plan.Revision, d Request, verdict plan.Verdict, parts []Part, at time.Time) *plan.Decision {
	var ids []string
	for _, part := range parts {
		ids = append(ids, part.IDs()...)
	}
	return &plan.Decision{
		Plan: p.Number, Revision: r.Number, Hash: r.Hash, Verdict: verdict,
		Path: strings.Join(slices.Concat(d.Paths, d.Files), ", "), Hunks: ids, Operation: d.Operation, Reason: d.Reason,
		Who: cmp.Or(d.Who, "user"), Client: d.Client, Way: string(d.Way), Through: d.Through, Handover: d.Handover, At: at.UTC(),
	}
}

// Way is how an approval comes about. A request to approve has one.
type Way string

// The ways to approve.
const (
	ByChoice      Way = "choice" // the user chooses it where the edits are shown: an action, a command or a question, or /approve in the chat
	ByWords       Way = "words"  // a phrase in the chat, such as "yes, do it"
	ByCommandLine Way = "cli"    // an argument of a command line, which asks no question
	ByPage        Way = "web"    // the page of redline review, where the edits are shown
	ByPanel       Way = "acp"    // an answer in the agent panel of an editor that speaks ACP, where the edits are shown
	ByRule        Way = "rules"  // a rule in the user's settings, with an earlier approval
)

// Ways returns all ways to approve.
func Ways() []Way { return []Way{ByChoice, ByWords, ByCommandLine, ByPage, ByPanel, ByRule} }

// Forbidden are the ways in which nothing can be approved. The value says who forbids the way, as
// the subject of a sentence.
type Forbidden map[Way]string

// Check refuses an approval of plan n in a way that is forbidden. Where any is, an approval without
// a way is refused too.
func (f Forbidden) Check(n int, w Way) error {
	by, forbidden := f[w]
	switch {
	case forbidden:
		return plan.Refuse(plan.NotAllowed, "%s does not allow %s: %s.", by, w.approval(), f.instead(n))
	case len(f) > 0 && !slices.Contains(Ways(), w):
		return plan.Refuse(plan.NotAllowed, "Plan %d is not approved, because it is not known how the approval came about: %s.", n, f.instead(n))
	}
	return nil
}

// approval names an approval in this way, for the user.
func (w Way) approval() string {
	switch w {
	case ByWords:
		return "approval by words"
	case ByCommandLine:
		return "approval on the command line without a question"
	case ByPage:
		return "approval on a page in a browser"
	case ByPanel:
		return "approval in an editor's agent panel"
	case ByRule:
		return "approval by a rule"
	}
	return "approval by an action, a command or an answer"
}

// instead says how plan n can be approved, for the end of a sentence.
func (f Forbidden) instead(n int) string {
	for _, w := range []struct {
		way  Way
		does string
	}{
		{ByChoice, fmt.Sprintf("approve plan %d with its action in your editor, with /approve %d in the chat, or by your answer at a terminal", n, n)},
		{ByCommandLine, fmt.Sprintf("approve it with redline plans approve %d", n)},
		{ByPage, fmt.Sprintf("approve it on the page of redline review %d", n)},
		{ByWords, "say \"approve\" in the chat"},
		{ByPanel, fmt.Sprintf("approve plan %d in your editor's agent panel", n)},
	} {
		if _, forbidden := f[w.way]; !forbidden {
			return w.does
		}
	}
	return "nothing can be approved on this machine"
}

// StaleRefusal returns the refusal of an approval that names stale hunks. rest is true if it
// also names something else.
func StaleRefusal(n int, ids []string, why string, rest bool) error {
	what := "Rework the plan."
	if rest {
		what = "Rework the plan, or approve the rest."
	}
	return &plan.Refusal{Kind: plan.Stale, Hunks: ids, Reason: fmt.Sprintf("Plan %d cannot be approved as shown, because %s (%s). %s", n, why, phrase.Named("hunk", ids), what)}
}

// NotAsShown returns the refusal of a decision on a revision, or on texts, other than the plan's
// current ones.
func NotAsShown(n int) error {
	return plan.Refuse(plan.HashMismatch, "Plan %d has changed since it was shown: review it again.", n)
}
