package main

import (
	"fmt"
	"slices"
	"strconv"
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
	{"g", "go to the hunk with a number, as in g 3; without one they are listed"},
	{"/", "go to the next hunk with a text, as in /Total"},
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
	passed := map[string]bool{} // pieces that the user leaves undecided
	open := func(p piece) bool { return said[p.key()] == "" && !passed[p.key()] }
	again, forward := false, false // only what was jumped over is left; the answer was about this piece
	for at, ended := 0, false; !ended; {
		if at >= len(pieces) || again && forward && !open(pieces[at]) {
			again = true
			if at = slices.IndexFunc(pieces, open); at < 0 {
				break
			}
		}
		forward = false
		p := pieces[at]
		if shown != p.key() {
			c.paged("\n" + colours(c.out, p.diff))
			shown = p.key()
			delete(unseen, shown)
		}
		keys := p.keys(at > 0, len(pieces) > 1)
		answer, closed, err := ask(c.prompt(fmt.Sprintf("(%d/%d) Apply this hunk [%s]?", at+1, len(pieces), keys)))
		if err != nil {
			return v, err
		}
		if closed {
			answer = "q"
		}
		switch key, words := keyOf(answer); {
		case key == "y", key == "n":
			said[p.key()] = key
			at, forward = at+1, true
		case key == "a", key == "d":
			for ; at < len(pieces) && !unseen[pieces[at].key()]; at++ {
				said[pieces[at].key()] = map[string]string{"a": "y", "d": "n"}[key]
			}
		case key == "j":
			delete(said, p.key())
			passed[p.key()] = true
			at, forward = at+1, true
		case key == "k" && at > 0:
			at--
		case key == "g" && len(pieces) > 1:
			if at, err = goTo(c, pieces, at, words, ask); err != nil {
				return v, err
			}
		case key == "/" && len(pieces) > 1:
			if at, err = findPiece(c, pieces, at, words, ask); err != nil {
				return v, err
			}
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
			pieces, shown, at = revised, "", min(append(made, at)[0], max(0, len(revised)-1))
			for _, i := range made {
				unseen[revised[i].key()] = true
			}
		case key == "q":
			for ; at < len(pieces); at++ {
				delete(said, pieces[at].key())
			}
			ended = true
		default:
			c.explainKeys(keysOfPieces, keys)
		}
	}
	return verdictOf(pieces, said), nil
}

// goTo returns the place of the piece with a number, which is asked for if the answer has none, below a
// list of all; at if there is no such piece.
func goTo(c *console, pieces []piece, at int, answer string, ask func(prompt string) (string, bool, error)) (int, error) {
	answer = strings.TrimSpace(answer)
	if answer == "" {
		for i, p := range pieces {
			mark := " "
			if i == at {
				mark = ">"
			}
			fmt.Fprintf(c.err, "%s%3d  %s\n", mark, i+1, edits.VisibleLine(p.title()))
		}
		var err error
		if answer, _, err = ask(c.prompt("Go to which hunk?")); err != nil {
			return at, err
		}
	}
	n, err := strconv.Atoi(strings.TrimSpace(answer))
	if err != nil || n < 1 || n > len(pieces) {
		fmt.Fprintf(c.err, "There is no hunk %q: they are numbered from 1 to %d.\n", phrase.Clip(answer, 20), len(pieces))
		return at, nil
	}
	return n - 1, nil
}

// findPiece returns the place of the next piece after at, or from the first on, whose diff has a text, which
// is asked for if the answer has none; at if there is none.
func findPiece(c *console, pieces []piece, at int, text string, ask func(prompt string) (string, bool, error)) (int, error) {
	if text = strings.TrimSpace(text); text == "" {
		var err error
		if text, _, err = ask(c.prompt("Search for?")); err != nil || text == "" {
			return at, err
		}
	}
	for i := range pieces {
		if next := (at + 1 + i) % len(pieces); strings.Contains(pieces[next].diff, text) {
			return next, nil
		}
	}
	fmt.Fprintf(c.err, "No hunk has %q.\n", phrase.Clip(text, 40))
	return at, nil
}

// title returns the file of the piece, and the first line that it changes.
func (p piece) title() string {
	for line := range strings.Lines(p.diff) {
		if strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") {
			continue
		}
		if line[0] == '-' || line[0] == '+' {
			return p.path + "  " + phrase.Clip(strings.TrimRight(line, "\r\n"), 60)
		}
	}
	return p.path
}

// keys lists the valid keys for a question about the piece, separated by commas. back
// reports whether there is a piece before it, others whether there is another one at all.
func (p piece) keys(back, others bool) string {
	keys := "y,n,a,d"
	for _, more := range []struct {
		key string
		can bool
	}{{"j", true}, {"k", back}, {"g", others}, {"/", others}, {"s", len(p.parts) > 0}, {"e", !p.whole}, {"q", true}, {"?", true}} {
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
