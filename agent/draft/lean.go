package draft

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"redline/agent/plan"
	"redline/edits/blame"
)

// Left is an operation that a plan leaves out because the files are the same without it.
type Left struct {
	Operation plan.Operation
	Why       string // follows the operation in a sentence: "is undone later"
}

// Why an operation is left out.
const (
	leftUndone  = "nothing of it is left in the end"
	leftCovered = "the file is written anew later"
	leftTwice   = "the same command comes right before"
	leftWaits   = "the plan has that command, and it has not succeeded yet"
	leftMerged  = "it is one with a later edit of the same text"
)

// Lean returns a draft with exactly the same result, without the redundant operations of this
// turn: those that a later one undoes or overwrites, the same command twice in a row, a command
// of the plan that still waits, and edits that can be merged with a later edit of their text. It
// stages the others again, each as its call, and returns a new draft only if all files end up
// the same, otherwise this one. Operations of earlier revisions stay.
//
// This proves that the sealed operations of this turn are possible one after the other, with the
// sealed result. If that needs operations without an effect, they are sealed too.
func (draft *Draft) Lean(replay Replay) (lean *Draft, left []Left) {
	d, done := draft.open()
	defer done()
	began := 0
	if d.start != nil {
		began = len(d.start.operations)
	}
	news := d.operations[d.begun:]
	if len(news) == 0 || len(news) == 1 && d.waits(&news[0]) == "" || began != d.begun {
		return draft, nil // the start of the turn may be unknown
	}
	pruned, left := pruning{d, replay}.prune()
	if pruned == nil {
		pruned = d
	}
	unseen := pruned.unseen()
	pruned.whole = len(unseen) > 0 && pruning{d, replay}.stagedAgain(pruned.news(unseen)) == nil
	if pruned == d {
		return draft, left
	}
	return &Draft{guarded: *pruned}, left
}

// pruning finds the redundant operations of a draft.
type pruning struct {
	*content
	replay Replay
}

// prune returns the same result without redundant operations, or nil if nothing can be left out.
func (d pruning) prune() (lean *content, left []Left) {
	idle := d.redundant()
	try := func(idle map[int]string, merge bool) bool {
		t := d.trim(idle, merge)
		if left = t.left; len(left) == 0 {
			return true
		}
		lean = d.stagedAgain(t.operations)
		return lean != nil
	}
	if try(idle, true) {
		return lean, left
	}
	if each := d.oneFileEach(idle); try(each, true) || try(each, false) || try(nil, false) {
		return lean, left
	}
	return nil, nil
}

// unseen returns the operations of this turn that had no effect on any file.
func (d *content) unseen() map[int]string {
	unseen := map[int]string{}
	for i := d.begun; i < len(d.operations); i++ {
		if !d.operations[i].IsCommand() {
			unseen[i] = leftUndone
		}
	}
	for _, o := range d.outcomes() {
		for _, i := range o.operations {
			delete(unseen, i)
		}
	}
	return unseen
}

// news returns the operations of this turn except some.
func (d *content) news(but map[int]string) []plan.Operation {
	var out []plan.Operation
	for i := d.begun; i < len(d.operations); i++ {
		if but[i] == "" {
			out = append(out, d.operations[i])
		}
	}
	return out
}

// trimmed is a turn's operations without those left out.
type trimmed struct {
	operations []plan.Operation
	left       []Left
}

// trim leaves out the given operations and repeated commands. With merge set, it also
// merges edits.
func (d pruning) trim(idle map[int]string, merge bool) trimmed {
	var t trimmed
	for i, o := range d.operations {
		if i < d.begun {
			continue
		}
		last := len(t.operations) - 1
		switch why := idle[i]; {
		case why != "":
			t.left = append(t.left, Left{o, why})
		case last >= 0 && sameCommand(&t.operations[last], &o):
			t.left = append(t.left, Left{o, leftTwice})
		case d.waits(&o) != "":
			t.left = append(t.left, Left{o, leftWaits})
		default:
			if at, merged, ok := mergeable(t.operations, o); ok && merge {
				t.left = append(t.left, Left{t.operations[at], leftMerged})
				if t.operations[at] = merged; changesNothing(merged) {
					t.left[len(t.left)-1].Why = leftUndone
					t.left = append(t.left, Left{o, leftUndone})
					t.operations = slices.Delete(t.operations, at, at+1)
				}
				continue
			}
			t.operations = append(t.operations, o)
		}
	}
	return t
}

