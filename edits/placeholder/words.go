package placeholder

import (
	"regexp"
	"strings"

	"redline/internal/lazyregexp"
)

// grade is the certainty that some words stand for lines left out.
type grade int

const (
	none   grade = iota
	weak         // only if the line alone replaces code (see [difference.stands])
	likely       // only if the line replaces others
	sure         // in any case: nobody writes such words otherwise
)

// wording is the text of a comment, or of a line without code.
type wording struct {
	words       string // in lower case, separated by single spaces
	lead, trail bool   // dots before the words, or after them
	inside      bool   // dots between the words
	tight       bool   // dots directly at a word, without a space
	bracket     bool   // the words are in brackets
}

// dots reports whether there is an ellipsis.
func (s wording) dots() bool { return s.lead || s.trail || s.inside }

// maxWords is how long the words of a placeholder may be, in bytes.
const maxWords = 120

// otherDots are other ways to write an ellipsis, and double brackets.
var otherDots = strings.NewReplacer("⋮", "…", "⋯", "…", ". . .", "...", "{{", "{", "}}", "}", ">>>", "", "<<<", "", "«", "", "»", "", "✂", "")

// wordingOf removes dots, brackets and ornaments from a comment. ok is false if it is
// certainly no placeholder.
func wordingOf(body string) (w wording, ok bool) {
	var s wording
	body = strings.TrimSpace(otherDots.Replace(body))
	if long := strings.Trim(body, "."); strings.HasPrefix(body, "....") && strings.HasSuffix(body, "....") && hasWord(long) {
		body = "..." + long + "..."
	}
	if len(body) > maxWords || strings.Contains(body, "......") || strings.Contains(body, `"..."`) || strings.HasPrefix(body, "- ") || strings.Contains(body, "/...") {
		return s, false // a line of dots, a string, an item of a list, a path
	}
	for was := ""; was != body; {
		was = body
		body = strings.TrimSpace(strings.Trim(body, "*=-~_#/|+!:;,"))
		for _, pair := range []string{"()", "[]", "{}", "<>"} {
			if len(body) > 1 && (pair != "<>" || hasWord(body)) && body[0] == pair[0] && body[len(body)-1] == pair[1] && !strings.ContainsAny(body[1:len(body)-1], pair) {
				body, s.bracket = strings.TrimSpace(body[1:len(body)-1]), true
			}
		}
		if rest, ok := cutDots(body); ok {
			s.lead, s.tight = true, s.tight || rest != "" && rest[0] != ' ' && rest[0] != '\t'
			body = strings.TrimSpace(rest)
		}
		if rest, ok := cutDotsAfter(body); ok {
			s.trail, s.tight = true, s.tight || rest != "" && rest[len(rest)-1] != ' '
			body = strings.TrimSpace(rest)
		}
		if !strings.HasSuffix(body, "..") {
			body = strings.TrimSuffix(body, ".")
		}
	}
	s.words = strings.Join(strings.FieldsFunc(strings.ToLower(body), func(r rune) bool {
		return strings.ContainsRune(" \t,()[]`\"…", r)
	}), " ")
	if s.words == "" && body != "" {
		return s, false // a bracket, which belongs to code
	}
	if dots := strings.Contains(s.words, "..."); dots {
		s.words = strings.Join(strings.Fields(strings.ReplaceAll(s.words, "...", " ")), " ")
		s.inside = true
	}
	return s, true
}

// cutDots removes an ellipsis from the start of s.
func cutDots(s string) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "…"); ok {
		return strings.TrimLeft(rest, "…."), true
	}
	if strings.HasPrefix(s, "...") || strings.HasPrefix(s, "..") && len(s) > 2 && s[2] != '/' {
		return strings.TrimLeft(s, "…."), true
	}
	return s, false
}

// cutDotsAfter removes an ellipsis from the end of s.
func cutDotsAfter(s string) (string, bool) {
	if rest, ok := strings.CutSuffix(s, "…"); ok {
		return strings.TrimRight(rest, "…."), true
	}
	if strings.HasSuffix(s, "...") || strings.HasSuffix(s, "..") && len(s) > 2 {
		return strings.TrimRight(s, "…."), true
	}
	return s, false
}

