package main

import (
	"fmt"
	"strings"

	"redline/agent/plan"
	"redline/agent/view"
	"redline/edits"
	"redline/internal/phrase"
)

// piece is the unit of a decision hunk by hunk: neighbouring hunks of one file that share
// a block of the unified diff, or a whole file that moves.
type piece struct {
	path  string
	hunks []string // ids of the hunks
	whole bool     // the decision is about the whole file
	diff  string   // the diff of this piece
	parts []piece  // one piece for each hunk, if it has several
}

// key identifies the same piece in another revision.
func (p piece) key() string { return p.path + "\x00" + p.diff }

// piecesOf returns the pending pieces of a plan, in the order of its diff, and the number
// of stale hunks, which cannot be approved.
func piecesOf(v *view.Plan) (pieces []piece, stale int) {
	for _, f := range v.Files {
		if f.Status != plan.FilePending && f.Status != plan.FileStale {
			continue
		}
		if f.Change.Action == plan.Rename { // approving only some of its hunks would not move the file
			if f.Status == plan.FileStale {
				stale++
			} else {
				pieces = append(pieces, pieceOf(f, f.Change.Hunks, true))
			}
			continue
		}
		var open []plan.Hunk
		for _, h := range f.Undecided {
			if h.Status == plan.HunkStale {
				stale++
			} else {
				open = append(open, h.Hunk)
			}
		}
		for len(open) > 0 {
			n := 1
			for n < len(open) && linesBetween(f.Base, open[n-1], open[n]) <= 2*around {
				n++
			}
			one := pieceOf(f, open[:n], false)
			for _, h := range open[:n] {
				if n > 1 {
					one.parts = append(one.parts, pieceOf(f, []plan.Hunk{h}, false))
				}
			}
			pieces, open = append(pieces, one), open[n:]
		}
	}
	return pieces, stale
}

// around is how many unchanged lines a diff shows above and below a change.
const around = 3

// linesBetween returns the number of lines between two hunks of a text.
func linesBetween(base string, a, b plan.Hunk) int {
	return strings.Count(base[a.Old.End:b.Old.Start], "\n")
}

func pieceOf(f *view.File, hunks []plan.Hunk, whole bool) piece {
	part := *f.Change
	part.Hunks = hunks
	p := piece{path: f.Change.Path, whole: whole, diff: edits.Visible(part.Diff(f.Base, f.Proposed))}
	for _, h := range hunks {
		p.hunks = append(p.hunks, h.ID)
	}
	return p
}

// verdict holds the user's decisions about the pieces of a plan.
type verdict struct {
	approved, rejected, left []piece
}

// hunksAndFiles returns the pieces as the hunks and files of a decision's scope.
func hunksAndFiles(pieces []piece) (hunks, files []string) {
	for _, p := range pieces {
		if p.whole {
			files = append(files, p.path)
		} else {
			hunks = append(hunks, p.hunks...)
		}
	}
	return hunks, files
}

// keysOfPieces are the answers to the question about a piece, the same as those of git
// add -p.
var keysOfPieces = []key{
	{"y", "apply this hunk"},
	{"n", "reject this hunk"},
	{"a", "apply this hunk and all that follow"},
	{"d", "reject this hunk and all that follow"},
	{"j", "leave this hunk undecided, continue with the next"},
	{"k", "go back to the hunk before"},
	{"s", "split this hunk into smaller ones"},
	{"e", "edit this hunk in your editor"},
	{"q", "leave this hunk and all that follow undecided"},
	{"?", "print this help"},
}

