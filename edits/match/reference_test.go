package match

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/edits"
	"redline/edits/internal/linetext"
)

// This file finds the same places as the steps by exhaustive search, one rule after another, for
// comparison.

// referenceSteps are the steps: which look-alikes and shifts they forgive.
var referenceSteps = []struct {
	name                      string
	exact, shift, unit, looks bool
}{
	{name: "exact", exact: true},
	{name: "line endings"},
	{name: "indentation", shift: true},
	{name: "indentation", shift: true, unit: true},
	{name: "look-alikes", looks: true},
	{name: "look-alikes", looks: true, shift: true},
}

// referenceFind returns the places of the first step that has any, and which
// step that is.
func referenceFind(text, old string, w Where) (places []edits.Span, step string) {
	if places, step = referenceSeen(text, old, w); len(places) > 0 {
		return places, step
	}
	if own, ok := referenceForms(text, old, w); ok {
		if places, step = referenceSeen(text, own, w); len(places) == 1 && step != StepLookAlikes {
			return places, StepLookAlikes
		}
	}
	if own, ok := referenceFirstLine(text, old, w); ok {
		if places, step = referenceSeen(text, own, w); len(places) == 1 && (step == StepExact || step == StepLineEndings) {
			return places, StepIndentation
		}
	}
	own, ok := referenceRuns(text, old, w)
	if !ok {
		return nil, ""
	}
	if places, step = referenceSeen(text, own, w); len(places) != 1 || step == StepLookAlikes {
		return nil, ""
	}
	return places, StepSpaces
}

// referenceRuns returns old with the runs of spaces of the only place that differs in nothing else.
func referenceRuns(text, old string, w Where) (own string, ok bool) {
	run := regexp.MustCompile(`[ \t]+`)
	fold := func(s string) string {
		var lines []string
		for _, line := range linetext.Split(linetext.WithoutBOM(s)) {
			lines = append(lines, strings.Trim(run.ReplaceAllString(linetext.Plain(linetext.Content(line)), " "), " "))
		}
		return strings.Join(lines, "\n")
	}
	want := fold(old)
	if !strings.Contains(want, " ") {
		return "", false
	}
	closed := w.Lines || linetext.End(old) != ""
	in := "\n" + fold(text) + "\n"
	at, n := 0, 0
	for i := range in {
		end := i + len(want)
		if i == 0 || end >= len(in) || in[i:end] != want || inWord(in[:i], in[i:]) || inWord(in[:end], in[end:]) || closed && in[end] != '\n' || w.Lines && in[i-1] != '\n' {
			continue
		}
		at = i
		n++
	}
	if n != 1 {
		return "", false
	}
	// The lines of the place, word by word.
	var out strings.Builder
	lines := linetext.Split(linetext.WithoutBOM(text))
	offset := len(text) - len(linetext.WithoutBOM(text))
	first := strings.Count(in[:at], "\n") - 1
	for _, line := range lines[:first] {
		offset += len(line)
	}
	differs := false
	for k, line := range linetext.Split(linetext.WithoutBOM(old)) {
		there := lines[first+k]
		p, is := linetext.PartsOf(linetext.Content(line)), linetext.PartsOf(linetext.Content(there))
		words := run.Split(p.Body, -1)
		before := 0
		if k == 0 {
			before = at - strings.LastIndexByte(in[:at], '\n') - 1
		}
		start := 0
		for before > 0 && start < len(is.Body) && len(fold("x"+is.Body[:start]+"x"))-2 < before {
			_, size := utf8.DecodeRuneInString(is.Body[start:])
			start += size
		}
		if before > 0 {
			start = len(is.Body) - len(strings.TrimLeftFunc(is.Body[start:], linetext.IsBlank))
		}
		runs := run.FindAllString(p.Body, -1)
		rest := is.Body[start:]
		for i, word := range words {
			if i > 0 {
				body := strings.TrimLeft(rest, " \t")
				if got := rest[:len(rest)-len(body)]; got == "" {
					return "", false
				} else if got != runs[i-1] {
					differs = true
					if linetext.QuotesOf(text).May(offset + len(is.Indent) + len(is.Body) - len(rest)) {
						return "", false
					}
				}
				rest = body
			}
			if !strings.HasPrefix(rest, word) {
				return "", false
			}
			rest = rest[len(word):]
		}
		out.WriteString(p.Indent + is.Body[start:len(is.Body)-len(rest)] + p.Tail + linetext.End(line))
		offset += len(there)
	}
	return out.String(), differs
}