// The words that phrases are made of, as regular expressions.
const (
	things = `(?:code|codebase|functions?|methods?|class|classes|files?|implementations?|body|bodies|logic|imports?|includes?|contents?|lines?|text|fields?|property|properties|props|members?|components?|definitions?|modules?|sections?|configs?|configuration|tests?|cases?|statements?|blocks?|scripts?|styles?|rules?|markup|html|jsx|css|templates?|handlers?|routes?|variables?|constants?|types?|document|page|program|setup|declarations?|parameters?|params|arguments?|args|options?|entries|entry|items?|keys?|values?|rows?|columns?|quer(?:y|ies)|parts?|stuff|things?|data|attributes?|elements?|children|switch|loop|interfaces?|structs?|enums?|tables?|schemas?|lists?|dependenc(?:y|ies)|settings?|state|hooks?|steps?|checks?|validations?|tags?|headers?|paragraphs?|getters?|setters?|constructors?|helpers?|utilities|initializations?|commands?|jobs?|stages?|targets?|services?|endpoints?|resources?|selectors?|nodes?|validation|handling|error handling|processing|calculations?|styling)`
	// core matches words that no title has.
	core  = `(?:code|codebase|functions?|methods?|class|classes|file|implementations?|body|logic|imports|contents?|components?|definitions?|module|sections?|styles|markup|html|jsx|css|template|document|page|script|query|setup)`
	thing = things + `(?: (?:and |or |& )?` + things + `)?`
	name  = `[\w.$'-]+(?:\(\))?`
	some  = `(?:(?:the|all|all of|your|my|our|this|that|and|plus|with|here|of|is) )*`

	// firm matches words for lines that are unchanged, or left out on purpose.
	firm = `(?:(?:is |are |stays? |remains? |left |kept |has |have |goes )*(?:completely |exactly |entirely |all )?` +
		`(?:unchanged|untouched|unmodified|unaltered|intact|not changed|not modified|the same as before|the same|same as before|same as the original|same as original|as it was|as they were|as-is|as is)(?: (?:here|below|above|from here|as before))?` +
		`|` + out + `|no (?:other |further )?changes?(?: here| needed| below| above| required| made)?|remains?|stays?)`
	out = `(?:is |are |was |were )?(?:omitted|elided|truncated|removed|hidden|skipped|left out|abbreviated|shortened) for (?:brevity|clarity|space|readability)`
	// soft matches words that may mean something else.
	soft = `(?:(?:goes |go |is |are |continues? |stays? |remains? |follows? )?(?:here|as before|as above|below|unchanged|the same|same)|same as above|continues?|follows|omitted|elided|truncated|skipped|snip(?:ped)?|left out|etc)`
	here = `(?:goes |go |is |stays |remains )?here`

	keep = `(?:please |just )?(?:keep|leave|preserve|retain) ` + some

	state = `(?: (?P<state>` + firm + `))?`
	ends  = `(?: (?:(?P<state>` + firm + `|` + here + `)|` + soft + `))?`
)

