// Package placeholder finds the lines of a new text that stand for lines its author left
// out, such as "// ... existing code ...", and puts those lines back if there is one way
// to do so. Otherwise the edit would delete them. The package works on texts only.
package placeholder

import (
	"regexp"
	"strings"

	"redline/edits"
	"redline/internal/lazyregexp"
)

// Placeholder is a line that stands for lines left out.
type Placeholder struct {
	Line int    // in the new text, counted from 1
	Text string // the line without the spaces around it

	alone bool // nothing else is in the line
	put   bool // it replaces no lines
	gone  bool // it says that code was removed
	twin  bool // the old text has such a line too, so it is unclear which is which
}

// Form is the form in which an old and a new text were given.
type Form int

// The forms.
const (
	Whole Form = iota // both are whole files: a placeholder may stand for the lines up to the start or the end
	Part              // a text to replace and its replacement: a placeholder stands for lines between two others
	Rows              // a patch that marks removed lines: none of these is put back
)

// Resolve returns text, which is to replace old in the file at path, with each
// placeholder replaced by the lines of old that it stands for, and the placeholders
// found. A placeholder counts only if old does not hold the same line. It stands for the
// lines between the one above it and the one below it, if both are in old and in text
// exactly once, and in the same order. A new file may have any line. The error is a
// [*Refusal] if it is unclear what one stands for, or if a comment instead of code only says
// that it was removed.
func Resolve(path, old, text string, form Form) (string, []Placeholder, error) {
	if form == Whole && strings.TrimSpace(old) == "" {
		return text, nil, nil
	}
	if left := gone(path, old, text); len(left) > 0 {
		return "", nil, &Refusal{Placeholders: left, Form: form}
	}
	found := Find(path, old, text)
	if len(found) == 0 {
		return text, nil, nil
	}
	filled, why := fill(old, text, found, form)
	if why != "" {
		return "", nil, &Refusal{Placeholders: found, Form: form, why: why}
	}
	return filled, found, nil
}

// Find returns the placeholders of text, which is to replace old in the file at path,
// that old does not have.
func Find(path, old, text string) []Placeholder {
	olds, lines := splitLines(old), splitLines(text)
	had, has := counts(olds), counts(lines)
	candidates := scan(languageOf(path), lines, func(line string) bool { return has[line] > had[line] })
	if len(candidates) == 0 {
		return nil
	}
	at := map[int]bool{}
	for _, c := range candidates {
		at[c.Line-1] = true
	}
	isCandidate := func(i int) bool { return at[i] }
	var d *difference
	out := make([]Placeholder, 0, len(candidates))
	for _, c := range candidates {
		if d == nil {
			d = compare(olds, lines)
		}
		i := c.Line - 1
		if d.of[i] == nil || c.grade < sure && !d.replaces(i) || c.grade == weak && !d.stands(i, isCandidate) {
			continue
		}
		c.twin, c.put = had[c.Text] > 0, !d.replaces(i)
		out = append(out, c.Placeholder)
	}
	return out
}

// counts returns how often each line is among lines, without the spaces around it.
func counts(lines []string) map[string]int {
	n := make(map[string]int, len(lines))
	for _, line := range lines {
		n[strings.TrimSpace(line)]++
	}
	return n
}

