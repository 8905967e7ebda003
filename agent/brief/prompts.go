package brief

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

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