// phrases are the ways to say that something is left out. The first one that matches all
// the words decides: the grade without dots, the grade with dots, and where the words say
// that the left-out lines stay.
var phrases = []struct {
	pattern             func() *regexp.Regexp
	plain, dots, stated grade
	lead                bool // dots after it are but a pause
}{
	// "keep the rest", "keep existing imports unchanged"
	{whole(keep + `(?:rest|remainder|everything else)(?: of)? ?` + some + `(?:` + name + ` ){0,2}?(?:` + thing + `)?` + ends), likely, sure, sure, false},
	{whole(keep + `(?:remaining|existing|original) ?` + some + `(?:` + name + ` ){0,2}?` + core), likely, sure, sure, false},
	{whole(keep + `(?:remaining|existing|original) ?` + some + `(?:` + name + ` ){0,2}?(?:` + thing + `)?` + ends), none, sure, sure, false},
	// "rest of the function unchanged", "rest of methods", "rest of Parse"
	{whole(some + `(?:rest|remainder)(?: (?:of|in|from))?(?: (?:the|this|that|your|my|our))?(?: ` + name + `)? ` + core), likely, sure, sure, false},
	{whole(some + `(?:rest|remainder)(?: (?:of|in|from))?(?: (?:the|this|that|your|my|our))?(?: ` + name + `){0,2} ` + thing + ends), none, sure, sure, false},
	{whole(some + `(?:rest|remainder)(?: of(?: the| this)? ` + name + `)?` + ends), none, sure, sure, false},
	// "existing code", "remaining methods unchanged"
	{whole(some + `(?:existing|remaining|unchanged) (?:code|implementation|logic|body|contents?|markup)|` + some + `existing (?:imports|functions|methods|styles)`), likely, sure, sure, false},
	{whole(some + `(?:existing|remaining|unchanged|unmodified|untouched)(?: ` + name + `){0,2}? ` + thing + ends), none, sure, sure, false},
	// "same implementation as before"
	{whole(some + `same ` + core + ` as (?:before|above)`), likely, likely, none, false},
	{whole(some + `(?:original|previous|same|old|current)(?: ` + name + `)? ` + thing + ends), none, likely, likely, false},
	// "... existing code until the return ..."
	{whole(some + `(?:existing|remaining|unchanged|rest of(?: the)?|original|previous)(?: ` + name + `){0,2}? ` + thing + `(?: ` + name + `){1,6}`), none, likely, none, true},
	// "... 30 more lines ...", "lines 10-40 unchanged"
	{whole(`(?:lines? )?\d+\+?(?:[-–]\d+)?(?: more| other)?(?: lines?)? (?:unchanged|omitted|not shown|skipped|hidden)`), likely, likely, none, false},
	{whole(`(?:lines? )?\d+\+?(?:[-–]\d+)?(?: more| other)? lines?|lines? \d+(?:[-–]\d+)?`), none, likely, none, true},
	// "no changes to the rest", "unchanged from here on"
	{whole(some + `(?:no (?:other |further )?changes? (?:to|in|below|after|beyond) (?:the |this )?(?:rest|remainder|other|remaining|line|point|body|file|function|method|class)(?: ` + name + `){0,4}|unchanged (?:from here(?: on)?|below|from this point(?: on)?)|nothing (?:else )?changes?(?: here| below)?|nothing else changed)`), likely, sure, none, false},
	// "other methods remain the same"
	{whole(some + `(?:other|more|additional|further)(?: ` + name + `){0,2}? ` + thing + state), none, likely, sure, false},
	{whole(`(?:all |and )*everything else ` + firm), sure, sure, sure, false},
	// "unchanged", "function body unchanged", "validation omitted for brevity"
	{whole(some + `(?:` + core + ` ){0,2}(?:unchanged|unmodified|untouched|same as before|the same as before|no (?:other |further )?changes(?: here| needed| below| above)?|` + out + `)`), likely, sure, likely, false},
	{whole(some + core + ` (?:here |above |below )?` + firm), likely, sure, likely, false},
	{whole(some + `(?:` + name + ` )?(?:` + thing + ` )?` + firm), none, sure, none, false},
	{whole(`snip|snipped|code omitted|omitted|code continues(?: here| below| as before)?`), likely, likely, likely, false},
	{whole(some + `(?:` + thing + ` )?` + soft), none, likely, none, true},
	{whole(some + thing), none, likely, none, true},
}

// whole returns the pattern that the whole of some words must have.
func whole(pattern string) func() *regexp.Regexp { return lazyregexp.New(`^(?:` + pattern + `)$`) }

// few matches only a few words.
var few = lazyregexp.New(`^[\pL_-]+(?: [\pL_-]+){0,3}$`)

// joins are words that continue a sentence.
var joins = map[string]bool{"and": true, "or": true, "but": true, "with": true, "without": true, "plus": true, "then": true, "so": true, "which": true, "that": true, "if": true, "when": true, "while": true, "until": true, "for": true, "to": true, "in": true, "as": true}

// judge returns the grade of the wording.
func (s wording) judge() grade {
	if s.words == "" {
		if s.dots() {
			return likely
		}
		return none
	}
	for _, p := range phrases {
		m := p.pattern().FindStringSubmatch(s.words)
		if m == nil {
			continue
		}
		g := p.plain
		if s.dots() && (s.lead || !p.lead) {
			g = max(g, p.dots)
		}
		if i := p.pattern().SubexpIndex("state"); i >= 0 && m[i] != "" {
			g = max(g, p.stated)
		}
		if g == none {
			g = s.hint()
		}
		return g
	}
	if first, _, _ := strings.Cut(s.words, " "); s.lead && s.trail && few().MatchString(s.words) && !joins[first] {
		return likely
	}
	return s.hint()
}