// referenceSeen is referenceFind without the step that forgives spaces.
func referenceSeen(text, old string, w Where) (places []edits.Span, step string) {
	for _, s := range referenceSteps {
		places := referencePlaces(text, old, s.exact, s.shift, s.unit, s.looks)
		unwanted := func(p edits.Span) bool {
			if linetext.Divides(text, p.Start) || linetext.Divides(text, p.End) {
				return true
			}
			if !s.exact && (inWord(text[:p.Start], text[p.Start:]) || inWord(text[:p.End], text[p.End:])) {
				return true
			}
			atStart := linetext.IsStart(text, p.Start) || p.Start == 3 && strings.HasPrefix(text, edits.BOM)
			return w.Lines && !(atStart && linetext.IsBound(text, p.End))
		}
		places = slices.DeleteFunc(places, unwanted)
		name := s.name
		if s.exact && len(places) > 0 && strings.ContainsAny(old, "\r\n") {
			places = slices.DeleteFunc(referenceFolded(text, old), unwanted)
		}
		if w.All {
			last := 0
			places = slices.DeleteFunc(places, func(p edits.Span) bool {
				overlaps := p.Start < last
				if !overlaps {
					last = p.End
				}
				return overlaps
			})
		}
		seen := places
		if !w.All {
			seen = places[:min(len(places), maxListed)]
		}
		if s.exact && slices.ContainsFunc(seen, func(p edits.Span) bool { return p.Of(text) != old }) {
			name = StepLineEndings
		}
		if len(places) > 0 {
			return places, name
		}
	}
	return nil, ""
}

// referenceFolded returns the places that equal old except for line ends.
func referenceFolded(text, old string) (places []edits.Span) {
	ends := regexp.MustCompile("\r\n|\r|\n")
	want := ends.ReplaceAllString(old, "\n")
	for i := range text {
		for j := i; j <= min(len(text), i+2*len(old)); j++ {
			if !linetext.Divides(text, i) && !linetext.Divides(text, j) && ends.ReplaceAllString(text[i:j], "\n") == want {
				places = append(places, edits.Span{Start: i, End: j})
			}
		}
	}
	return places
}

var wordRune = regexp.MustCompile(`[\pL\p{Nd}_]`)

// inWord reports whether the one text ends with a word and the other starts
// with one.
func inWord(before, after string) bool {
	a, _ := utf8.DecodeLastRuneInString(before)
	b, _ := utf8.DecodeRuneInString(after)
	return wordRune.MatchString(string(a)) && wordRune.MatchString(string(b))
}

func referencePlaces(text, old string, exact, shift, unit, looks bool) (places []edits.Span) {
	if exact {
		for i := 0; i+len(old) <= len(text); i++ {
			if text[i:i+len(old)] == old {
				places = append(places, edits.Span{Start: i, End: i + len(old)})
			}
		}
		return places
	}
	fold := func(line string) string { return line }
	if looks {
		fold = linetext.Plain
	}
	bare := func(line string) string { return strings.TrimRight(fold(linetext.Content(line)), " \t") }
	want := linetext.Split(linetext.WithoutBOM(old))
	if strings.Trim(linetext.Plain(linetext.WithoutBOM(old)), " \t\r\n") == "" {
		return nil
	}
	open := linetext.End(want[len(want)-1]) == ""
	offset := len(text) - len(linetext.WithoutBOM(text))
	lines := linetext.Split(text[offset:])
	starts := []int{offset}
	for _, line := range lines {
		starts = append(starts, starts[len(starts)-1]+len(line))
	}
	if open { // its last line may be empty, and the text may end without it
		lines, starts = append(lines, ""), append(starts, len(text))
	}
	for l := range lines {
		if l+len(want) > len(lines) || linetext.WithoutBOM(old) != old && l > 0 {
			break
		}
		endOfPlace := starts[l+len(want)]
		last := lines[l+len(want)-1]
		if open {
			endOfPlace -= len(linetext.End(last))
		}
		if shift {
			same := sameShifted
			if unit {
				same = sameScaled
			}
			if same(lines[l:l+len(want)], want, bare) {
				places = append(places, edits.Span{Start: starts[l], End: endOfPlace})
			}
			continue
		}
		whole := bare(lines[l])
		for c := 0; c <= len(linetext.Content(lines[l])); c++ {
			if linetext.WithoutBOM(old) != old && c > 0 {
				break
			}
			piece := lines[l][c:]
			if first := bare(want[0]); first == "" && len(want) > 1 {
				// It starts with a line end, or with an empty line.
				if linetext.Content(want[0]) != "" && whole != "" || whole == "" && c > 0 || whole != "" && c < len(linetext.Content(lines[l])) {
					continue
				}
			} else if bare(piece) == "" {
				continue
			}
			same, end := true, endOfPlace
			for k, line := range want {
				is := lines[l+k]
				if k == 0 {
					is = piece
				}
				if k == len(want)-1 && open && bare(is) != bare(line) {
					if same = same && strings.HasPrefix(fold(linetext.Content(is)), fold(line)); same {
						n := 0
						for fold(is[:n]) != fold(line) {
							n++
						}
						end = starts[l+k+1] - len(lines[l+k]) + (len(lines[l+k]) - len(is)) + n
					}
				} else {
					same = same && bare(is) == bare(line)
				}
			}
			if same {
				places = append(places, edits.Span{Start: starts[l] + c, End: end})
			}
		}
	}
	return places
}