// byHunk asks about the pieces of a plan, one after the other. It returns the approved
// and the rejected pieces, and carries out nothing. edit lets the user edit a piece and
// returns the pieces of the resulting revision, nil if there is none. The error is that
// of ctx.
func (c *console) byHunk(pieces []piece, ask func(prompt string) (string, bool, error), edit func(piece) ([]piece, error)) (v verdict, err error) {
	said := map[string]string{} // maps each decided piece to y or n
	unseen := map[string]bool{} // pieces that an edit created and that were not shown yet
	var shown string            // the piece shown last
	for at := 0; at < len(pieces); {
		p := pieces[at]
		if shown != p.key() {
			c.paged("\n" + colours(c.out, p.diff))
			shown = p.key()
			delete(unseen, shown)
		}
		keys := p.keys(at > 0)
		answer, closed, err := ask(c.prompt(fmt.Sprintf("(%d/%d) Apply this hunk [%s]?", at+1, len(pieces), keys)))
		if err != nil {
			return v, err
		}
		if closed {
			answer = "q"
		}
		switch key := firstKey(answer); {
		case key == "y", key == "n":
			said[p.key()] = key
			at++
		case key == "a", key == "d":
			for ; at < len(pieces) && !unseen[pieces[at].key()]; at++ {
				said[pieces[at].key()] = map[string]string{"a": "y", "d": "n"}[key]
			}
		case key == "j":
			delete(said, p.key())
			at++
		case key == "k" && at > 0:
			at--
		case key == "s" && len(p.parts) > 0:
			fmt.Fprintf(c.err, "Split into %s.\n", phrase.Count(len(p.parts), "hunk"))
			pieces = append(pieces[:at:at], append(p.parts, pieces[at+1:]...)...)
		case key == "s":
			fmt.Fprintln(c.err, "This hunk cannot be split: no line in it is unchanged. Press e to edit it.")
		case key == "e" && !p.whole:
			revised, err := edit(p)
			if err != nil {
				return v, err
			}
			if revised == nil {
				continue
			}
			made := newAmong(revised, pieces)
			pieces, shown, at = revised, "", min(at, max(0, len(revised)-1))
			for _, i := range made {
				unseen[revised[i].key()] = true
			}
			if len(made) > 0 {
				at = made[0]
			}
		case key == "q":
			for ; at < len(pieces); at++ {
				delete(said, pieces[at].key())
			}
		default:
			c.explainKeys(keysOfPieces, keys)
		}
	}
	return verdictOf(pieces, said), nil
}

// keys lists the valid keys for a question about the piece, separated by commas. back
// reports whether there is a piece before it.
func (p piece) keys(back bool) string {
	keys := "y,n,a,d"
	for _, more := range []struct {
		key string
		can bool
	}{{"j", true}, {"k", back}, {"s", len(p.parts) > 0}, {"e", !p.whole}, {"q", true}, {"?", true}} {
		if more.can {
			keys += "," + more.key
		}
	}
	return keys
}

// key is an answer of one letter.
type key struct{ key, does string }

// explainKeys prints what the keys do, in the order of all.
func (c *console) explainKeys(all []key, keys string) {
	for _, k := range all {
		if strings.Contains(","+keys+",", ","+k.key+",") {
			fmt.Fprintf(c.err, "%s - %s\n", k.key, k.does)
		}
	}
}

// newAmong returns the pieces that the revision before did not have.
func newAmong(pieces, before []piece) (made []int) {
	known := map[string]bool{}
	for _, old := range before {
		known[old.key()] = true
	}
	for i, one := range pieces {
		if !known[one.key()] {
			made = append(made, i)
		}
	}
	return made
}

// verdictOf sorts the pieces by the answer to each: "y", "n" or none.
func verdictOf(pieces []piece, said map[string]string) (v verdict) {
	for _, p := range pieces {
		switch said[p.key()] {
		case "y":
			v.approved = append(v.approved, p)
		case "n":
			v.rejected = append(v.rejected, p)
		default:
			v.left = append(v.left, p)
		}
	}
	return v
}

// prompt formats a question: bold, with a space for the answer.
func (c *console) prompt(text string) string {
	if inColour(c.err) {
		text = sgr("1", text)
	}
	return text + " "
}