// redundant returns the operations of this turn that seem to have no effect on the files, and
// why.
func (d pruning) redundant() map[int]string {
	used, covered := map[int]bool{}, map[int]bool{}
	for _, o := range d.outcomes() {
		f := d.files[o.path]
		if o.newPath != "" {
			f = d.files[o.newPath]
		}
		makers := o.makers()
		for _, i := range o.operations {
			switch {
			case slices.Contains(f.movers, i):
				used[i] = true
			case slices.Contains(f.covered, i):
				covered[i] = true
			case makers == nil || makers[i]:
				used[i] = true
			}
		}
	}
	idle := map[int]string{}
	for i := d.begun; i < len(d.operations); i++ {
		switch {
		case used[i] || d.operations[i].IsCommand():
		case covered[i]:
			idle[i] = leftCovered
		default:
			idle[i] = leftUndone
		}
	}
	return idle
}

// makers returns the operations that made the file, or nil if it is not known what made a part
// of it.
func (o *outcome) makers() map[int]bool {
	switch {
	case o.action == plan.Rename && o.base.text == o.proposed:
		return map[int]bool{}
	case o.areas == nil || o.action != plan.Update && o.action != plan.Rename:
		return nil
	}
	makers := map[int]bool{}
	for _, piece := range plan.Pieces(o.action, o.base.text, o.proposed, o.areas) {
		if len(piece.Calls) == 0 {
			return nil
		}
		for _, i := range piece.Calls {
			makers[i] = true
		}
	}
	return makers
}

// oneFileEach returns those of idle that can be left out, file by file, so that a wrong guess
// about one file does not keep the others.
func (d pruning) oneFileEach(idle map[int]string) map[int]string {
	byPath := map[string]map[int]string{}
	for i, why := range idle {
		path := d.operations[i].Path
		if byPath[path] == nil {
			byPath[path] = map[int]string{}
		}
		byPath[path][i] = why
	}
	good := map[int]string{}
	for n, path := range slices.Sorted(maps.Keys(byPath)) {
		if n == maxFilesEach {
			break
		}
		if d.stagedAgain(d.news(byPath[path])) != nil {
			maps.Copy(good, byPath[path])
		}
	}
	return good
}

// maxFilesEach is how many files are tried one by one: for each, all operations are staged again.
const maxFilesEach = 8

// stagedAgain stages operations on the content from the turn's beginning. It returns the result
// if all files are the same as in d, else nil.
func (d pruning) stagedAgain(operations []plan.Operation) *content {
	lean := newContent(d.w)
	if d.start != nil {
		lean = d.start.clone()
	}
	lean.start, lean.begun = d.start, d.begun
	lean.submission, lean.submittedNow = d.submission, d.submittedNow
	defer func() { lean.refused = d.refused }() // forget refusals that were settled on the way
	lean.bases, lean.touched = maps.Clone(d.bases), maps.Clone(d.touched)
	for _, o := range operations {
		if o.IsCommand() {
			lean.add(o)
		} else if _, err := lean.restage(d.replay, o); err != nil {
			return nil
		}
	}
	if !sameOutcomes(d.outcomes(), lean.outcomes()) {
		return nil
	}
	return lean
}

// samePieces reports whether a user can decide on the same pieces of a file.
func samePieces(a, b *outcome) bool {
	pieces := func(o *outcome) blame.Areas {
		if o.kept { // it has its own pieces
			return o.areas
		}
		return plan.Pieces(o.action, o.base.text, o.proposed, o.areas)
	}
	if a.action == plan.Create || a.action == plan.Delete {
		return true
	}
	return slices.EqualFunc(pieces(a), pieces(b), func(x, y blame.Area) bool { return x.Old == y.Old && x.New == y.New })
}

// sameOutcomes reports whether two drafts change the same files in the same way.
func sameOutcomes(a, b []outcome) bool {
	if len(a) != len(b) {
		return false
	}
	of := map[string]outcome{}
	for _, o := range b {
		of[o.path] = o
	}
	for _, o := range a {
		p, ok := of[o.path]
		if !ok || !samePieces(&o, &p) || o.action != p.action || o.newPath != p.newPath || o.base != p.base || o.proposed != p.proposed {
			return false
		}
	}
	return true
}

