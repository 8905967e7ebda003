package chat

import (
	"fmt"
	"strconv"
	"strings"

	"redline/agent/nearest"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// Slash is a command at the start of a message.
type Slash struct {
	Name  string   // without the slash, in lower case
	Plan  int      // the plan that it names, 0 for none
	Args  []string // approve: hunk ids; rollback: the revision; template: its name, if given; decide: the way
	Saved bool     // approve, undo: the user says that the files which the editor does not show are saved
	Rest  string   // the text after the arguments, trimmed
}

var (
	commandWord = lazyregexp.New(`^/[A-Za-z]+[,.:;]?$`) // as in "/reject: I like the old words"
	hunkName    = lazyregexp.New(`^(?:([0-9]+)\.)?([ho][0-9]+)$`)
)

// ParseSlash reads the command at the start of a message. ok is false if there is none: such
// a message is for the model. An error is one sentence for the user, about a command that
// does not exist or lacks something.
func ParseSlash(text string) (s Slash, ok bool, err error) {
	name, rest := cutWord(text)
	if !commandWord().MatchString(name) {
		return Slash{}, false, nil
	}
	s = Slash{Name: strings.ToLower(strings.TrimRight(name[1:], ",.:;"))}
	c, known := find(s.Name)
	if !known {
		return s, true, unknown(s.Name)
	}
	if c.plan {
		if first, after := cutWord(rest); isNumber(first) {
			s.Plan, err = strconv.Atoi(first)
			if err != nil || s.Plan == 0 {
				return s, true, fmt.Errorf("%s is not a plan: plans are numbered from 1", first)
			}
			rest = after
		}
	}
	s.Rest = rest
	if c.read != nil {
		err = c.read(&s)
	} else if rest != "" {
		err = fmt.Errorf("/%s takes nothing more, but %q follows it", s.Name, shorten(rest))
	}
	return s, true, err
}

// Deciding reports whether a command decides on a plan. The user must have typed such a
// command.
func Deciding(name string) bool {
	c, ok := find(name)
	return ok && c.decides
}

func unknown(name string) error {
	near := nearest.Of(name, names())
	if near == nil {
		return fmt.Errorf("there is no command /%s: /help lists them, and a message that is not a command starts with another character", name)
	}
	return fmt.Errorf("there is no command /%s, did you mean /%s? /help lists them all", name, strings.Join(near, " or /"))
}

// hunks reads the names of hunks, as in "h2" or "7.h2" (the code of the hunk's
// diagnostic), or of an operation, as in "o2", with spaces or commas between them,
// and the word saved.
func hunks(s *Slash) error {
	for _, word := range strings.FieldsFunc(s.Rest, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) }) {
		if strings.EqualFold(word, "saved") {
			s.Saved = true
			continue
		}
		m := hunkName().FindStringSubmatch(word)
		if m == nil {
			return fmt.Errorf("%q is not a hunk: hunks are named h1, h2 and so on", shorten(word))
		}
		if m[1] != "" {
			n, err := strconv.Atoi(m[1])
			if err != nil || s.Plan != 0 && n != s.Plan {
				return fmt.Errorf("%s is a hunk of another plan: decide on one plan at a time", word)
			}
			s.Plan = n
		}
		s.Args = append(s.Args, m[2])
	}
	s.Rest = ""
	return nil
}

// saved reads the one word that may follow.
func saved(s *Slash) error {
	if s.Rest != "" && !strings.EqualFold(s.Rest, "saved") {
		return fmt.Errorf("/%s takes nothing more but the word saved, and %q follows it", s.Name, shorten(s.Rest))
	}
	s.Saved, s.Rest = s.Rest != "", ""
	return nil
}

// anything leaves the rest as it is.
func anything(*Slash) error { return nil }

func feedback(s *Slash) error {
	if s.Rest == "" {
		return fmt.Errorf("say what should be different: /rework [N] feedback")
	}
	return nil
}

func revision(s *Slash) error {
	word, rest := cutWord(s.Rest)
	if s.Plan == 0 || !isNumber(word) || rest != "" {
		return fmt.Errorf("name the plan and the revision to go back to: /rollback N R")
	}
	s.Args, s.Rest = []string{word}, ""
	return nil
}

// way reads the way to decide on the conversation's plans.
func way(s *Slash) error {
	switch word := strings.ToLower(s.Rest); word {
	case "":
	case "plan", "ask":
		s.Args, s.Rest = []string{word}, ""
	default:
		return fmt.Errorf("say how to decide: /decide plan (at the end of a turn) or /decide ask (about each edit as it is staged)")
	}
	return nil
}

// template reads the name of a template, if one is given.
func template(s *Slash) error {
	word, rest := cutWord(s.Rest)
	if word != "" {
		s.Args, s.Rest = []string{word}, rest
	}
	return nil
}

// cutWord returns the first word of s and what follows it, trimmed.
func cutWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " \t\r\n"); i >= 0 {
		return s[:i], strings.TrimSpace(s[i:])
	}
	return s, ""
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// shorten returns the start of a text for a message that quotes it.
func shorten(s string) string { return phrase.Start(s, 40) }
