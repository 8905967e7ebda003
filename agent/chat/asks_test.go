package chat

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// asOneExpression says what asksTo means: one expression, which is slow to compile.
func asOneExpression(words map[string]bool) *regexp.Regexp {
	var all []string
	for word := range words {
		all = append(all, word)
	}
	slices.Sort(all)
	return regexp.MustCompile(polite + request + `(?:` + strings.Join(all, "|") + `)\b`)
}

// The rules without their short ways find the same.
func TestRulesFindWhatTheirExpressionsDo(t *testing.T) {
	change, run := asOneExpression(developing), asOneExpression(operating)
	pieces := strings.Fields(`please ok hi, next: can could you would i we i'd want like to let let's us add rename run build addé _add add. let'sadd
		test so now plan a the plan: propose outline how describe what do don't not change changing anything yet only tell me joke poem write
		sing song about weather is it time day capital of france who won cup what's for lunch dinner give recipe show my current again ? . `)
	pieces = append(pieces, "what is the capital of france", "make a plan for", "without changing anything", "describe how you would", "what time is it")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 7).Draw(t, "text"), " ")
		if got, want := asksTo(developing, text), change.MatchString(text); got != want {
			t.Errorf("%q asks for a change: %t, want %t", text, got, want)
		}
		if got, want := asksTo(operating, text), run.MatchString(text); got != want {
			t.Errorf("%q asks to run something: %t, want %t", text, got, want)
		}
		f, _ := Rules(text)
		words := strings.TrimSpace(text)
		if Approves(text) || GoesOn(text) || f.Render || words == "" {
			return
		}
		if want := planning().MatchString(words) || first().MatchString(words); f.Plan != want {
			t.Errorf("%q asks for a plan: %t, want %t", text, f.Plan, want)
		} else if want := elsewhere().MatchString(words); !f.Plan && f.OffTopic != want {
			t.Errorf("%q is about something else: %t, want %t", text, f.OffTopic, want)
		}
	})
}
