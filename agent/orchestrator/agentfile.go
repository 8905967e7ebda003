package orchestrator

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"redline/internal/frontmatter"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// Limits of agent files.
const (
	MaxFile        = 32 << 10 // bytes of one
	MaxFiles       = 50       // files in one folder
	maxDescription = 300      // characters
	maxWords       = 40       // keywords, tools and delegates
)

// isName matches the name of an agent file without ".md": security-review.
var isName = lazyregexp.New(`^[a-z][a-z0-9_-]{0,39}$`)

// file is a parsed agent file. Members that the file leaves out are nil or "".
type file struct {
	description string
	mode        string // "", specialist, primary, all (both), delegator or off
	model       string
	temperature *float64
	tools       []string // names of tools, and words for kinds of tools
	without     []string // tools that it excludes
	delegates   []string
	keywords    []string
	deny        []string // words for kinds of tools that it denies, see kinds
	ask         []string // words for kinds of tools that it does not deny
	body        string

	ignored []string // members without an effect, each as part of a sentence
}

// parseFile parses an agent file. Its error continues a sentence that begins with the file's
// name.
func parseFile(text string) (*file, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("has more than %d KiB", MaxFile>>10)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("is not UTF-8 text")
	}
	members, body, err := frontmatter.Read(text)
	if err != nil {
		return nil, err
	}
	f := &file{body: strings.TrimSpace(body)}
	for _, m := range members {
		read, known := fields[m.Name]
		if !known {
			f.ignore("%s is no member that an agent file has (%s)", quoted(m.Name), unknownHint(m.Name))
			continue
		}
		if _, odd := m.Value.(frontmatter.Odd); odd {
			return nil, frontmatter.NotUnderstood(m.Line)
		}
		if err := read(f, m.Value); err != nil {
			return nil, fmt.Errorf("has in line %d a %s that %w", m.Line, m.Name, err)
		}
	}
	return f, nil
}

func (f *file) ignore(format string, args ...any) {
	if what := fmt.Sprintf(format, args...); !slices.Contains(f.ignored, what) {
		f.ignored = append(f.ignored, what)
	}
}

// unknownHint suggests what to write instead of an unknown member.
func unknownHint(name string) string {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name)) {
	case "provider", "baseurl", "endpoint", "url", "apikey", "apikeyenv", "key", "headers", "proxy":
		return "the provider is chosen in your own configuration file only"
	}
	return "it has description, mode, model, temperature, tools, permission, delegates and keywords"
}

// fields has the function that reads each member. Its error continues "a NAME that".
var fields = map[string]func(*file, any) error{
	"name":        func(f *file, v any) error { return nil }, // the file's own name is used instead
	"description": readDescription,
	"mode":        readMode,
	"model":       readModel,
	"temperature": readTemperature,
	"tools":       readTools,
	"permission":  readPermission,
	"permissions": readPermission,
	"delegates":   func(f *file, v any) (err error) { f.delegates, err = names(v); return err },
	"keywords":    func(f *file, v any) (err error) { f.keywords, err = names(v); return err },
}

func readDescription(f *file, v any) error {
	s, ok := v.(string)
	if !ok {
		return errors.New("is no text")
	}
	s = phrase.OneLine(s)
	if f.description = phrase.Clip(s, maxDescription); f.description != s {
		f.ignore("what follows the first %d characters of the description is left out", maxDescription)
	}
	return nil
}

// readMode reads the mode. It also accepts other programs' words for it.
func readMode(f *file, v any) error {
	switch v {
	case "specialist", "subagent":
		f.mode = "specialist"
	case "primary", "all", "delegator", "off":
		f.mode = v.(string)
	default:
		return errors.New("is none of specialist, primary, all, delegator and off")
	}
	return nil
}

func readModel(f *file, v any) error {
	s, ok := v.(string)
	if !ok || len(s) > 200 || strings.ContainsAny(s, "\n\r\t") {
		return errors.New("is no name of a model")
	}
	f.model = s
	return nil
}

func readTemperature(f *file, v any) error {
	s, _ := v.(string)
	t, err := strconv.ParseFloat(s, 64)
	if err != nil || !(t >= 0 && t <= 2) {
		return errors.New("is no number from 0 to 2")
	}
	f.temperature = &t
	return nil
}

// readTools reads a list of names, or an object with true or false for each name.
func readTools(f *file, v any) error {
	pairs, isObject := v.([]frontmatter.Pair)
	if !isObject {
		list, err := names(v)
		f.tools = append([]string{}, list...) // an empty list means none
		return err
	}
	for _, p := range pairs {
		switch p.Value {
		case "true":
			f.tools = append(f.tools, p.Name)
		case "false":
			f.without = append(f.without, p.Name)
		default:
			return errors.New("says of a tool something else than true or false")
		}
	}
	return nil
}

// readPermission reads {edit: ask, command: ask}. The user is always asked, so only "deny"
// changes anything. A kind is one of the words that tools also accepts.
func readPermission(f *file, v any) error {
	pairs, ok := v.([]frontmatter.Pair)
	if !ok {
		return errors.New("is not written {edit: ask, command: ask}")
	}
	for _, p := range pairs {
		_, known := kinds[p.Name]
		switch {
		case !known:
			f.ignore("a permission for %s means nothing (there are read, files, git, edit, command, try, fetch and mcp)", quoted(p.Name))
		case p.Value == "deny":
			f.deny = append(f.deny, p.Name)
		case p.Value == "ask", p.Value == "allow" && !asksUser(p.Name):
			f.ask = append(f.ask, p.Name)
		default:
			f.ignore("the permission %s for %s (you are asked about everything that a plan does, and only you decide)", quoted(p.Value), p.Name)
		}
	}
	return nil
}

// keeps reports whether a file keeps a tool although it denies the kinds that a word means: it
// names a part of them that has the tool, as in {command: deny, try: ask}.
func (f *file) keeps(denied string, t Tool) bool {
	return slices.ContainsFunc(f.ask, func(word string) bool {
		return slices.Contains(kinds[word], t.Kind) && len(kinds[word]) < len(kinds[denied]) &&
			!slices.ContainsFunc(kinds[word], func(k ToolKind) bool { return !slices.Contains(kinds[denied], k) })
	})
}

// asksUser reports whether the user decides on what tools of a kind do.
func asksUser(word string) bool {
	return slices.ContainsFunc(kinds[word], func(k ToolKind) bool { return k == Edits || k == Runs || k == Calls })
}

// names reads a list of words, or one text with words separated by commas.
func names(v any) ([]string, error) {
	var list []string
	switch v := v.(type) {
	case []string:
		list = v
	case string:
		list = strings.FieldsFunc(v, func(r rune) bool { return r == ',' })
	default:
		return nil, errors.New("is no list")
	}
	if len(list) > maxWords {
		return nil, fmt.Errorf("has more than %d words", maxWords)
	}
	var words []string
	for _, s := range list {
		if len(s) > 100 {
			return nil, errors.New("has a word that is too long")
		}
		if s = strings.TrimSpace(s); s != "" {
			words = append(words, s)
		}
	}
	return words, nil
}

// quoted quotes a name from an agent file for a message, at most 64 bytes of it.
func quoted(name string) string { return fmt.Sprintf("%q", phrase.StartBytes(name, 64)) }
