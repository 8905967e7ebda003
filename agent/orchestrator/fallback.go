package orchestrator

import (
	"slices"
	"strings"
	"unicode"
)

// Fallback returns the plan of a request for which the planner gave no usable answer: the
// specialists that have a keyword in the request, at most most of them, one after the other. If
// none has, it takes the newest message of recent, as [Recent] returns it, that matches a
// keyword: "do the same for b.txt" says nothing itself. Otherwise the general specialist works.
// The task is the request itself.
func Fallback(request, recent string, r *Registry, most int) *Plan {
	p := &Plan{By: ByRules, RefinedTask: request}
	said := []string{request}
	for _, line := range slices.Backward(strings.Split(recent, "\n")) {
		if _, message, ok := strings.Cut(line, ": "); ok {
			said = append(said, message)
		}
	}
	for i := 0; len(p.Work) == 0 && i < len(said); i++ {
		for _, s := range r.list {
			if len(p.Work) < most && s.ID != General && asksFor(said[i], s.Keywords) {
				p.Work = append(p.Work, Assignment{Specialist: s.ID})
			}
		}
		if i > 0 && len(p.Work) > 0 {
			p.note("No word of the request names a specialist; one of what was said before does.")
		}
	}
	if len(p.Work) == 0 {
		p.Work = []Assignment{{Specialist: General}}
	}
	p.Alone = len(p.Work) == 1
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
