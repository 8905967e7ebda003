// Package cases reads and writes the cases of the benchmark, which are plain text files.
// The format is in fidelity/README.md.
package cases

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Forms are the forms in which a call can state a change, in the order of tables.
var Forms = []string{"pairs", "editor", "blocks", "begin-patch", "unified", "whole"}

// Case is one situation: files, what they must become, and a call in each form that states it.
type Case struct {
	Name     string // trouble/language, from the name of its file
	Trouble  string
	Language string
	Why      string // why this result is the right one, in a sentence

	Refuse bool              // nothing may change, and the tool must say that it did nothing
	Before map[string]string // path to text
	After  map[string]string // nil if Refuse
	Half   map[string]string // the files after only the good part of a call; nil if it has no such part
	InPart bool              // a tool may leave the files as Half, if it says what it has done and what not
	Calls  []Call
}

// Call is what a tool is sent.
type Call struct {
	Form  string `json:"form"`
	Path  string `json:"path,omitempty"`  // of pairs, whole and editor
	Text  string `json:"text"`            // of blocks, begin-patch, unified, whole; of editor, the lines to insert
	Pairs []Pair `json:"pairs,omitempty"` // of pairs; of editor, one pair for its str_replace
	After *int   `json:"after,omitempty"` // of editor: insert Text after this line, counted from 1; 0 is the start
}

// Pair is an old text and the new text for its place.
type Pair struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all,omitempty"` // in every place
}

// ID names one call of a case.
func (c *Case) ID(call Call) string { return c.Name + " " + call.Form }

// section is a part of a file: its head, without the dashes, and its text.
type section struct{ head, text string }

// ParseFamily reads the file of a trouble, which has the cases of all languages.
func ParseFamily(trouble, file string) ([]Case, error) {
	top, rest, _ := strings.Cut(file, "\n"+opener)
	why, ok := strings.CutPrefix(top, "why: ")
	if !ok || rest == "" {
		return nil, fmt.Errorf("%s: it must begin with why it is expected, and have cases", trouble)
	}
	var all []Case
	for part := range strings.SplitSeq(rest, "\n"+opener) {
		name, body, _ := strings.Cut(part, "\n")
		c, err := parse(trouble+"/"+name, strings.TrimSuffix(body, "\n")+"\n")
		if err != nil {
			return nil, err
		}
		c.Trouble, c.Why = trouble, strings.TrimSuffix(why, "\n")
		all = append(all, c)
	}
	return all, nil
}

// opener begins a case.
const opener = "==== "

// parse reads a case.
func parse(name, body string) (Case, error) {
	c := Case{Name: name, Before: map[string]string{}}
	top, all := Sections(body)
	for line := range strings.Lines(top) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "language":
			c.Language = value
		case "expect":
			c.Refuse = value == "refuse" || value == "refuse, or in part"
			c.InPart = value == "refuse, or in part"
			if !c.Refuse && value != "change" {
				return c, fmt.Errorf("%s: expects %q", name, value)
			}
		default:
			return c, fmt.Errorf("%s: what is %q?", name, line)
		}
	}
	if !c.Refuse {
		c.After = map[string]string{}
	}
	for i, s := range all {
		if err := c.take(s, all[:i]); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
	}
	return c, nil
}

// take adds a section.
func (c *Case) take(s section, before []section) error {
	word, rest, _ := strings.Cut(s.head, " ")
	if path, ok := strings.CutSuffix(rest, inUTF16); ok {
		rest, s.text = path, UTF16(s.text)
	}
	switch word {
	case "before":
		c.Before[rest] = s.text
	case "after":
		if c.Refuse {
			return fmt.Errorf("it expects a refusal and has a text after it")
		}
		c.After[rest] = s.text
	case "half":
		if c.Half == nil {
			c.Half = map[string]string{}
		}
		c.Half[rest] = s.text
	case "old", "old-everywhere":
		call := c.call("pairs", rest)
		call.Pairs = append(call.Pairs, Pair{Old: s.text, All: word == "old-everywhere"})
	case "new":
		call := c.call("pairs", "")
		if len(before) == 0 || len(call.Pairs) == 0 {
			return fmt.Errorf("a new text without an old one")
		}
		call.Pairs[len(call.Pairs)-1].New = s.text
	case "blocks", "begin-patch", "unified":
		c.call(word, "").Text = s.text
	case "whole":
		c.call(word, rest).Text = s.text
	case "insert":
		name, number, _ := strings.Cut(rest, " after ")
		after := 0
		if _, err := fmt.Sscan(number, &after); err != nil {
			return fmt.Errorf("%s: %w", s.head, err)
		}
		call := c.call("editor", name)
		call.After, call.Text = &after, s.text
	default:
		return fmt.Errorf("what is %q?", s.head)
	}
	return nil
}

