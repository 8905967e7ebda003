package brief

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/fence"
	"redline/internal/nearest"
	"redline/internal/smallfile"
)

//go:embed prompts/*.md
var builtIn embed.FS

// PromptFolder is the folder of a user's own prompts, beside their settings.
const PromptFolder = "prompts"

const ending = ".md"

// maxSize is how many bytes a user's own prompt may have.
const maxSize = 256 << 10

// Prompts has the prompts, one Markdown file for each purpose: the built-in ones, and the user's own,
// which override them. A repository cannot. The zero value has only the built-in ones.
type Prompts struct {
	Dir string // folder of the user's own, NAME.md each; need not exist; "" for none
}

// PromptNames returns the names of all prompts, in alphabetical order.
func PromptNames() []string {
	entries, err := builtIn.ReadDir("prompts")
	if err != nil {
		panic(err) // embedded at build time
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ending)
	}
	slices.Sort(names) // the extension changes the order of files
	return names
}

// BuiltInPrompt returns a built-in prompt. It panics if there is none with that name.
func BuiltInPrompt(name string) string {
	text, err := builtIn.ReadFile("prompts/" + name + ending)
	if err != nil {
		panic(err) // embedded at build time, so every built-in prompt exists
	}
	return string(text)
}

// Text returns a prompt: the user's own if there is one. If that cannot be used, Text returns
// the built-in one and an error of one sentence.
func (s Prompts) Text(name string) (string, error) {
	text := BuiltInPrompt(name)
	if s.Dir == "" {
		return text, nil
	}
	file := filepath.Join(s.Dir, name+ending)
	own, err := readPrompt(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return text, nil
	case err != nil:
		return text, fmt.Errorf("your prompt %s cannot be used, so the built-in one is: %w", file, err)
	}
	return own, nil
}

// Own returns the names of the user's own prompts, and, for each file of their folder that has
// no effect, one sentence with the reason.
func (s Prompts) Own() (names, problems []string) {
	if s.Dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []string{fmt.Sprintf("your prompts in %s cannot be read: %v", s.Dir, err)}
	}
	known := PromptNames()
	for _, e := range entries {
		name, isPrompt := strings.CutSuffix(e.Name(), ending)
		switch {
		case !isPrompt:
		case !slices.Contains(known, name):
			problem := fmt.Sprintf("%s is no prompt that Redline has", filepath.Join(s.Dir, e.Name()))
			if near := nearest.Of(name, known); near != nil {
				problem += ", did you mean " + strings.Join(near, ending+" or ") + ending + "?"
			}
			problems = append(problems, problem)
		default:
			if _, err := s.Text(name); err != nil {
				problems = append(problems, err.Error())
			} else {
				names = append(names, name)
			}
		}
	}
	return names, problems
}

// readPrompt reads a user's own prompt.
func readPrompt(file string) (string, error) {
	data, err := smallfile.Read(file, maxSize)
	switch {
	case err != nil:
		return "", err
	case len(data) > maxSize:
		return "", fmt.Errorf("it has more than %d bytes", maxSize)
	case !utf8.ValidString(data):
		return "", errors.New("it is no UTF-8")
	case strings.TrimSpace(data) == "":
		return "", errors.New("it is empty")
	}
	return strings.TrimRight(data, "\r\n") + "\n", nil
}

// maxLeft is how many omissions are listed.
const maxLeft = 20

// Text formats the brief for the end of a request: one fenced block, in which each text has its
// own fence. Nothing in a fence can close it, since it is longer than every run of backticks
// there. The text of an empty brief is "".
func (b Brief) Text() string {
	if len(b.sections) == 0 && len(b.left) == 0 {
		return ""
	}
	left, nested := b.leftLines(), false
	inside := []string{left}
	for _, s := range b.sections {
		inside = append(inside, s.label, s.text)
		nested = nested || s.text != ""
	}
	inner := fence.Around(inside...)
	outer := inner
	if nested {
		outer += "`"
	}
	var out strings.Builder
	out.WriteString(outer + "context\n")
	for _, s := range b.sections {
		out.WriteString(s.label + "\n")
		if s.text == "" {
			continue
		}
		out.WriteString(inner + "\n" + s.text)
		if !strings.HasSuffix(s.text, "\n") {
			out.WriteString("\n")
		}
		out.WriteString(inner + "\n")
	}
	out.WriteString(left + outer)
	return out.String()
}

// leftLines lists what was left out.
func (b Brief) leftLines() string {
	if len(b.left) == 0 {
		return ""
	}
	var out strings.Builder
	out.WriteString("left out:\n")
	for i, o := range b.left {
		if i == maxLeft {
			fmt.Fprintf(&out, "- … %d more\n", len(b.left)-i)
			break
		}
		fmt.Fprintf(&out, "- %s: %s\n", shown(o.What), shown(o.Why))
	}
	return out.String()
}

// Notice returns a message to the user about requested files, symbols and project rules that
// were left out, "" if there are none.
func (b Brief) Notice() string {
	var parts []string
	more, room := 0, false
	for _, o := range b.left {
		switch {
		case !o.Asked:
			continue
		case len(parts) == 5:
			more++
		default:
			parts = append(parts, fmt.Sprintf("%s (%s)", shown(o.What), shown(o.Why)))
		}
		room = room || o.Room
	}
	if len(parts) == 0 {
		return ""
	}
	text := "The model was not shown: " + strings.Join(parts, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if room {
		return text + ". The setting context.tokens makes room for more."
	}
	return text + "."
}

// shown returns a name for a line: quoted if it has characters that cannot be seen.
func shown(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// Tokens estimates how many tokens a text has: one for four bytes of ASCII, one for each
// other character. Models differ; the estimate is too high for prose and about right for
// code.
func Tokens(text string) int {
	ascii, others := 0, 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
		others++
	}
	return (ascii+3)/4 + others
}

// fit returns the lines at the beginning of text that fit in room tokens, how many they are, and
// whether they are the whole text. It never cuts a line.
func fit(text string, room int) (cut string, lines int, whole bool) {
	used, end := 0, 0
	for line := range strings.Lines(text) {
		n := Tokens(line)
		if used+n > room {
			return text[:end], lines, false
		}
		used += n
		end += len(line)
		lines++
	}
	return text, lines, true
}
