package chat

import (
	"maps"
	"regexp/syntax"
	"slices"
	"testing"
)

// A message that says to continue begins with one of the words that are looked up before.
func TestBegins(t *testing.T) {
	parsed, err := syntax.Parse(goesOn().String(), syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]bool{}
	for text := range starts(parsed) {
		first[firstWord(text)] = true
	}
	for word := range first {
		if !beginnings[word] {
			t.Errorf("a match can begin with %q", word)
		}
	}
	for word := range beginnings {
		if !first[word] {
			t.Errorf("no match begins with %q", word)
		}
	}
	if len(first) < 50 {
		t.Errorf("matches begin with only %q", slices.Sorted(maps.Keys(first)))
	}
}

// starts returns the beginnings of what an expression matches, each up to a character that ends its
// first word, or whole.
func starts(e *syntax.Regexp) map[string]bool {
	all := map[string]bool{}
	switch e.Op {
	case syntax.OpLiteral:
		all[string(e.Rune)] = true
	case syntax.OpCharClass:
		for i := 0; i < len(e.Rune); i += 2 {
			for r := e.Rune[i]; r <= min(e.Rune[i+1], 0x2fff); r++ {
				all[string(r)] = true
			}
		}
	case syntax.OpAlternate:
		for _, sub := range e.Sub {
			maps.Copy(all, starts(sub))
		}
	case syntax.OpStar, syntax.OpQuest:
		maps.Copy(all, starts(e.Sub[0]))
		all[""] = true
	case syntax.OpPlus, syntax.OpCapture:
		return starts(e.Sub[0])
	case syntax.OpConcat:
		all[""] = true
		for _, sub := range e.Sub {
			next := map[string]bool{}
			var more map[string]bool
			for text := range all {
				if firstWord(text) != text {
					next[text] = true
					continue
				}
				if more == nil {
					more = starts(sub)
				}
				for rest := range more {
					next[text+rest] = true
				}
			}
			all = next
		}
	default: // it matches no character
		all[""] = true
	}
	return all
}