// call returns the call in a form, which it adds if need be.
func (c *Case) call(form, path string) *Call {
	i := slices.IndexFunc(c.Calls, func(have Call) bool { return have.Form == form })
	if i < 0 {
		i = len(c.Calls)
		c.Calls = append(c.Calls, Call{Form: form, Path: path})
	}
	return &c.Calls[i]
}

// PrintFamily writes cases with the same trouble as ParseFamily reads them.
func PrintFamily(all []Case) string {
	var b strings.Builder
	fmt.Fprintf(&b, "why: %s\n", all[0].Why)
	for _, c := range all {
		b.WriteString("\n" + c.print())
	}
	return b.String()
}

func (c *Case) print() string {
	var b strings.Builder
	expect := "change"
	if c.Refuse {
		expect = "refuse"
	}
	if c.InPart {
		expect += ", or in part"
	}
	_, name, _ := strings.Cut(c.Name, "/")
	fmt.Fprintf(&b, opener+"%s\nlanguage: %s\nexpect: %s\n", name, c.Language, expect)
	put := func(head, text string) { fmt.Fprintf(&b, "-- %s --\n%s", head, Show(text)) }
	for _, of := range []struct {
		word  string
		texts map[string]string
	}{{"before", c.Before}, {"after", c.After}, {"half", c.Half}} {
		for _, name := range sorted(of.texts) {
			if text, ok := fromUTF16(of.texts[name]); ok {
				put(of.word+" "+name+inUTF16, text)
			} else {
				put(of.word+" "+name, of.texts[name])
			}
		}
	}
	for _, call := range c.Calls {
		switch call.Form {
		case "pairs":
			for _, p := range call.Pairs {
				word := "old"
				if p.All {
					word = "old-everywhere"
				}
				put(word+" "+call.Path, p.Old)
				put("new", p.New)
			}
		case "whole":
			put("whole "+call.Path, call.Text)
		case "editor":
			put(fmt.Sprintf("insert %s after %d", call.Path, *call.After), call.Text)
		default:
			put(call.Form, call.Text)
		}
	}
	return b.String()
}

func sorted(m map[string]string) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Sections divides a file at its lines "-- head --".
func Sections(file string) (top string, all []section) {
	var head string
	var text strings.Builder
	end := func() {
		if head == "" {
			top = text.String()
		} else {
			all = append(all, section{head, Read(text.String())})
		}
		text.Reset()
	}
	for line := range strings.Lines(file) {
		if isHead(line) {
			end()
			head = strings.TrimSuffix(strings.TrimPrefix(line, "-- "), " --\n")
			continue
		}
		text.WriteString(line)
	}
	end()
	return top, all
}

// Head and Text return the parts of a section.
func (s section) Head() string { return s.head }
func (s section) Text() string { return s.text }

func isHead(line string) bool {
	return strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --\n") && len(line) > len("--  --\n")
}

// Load reads all cases below a folder, sorted by name.
func Load(dir string) ([]Case, error) {
	var all []Case
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".txt" {
			return err
		}
		file, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		found, err := ParseFamily(strings.TrimSuffix(name, ".txt"), string(file))
		for _, c := range found {
			all = append(all, c.withEditor())
		}
		return err
	})
	return all, err
}

// withEditor adds the call of an editor's str_replace to a case whose change is one pair: it
// has the same two texts.
func (c Case) withEditor() Case {
	for _, call := range c.Calls {
		if call.Form == "editor" {
			return c
		}
	}
	for i, call := range c.Calls {
		if call.Form == "pairs" && len(call.Pairs) == 1 && !call.Pairs[0].All {
			call.Form = "editor"
			c.Calls = slices.Insert(slices.Clone(c.Calls), i+1, call)
			break
		}
	}
	return c
}
