package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"redline/edits"
	"redline/fidelity/internal/cases"
)

// outcome is the result of a call. README.md explains each.
type outcome string

const (
	right     outcome = "right"
	near      outcome = "near"    // right but for line ends, spaces that do not indent, and characters that look alike
	refusedOK outcome = "refused" // refused, as it must be
	lost      outcome = "lost"    // refused, though there is one right text
	wrong     outcome = "wrong"   // changed, and not as it was meant, or though it had to be refused
	silent    outcome = "silent"  // nothing was done, and the tool says that it was
	half      outcome = "half"    // a part was done
	cannot    outcome = "cannot"  // the tool has no such form
)

var outcomes = []outcome{right, refusedOK, lost, near, wrong, silent, half}

// What a tool says that it did.
const (
	applied = "applied" // all of it
	refused = "refused" // nothing
	partly  = "partly"  // some files, and it names those that it changed and those that it refused
	hasNot  = "cannot"  // the tool has no such form
)

// judge returns the outcome of a call, from what the tool says and from the files that it left.
func judge(c *cases.Case, said string, got map[string]string) outcome {
	changed := !maps.Equal(got, c.Before)
	switch {
	case said == hasNot:
		return cannot
	case (said == refused || said == partly) && !changed && c.Refuse:
		return refusedOK
	case (said == refused || said == partly) && !changed:
		return lost
	case said == partly && c.InPart && maps.Equal(got, c.Half):
		return refusedOK
	case said != applied:
		return half
	case !changed:
		return silent
	case !c.Refuse && maps.Equal(got, c.After):
		return right
	case !c.Refuse && maps.Equal(bare(got), bare(c.After)):
		return near
	case c.Half != nil && maps.Equal(got, c.Half), !c.Refuse && partOf(got, c.Before, c.After):
		return half
	}
	return wrong
}

var (
	inner   = regexp.MustCompile(`(\S) +`)
	lineEnd = regexp.MustCompile(`[ \t]*(\r\n|\r|\n)`)
	plain   = strings.NewReplacer("“", `"`, "”", `"`, "‘", "'", "’", "'", "–", "-", "—", "-", "‑", "-", "\u200b", "")
)

// bare returns texts without what distinguishes right from near.
func bare(files map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		text = plain.Replace(norm.NFKC.String(strings.TrimPrefix(text, edits.BOM)))
		text = inner.ReplaceAllString(lineEnd.ReplaceAllString(text, "\n"), "$1 ")
		out[name] = strings.TrimRight(text, "\r\n \t")
	}
	return out
}

// partOf reports whether files have some of the changes between two states, and not others.
func partOf(got, before, after map[string]string) bool {
	same, done := 0, 0
	for name := range union(before, after) {
		was, is, will := before[name], got[name], after[name]
		switch {
		case was == will && is != was:
			return false
		case was == will:
		case is == was:
			same++
		case is == will:
			done++
		default:
			hunks := edits.Diff(was, will)
			if len(hunks) > 6 {
				return false
			}
			found := false
			for some := 1; some < 1<<len(hunks)-1 && !found; some++ {
				var part []edits.Hunk
				for i, h := range hunks {
					if some&(1<<i) != 0 {
						part = append(part, h)
					}
				}
				text, err := edits.Apply(was, edits.EditsOf(part))
				found = err == nil && text == is
			}
			if !found {
				return false
			}
			same, done = same+1, done+1
		}
	}
	return same > 0 && done > 0
}

func union(a, b map[string]string) map[string]bool {
	all := map[string]bool{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b))) {
		all[name] = true
	}
	return all
}