// sameShifted reports whether the lines are the wanted ones, with one indentation in place of the
// one that all of these share.
func sameShifted(lines, want []string, bare func(string) string) bool {
	common, first := "", true
	for _, line := range want {
		line = bare(line)
		for !first && !strings.HasPrefix(line, common) && line != "" {
			common = common[:len(common)-1]
		}
		if first && line != "" {
			common, first = line[:len(line)-len(strings.TrimLeft(line, " \t"))], false
		}
	}
	top := slices.IndexFunc(lines, func(line string) bool { return bare(line) != "" })
	if top < 0 {
		return false
	}
	for n := 0; n <= len(bare(lines[top])); n++ {
		instead := bare(lines[top])[:n]
		if strings.Trim(instead, " \t") != "" {
			break
		}
		same := true
		for i := range want {
			if w := bare(want[i]); w == "" {
				same = same && bare(lines[i]) == ""
			} else {
				same = same && bare(lines[i]) == instead+w[len(common):]
			}
		}
		if same {
			return true
		}
	}
	return false
}

// sameScaled reports whether the lines are the wanted ones if their indentation is written in
// another unit, and not all lines have the same depth.
func sameScaled(lines, want []string, bare func(string) string) bool {
	deep := map[string]bool{}
	for _, line := range want {
		if line = bare(line); line != "" {
			deep[line[:len(line)-len(strings.TrimLeft(line, " \t"))]] = true
		}
	}
	if len(deep) < 2 {
		return false
	}
	for i := range want {
		if strings.TrimLeft(bare(want[i]), " \t") != strings.TrimLeft(bare(lines[i]), " \t") {
			return false
		}
	}
	for _, x := range []string{"\t", " ", "  ", "   ", "    ", "        "} {
		for _, y := range []string{"\t", " ", "  ", "   ", "    ", "        "} {
			for more := -40; more <= 40; more++ {
				same := x != y
				for i := range want {
					same = same && scaledLine(bare(want[i]), bare(lines[i]), x, y, more)
				}
				if same {
					return true
				}
			}
		}
	}
	return false
}

// scaledLine reports whether the line is the wanted one, with as many units y as that has units x,
// plus additional ones, and with the same spaces, at most 7, after them.
func scaledLine(want, there, x, y string, more int) bool {
	if want == "" || there == "" {
		return want == there
	}
	for depth := 0; depth <= len(want); depth++ {
		for rest := 0; rest <= 7 && depth+more >= 0; rest++ {
			from := strings.Repeat(x, depth) + strings.Repeat(" ", rest)
			to := strings.Repeat(y, depth+more) + strings.Repeat(" ", rest)
			body, ok := strings.CutPrefix(want, from)
			if ok && there == to+body && strings.Trim(body[:1], " \t") != "" && (x[0] == '\t' || rest < len(x)) && (y[0] == '\t' || rest < len(y)) {
				return true
			}
		}
	}
	return false
}
