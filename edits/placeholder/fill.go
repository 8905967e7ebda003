package placeholder

import (
	"fmt"
	"strings"
)

// fill returns text with each placeholder replaced by the lines of old that it stands
// for, or why they are unclear.
func fill(old, text string, found []Placeholder, form Form) (filled, why string) {
	if form == Rows || strings.TrimSpace(old) == "" {
		return "", whyNever
	}
	if onlyCR(old) || onlyCR(text) {
		return "", "lines end with a carriage return alone"
	}
	for _, p := range found {
		if !p.alone {
			return "", "it is in a line with other text"
		}
		if p.twin {
			return "", "the text that is there has such a line as well"
		}
	}
	f := newFilling(splitLines(old), splitLines(text), found, form)
	if !f.rising() {
		return "", "the lines that stay are in another order"
	}
	var b strings.Builder
	olds, news := strings.SplitAfter(old, "\n"), strings.SplitAfter(text, "\n")
	at := 0
	for _, p := range found {
		s, why := f.stretch(p.Line - 1)
		if why != "" {
			return "", why
		}
		b.WriteString(strings.Join(news[at:s.from], ""))
		put := strings.Join(olds[s.first:s.after], "")
		if b.Len() > 0 && s.from > 0 && !strings.HasSuffix(news[s.from-1], "\n") {
			put = "\n" + put
		}
		if at = s.to; at < len(news) && news[at] != "" && !strings.HasSuffix(put, "\n") {
			put += "\n"
		}
		b.WriteString(put)
	}
	b.WriteString(strings.Join(news[min(at, len(news)):], ""))
	return b.String(), ""
}

// whyNever is the reason for a placeholder whose lines are never searched for.
const whyNever = "never"

// filling finds the lines that the placeholders of a text stand for.
type filling struct {
	old, new []string // lines
	form     Form
	mark     map[int]bool   // new lines that are placeholders
	inOld    map[string]int // how often a line is in old
	where    map[string]int // the place in old of a line that is once in old and once in new
}

func newFilling(old, new []string, found []Placeholder, form Form) *filling {
	f := &filling{old: old, new: new, form: form, mark: map[int]bool{}, inOld: map[string]int{}, where: map[string]int{}}
	for _, line := range old {
		f.inOld[line]++
	}
	inNew := map[string]int{}
	for _, line := range new {
		inNew[line]++
	}
	for i, line := range old {
		if line != "" && f.inOld[line] == 1 && inNew[line] == 1 {
			f.where[line] = i
		}
	}
	for _, p := range found {
		f.mark[p.Line-1] = true
	}
	return f
}

// rising reports whether all lines that are once in both texts are in the same
// order in both.
func (f *filling) rising() bool {
	last := -1
	for _, line := range f.new {
		if i, ok := f.where[line]; ok {
			if i < last {
				return false
			}
			last = i
		}
	}
	return true
}

// stretch is the replacement of a placeholder and the blank lines around it: the old
// lines [first, after) replace the new lines [from, to).
type stretch struct{ first, after, from, to int }

// stretch returns the lines that the placeholder in line i stands for, or why they are
// unclear.
func (f *filling) stretch(i int) (s stretch, why string) {
	for s.from = i; s.from > 0 && f.new[s.from-1] == ""; s.from-- {
	}
	for s.to = i + 1; s.to < len(f.new) && f.new[s.to] == ""; s.to++ {
	}
	if s.first, why = f.above(s.from); why != "" {
		return s, why
	}
	if s.after, why = f.below(s.to); why != "" {
		return s, why
	}
	if s.first > s.after {
		return s, "the lines around it are in another order"
	}
	for _, line := range f.old[s.first:s.after] {
		if line != "" {
			return s, ""
		}
	}
	return s, "there is nothing between the lines around it"
}

// above returns the old line below which the lines above new line i end: they
// are a line that is only once in both texts, and others that follow it in both, or
// new imports.
func (f *filling) above(i int) (first int, why string) {
	if i == 0 {
		if f.form == Whole {
			return 0, ""
		}
		return 0, "no line is above it"
	}
	for k := i - 1; k >= 0 && !f.mark[k]; k-- {
		at, ok := f.where[f.new[k]]
		if !ok {
			continue
		}
		first = at + i - k
		switch {
		case first <= len(f.old) && sameLines(f.old[at:first], f.new[k:i]):
			return first, ""
		case f.addsImports(at, k+1, i):
			return at + 1, ""
		}
		return 0, notOnce("above", f.new[i-1])
	}
	return 0, notOnce("above", f.new[i-1])
}

// below returns the old line at which the lines from new line i on begin.
func (f *filling) below(i int) (after int, why string) {
	if i == len(f.new) {
		if f.form == Whole {
			return len(f.old), ""
		}
		return 0, "no line is below it"
	}
	for k := i; k < len(f.new) && !f.mark[k]; k++ {
		at, ok := f.where[f.new[k]]
		if !ok {
			continue
		}
		after = at - (k - i)
		if after < 0 || !sameLines(f.old[after:at+1], f.new[i:k+1]) {
			break
		}
		return after, ""
	}
	return 0, notOnce("below", f.new[i])
}

func sameLines(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// notOnce is the message that a line beside a placeholder does not show its place.
func notOnce(side, line string) string {
	return fmt.Sprintf("the line %s it (%s) does not tell one place in the text that is there", side, quoted(line))
}

// StepRestored is shown with a hunk in addition to, or instead of, the step that found
// its place (see [match.Match]), if lines that its author left out were put back.
const StepRestored = "left-out lines kept"

// Step returns the text to show with a hunk whose place was found by step; restored means
// that placeholders in its text were resolved.
func Step(step string, restored bool) string {
	switch {
	case !restored:
		return step
	case step == "", step == "exact", step == "line": // found exactly as asked for
		return StepRestored
	}
	return step + ", " + StepRestored
}

// Restored returns a text that names the placeholders whose lines were put back, "" for
// none.
func Restored(ps []Placeholder) string {
	if len(ps) == 0 {
		return ""
	}
	names := make([]string, 0, len(ps))
	for _, p := range ps[:min(len(ps), maxListed)] {
		names = append(names, fmt.Sprintf("%s (line %d)", quoted(p.Text), p.Line))
	}
	if len(ps) > maxListed {
		names = append(names, fmt.Sprintf("%d more", len(ps)-maxListed))
	}
	return "The lines for " + strings.Join(names, ", ") + " were taken over from the text that is there."
}