// changed are the lines that a change has taken out of a file and put into it.
type changed struct {
	removed, added []string
	before         string // the file before
}

// changedLines compares two texts by their lines, without the spaces around them and whatever
// their order.
func changedLines(before, after string) changed {
	return changed{linesNotIn(before, after, maxChanged), linesNotIn(after, before, maxChanged), before}
}

// most reports whether the change is of more than half of the file, or makes the file.
func (c changed) most() bool {
	return 2*len(c.removed) >= 1+len(linesNotIn(c.before, "", 2*maxChanged))
}

// linesNotIn returns the lines of a text that another text does not have, most of them at most,
// without the spaces around them and without those that are blank.
func linesNotIn(text, other string, most int) []string {
	there := map[string]int{}
	for line := range strings.Lines(other) {
		there[strings.TrimSpace(line)]++
	}
	var all []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if there[line] > 0 {
			there[line]--
			continue
		}
		if all = append(all, line); len(all) == most {
			break
		}
	}
	return all
}

// makes reports whether a change is like the replacement of a text: it adds at least half of the
// lines that the replacement adds to the file or, if that only removes lines, it removes half of
// those. Or it replaces the same words and signs by the same, beside half of the same words, as a
// second attempt does that only gets a name right. A replacement that changes no line is only about
// spaces or the order; any change may be like it.
func (c changed) makes(t Text) bool {
	if t.Either {
		return mostAre(linesNotIn(t.New, "", maxLines), slices.Concat(c.added, c.removed))
	}
	if wanted := linesNotIn(t.New, t.Old+"\n"+c.before, maxLines); len(wanted) > 0 {
		return mostAre(wanted, c.added) || c.exchanges(t)
	}
	if gone := linesNotIn(t.Old, t.New, maxLines); len(gone) > 0 {
		return mostAre(gone, c.removed)
	}
	return true
}

// exchanges reports whether a change replaces the same words and signs as the replacement of a
// text by the same, beside half of the same words.
func (c changed) exchanges(t Text) bool {
	removed, added := strings.Join(c.removed, "\n"), strings.Join(c.added, "\n")
	news := tokensNotIn(t.New, t.Old)
	if !maps.Equal(news, tokensNotIn(added, removed)) || !maps.Equal(tokensNotIn(t.Old, t.New), tokensNotIn(removed, added)) {
		return false
	}
	beside := wordsIn(t.New)
	maps.DeleteFunc(beside, func(word string, _ bool) bool { return news[word] > 0 })
	there, n := wordsIn(added), 0
	for word := range beside {
		if there[word] {
			n++
		}
	}
	return n > 0 && 2*n >= len(beside)
}

// tokensNotIn counts the words and signs of a text beyond those of another.
func tokensNotIn(text, other string) map[string]int {
	count := map[string]int{}
	add := func(text string, by int) {
		for _, line := range linesNotIn(text, "", maxLines) {
			for _, word := range words(line) {
				count[word] += by
			}
			for _, r := range line {
				if !inWord(r) && !unicode.IsSpace(r) {
					count[string(r)] += by
				}
			}
		}
	}
	add(text, 1)
	add(other, -1)
	maps.DeleteFunc(count, func(_ string, n int) bool { return n <= 0 })
	return count
}

// mostAre reports whether at least half of the wanted lines are among others, more or less.
// Lines without words count only if there are no others.
func mostAre(wanted, others []string) bool {
	said := make([]map[string]bool, len(others))
	for i, line := range others {
		said[i] = wordsIn(line)
	}
	told, found, bare := 0, 0, 0
	for _, line := range wanted {
		own := wordsIn(line)
		if len(own) == 0 {
			if slices.Contains(others, line) {
				bare++
			}
			continue
		}
		told++
		for _, other := range said {
			if mostIn(own, other) {
				found++
				break
			}
		}
	}
	if told == 0 {
		return 2*bare >= len(wanted)
	}
	return 2*found >= told
}

// mostIn reports whether at least two thirds of some words are among others.
func mostIn(own, others map[string]bool) bool {
	n := 0
	for word := range own {
		if others[word] {
			n++
		}
	}
	return 3*n >= 2*len(own)
}

// wordsIn returns the words and numbers of a line.
func wordsIn(line string) map[string]bool {
	all := map[string]bool{}
	for _, word := range words(line) {
		all[word] = true
	}
	return all
}

// words returns the words and numbers of a text in order.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !inWord(r) })
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
