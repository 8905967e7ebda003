package specialists

import (
	"strings"
	"unicode"
)

// Fallback returns the plan of a request for which the planner gave no usable answer: the
// specialists that have a keyword in the request, at most most of them, one after the
// other; else the general one. The task is the request itself.
func Fallback(request string, r *Registry, most int) *Plan {
	p := &Plan{By: ByRules, RefinedTask: request}
	for _, s := range r.list {
		if len(p.Work) < most && s.ID != General && asksFor(request, s.Keywords) {
			p.Work = append(p.Work, Assignment{Specialist: s.ID})
		}
	}
	if len(p.Work) == 0 {
		p.Work = []Assignment{{Specialist: General}}
	}
	p.queue()
	return p
}

// asksFor reports whether a request has one of the words.
func asksFor(request string, words []string) bool {
	has := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(request), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		has[w] = true
	}
	for _, w := range words {
		if has[strings.ToLower(w)] {
			return true
		}
	}
	return false
}
