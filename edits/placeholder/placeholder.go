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
// [*Refusal] if it is unclear what one stands for.
func Resolve(path, old, text string, form Form) (string, []Placeholder, error) {
	if form == Whole && strings.TrimSpace(old) == "" {
		return text, nil, nil
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