// splitLines returns the lines of a text without line ends, the spaces before
// them and a byte order mark. What follows the last line end is a line unless it
// is empty.
func splitLines(text string) []string {
	text = strings.TrimPrefix(text, edits.BOM)
	if onlyCR(text) {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return lines
}

// onlyCR reports whether the lines of text end with a lone "\r", as on old Macs.
func onlyCR(text string) bool {
	return strings.Contains(text, "\r") && !strings.Contains(text, "\n")
}

// Phrases for left-out code, which may also be ordinary comments. The groups "noun" and
// "tail" must have no verb: "existing users keep their key" is a statement.
const (
	plain = `[\pL\d_.$'/+-]+(?:\(\))?`
	left  = some + `(?:existing|remaining|previous|original|current|other|others|unchanged|unmodified|untouched|omitted|rest|remainder|same)` +
		`(?: (?:of|in|from|the|this|that|your|my|our|existing|other))*`
	same = `(?:exactly |completely |entirely |all )?` +
		`(?:unchanged|untouched|unmodified|unaltered|intact|preserved|retained|identical|the same|same|as[ -]is|as it was|as they were|as before|as above|as in the original|not changed|not modified|not shown|omitted|elided|truncated|snipped|abbreviated)` +
		`(?: (?:as|to|from|than|in|with|for))*(?: (?:before|above|below|here|it was(?: before)?|they were(?: before)?|original|the original|(?:the )?previous version|previously|brevity|clarity))*`
	// stays matches words for something unchanged.
	stays = `(?:(?:is |are |was |were |stays? |remains? |left |kept |goes |continues? |been )*` + same +
		`|(?:does not|do not|doesn't|don't|did not|didn't|has not|hasn't|will not|won't) change` +
		`|continues?(?: here| below| unchanged)?|stays?|remains?|goes here|here)`
	// reach matches words for how far something goes: "everything up to this point".
	reach = `(?:(?:above|below|before|after)(?: this)?(?: line| point)?|up to (?:this point|that point|here)|until here|from (?:here(?: on)?|this point(?: on)?))`
	rest  = `(?:rest|remainder|remaining|existing|original|previous|other|unchanged|everything else)`
	verbs = `(?:please |just |i've |i have |we |we've |we have )?(?:keep|kept|leave|left|preserve|preserved|retain|retained|include|insert|add|paste|put|place|copy|use|repeat|restore|skip|skipped|skipping|continue with|plus|and|with)`
)

// hints match such phrases as a whole.
var hints = []func() *regexp.Regexp{
	// "existing match arms", "rest of the form fields", "other tests remain"
	whole(left + `(?P<noun>(?: ` + plain + `){1,3}?)(?: ` + stays + `)?(?: ` + reach + `)?`),
	// "handleSubmit unchanged", "kept as is"
	whole(some + `(?P<noun>(?:` + plain + ` ){0,3}?)` + stays),
	// "code below is unchanged"
	whole(some + `(?P<noun>(?:` + plain + ` ){0,2}?)` + reach + ` ` + stays),
	// "existing code for the errors"
	whole(`(?:the )?(?:existing|original|previous|unchanged|other|more|some|your|my|omitted)(?: own| other| existing)? ` + core + `(?P<tail>(?: ` + plain + `){0,8}?)`),
	// "keep other methods", "insert the rest of the code here"
	whole(verbs + ` ` + some + rest + `(?: (?:of|the|this|your))*(?P<noun>(?: ` + plain + `){0,3}?)(?: ` + stays + `)?`),
	whole(`(?:no|without) (?:other |further |more )?(?:changes?|modifications?)(?: (?:needed|required|made|here|below|above|in|to|this|the|rest|of|section|function|method|class|file|part|code)){0,6}`),
	whole(`(?:nothing|nothing else) (?:is |was |has |has been )?change[sd]?(?: ` + reach + `)?`),
	whole(`(?:do not|don't) (?:change|modify|touch|edit)(?: (?:anything else|the rest|below|above|this))?`),
	whole(`only (?:showing |shows |show )?(?:the )?(?:changed|relevant|modified|new|updated) (?:parts?|lines?|sections?|code)(?: is| are)?(?: shown)?`),
	// "same for the others", "similarly for the rest"
	whole(`(?:same|similar|similarly|likewise|repeat|repeated|ditto)(?: (?:as|for|with|to))*(?: (?:the|all|each))*(?: (?:rest|others?|remaining|above|before|original|previous))(?P<noun>(?: ` + plain + `){0,2}?)`),
	// "~50 lines unchanged"
	whole(`(?:lines? )?~?\d+\+?(?:(?: ?[-–] ?| to | through )\d+)?(?: more| other| unchanged| remaining)* (?:lines? |rows? )?(?:of code )?` + stays),
	whole(`~?\d+\+? (?:more |other |unchanged |remaining )+(?:lines?|rows?)(?: of code)?|lines? (?:` + reach + ` )?` + stays),
	whole(`(?:see|as in) (?:the )?(?:original|previous|existing)(?: (?:file|code|version|implementation))?`),
	whole(`(?:omitted|elided|truncated|snipped|snip|skipped|abbreviated|shortened|continued|etc)`),
	whole(`(?:function|method|class|component|file|implementation|code)(?: (?:body|code|logic|implementation|contents?))?(?: (?:here|goes here|continues|continued|omitted))`),
	whole(`(?:function|method|class|component|file|module) (?:body|code|logic|implementation|contents?)`),
}

// foreign matches such phrases in other languages.
var foreign = lazyregexp.New(`保持不变|代码不变|其余代码|其他代码|现有代码|省略|以下不变|既存の|残りの|変更なし|省く|기존 코드|나머지 코드|` +
	`\b(?:unverändert|restlicher code|bestehender code|inchangée?s?|reste du code|code existant|sin cambios|resto del código|código existente|resto do código|sem alterações)|без изменений|остальной код|существующий код`)

// prelude matches the label that a comment may begin with.
var prelude = lazyregexp.New(`^(?:todo|note|nb|important|fixme|hint)\b[ :-]*`)

// Words that make a phrase an ordinary sentence.
var (
	verbsOfOwn = words("is are was were be been must should will would shall can cannot may might has have had does do did not needs need wins win keeps keep gets get uses use means makes")
	joinsOfOwn = words("or but if when while until for to from by in into on at as with without per than which that who where because since so then only first last")
)

// words returns the set of some words.
func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// hint returns weak if the words match a hint, and none if not.
func (s wording) hint() grade {
	said := prelude().ReplaceAllString(s.words, "")
	for _, of := range hints {
		m := of().FindStringSubmatch(said)
		if m == nil {
			continue
		}
		own := false
		for i, name := range of().SubexpNames() {
			for _, w := range strings.Fields(m[i]) {
				own = own || name != "" && verbsOfOwn[w] || name == "noun" && joinsOfOwn[w]
			}
		}
		if !own && !strings.HasSuffix(said, " and") && said != "same" && said != "here" {
			return weak
		}
	}
	if foreign().MatchString(said) {
		return weak
	}
	return none
}

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
