package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/chat"
	"redline/agent/conversation"
	"redline/agent/nearest"
	"redline/agent/template"
	"redline/internal/phrase"
)

// Templates are files NAME.md in two places: the user's own, beside their
// settings, and those of the repository, below .redline/templates. The user's
// own goes before one of the repository with the same name, so that a
// repository cannot put something else behind a word that the user knows.
const (
	templateFolder = "templates"
	templateEnding = ".md"
)

// sendTemplate sends the request that a template makes. Its text is no command,
// whatever it begins with.
func (a *Agent) sendTemplate(m conversation.Request, s chat.Slash) (turnID, conversationID string, err error) {
	name := strings.TrimSuffix(s.Args[0], templateEnding)
	t, own, err := a.template(name)
	if err != nil {
		return "", "", err
	}
	values, input, err := template.Values(s.Rest)
	if err != nil {
		return "", "", refuse(Invalid, "What follows /template %s %s.", name, err)
	}
	text, err := t.Fill(values, input)
	var missing *template.Missing
	switch {
	case errors.As(err, &missing):
		return "", "", refuse(Invalid, "The template %s %s: %s.", name, err, usageOf(name, t))
	case err != nil:
		return "", "", refuse(Invalid, "The template %s %s.", name, err)
	}
	if m.Mode == "" || m.Mode == "auto" {
		m.Mode = t.Mode
	}
	if !own {
		said := strings.Join(append(slices.Sorted(maps.Values(values)), input), " ")
		m.Typed = &said
	}
	m.Text, m.Decides = text, false
	return a.enqueue(m)
}

func usageOf(name string, t *template.Template) string {
	return strings.TrimSpace("/template " + name + " " + t.Usage())
}

// template returns the template of a name, and whether it is the user's own.
func (a *Agent) template(name string) (t *template.Template, own bool, err error) {
	if !template.IsName(name) {
		return nil, false, a.noTemplate(name)
	}
	text, own, err := a.templateText(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, a.noTemplate(name)
	}
	if err != nil {
		return nil, false, refuse(Invalid, "The template %s cannot be read: %s.", name, phrase.TrimStop(err.Error()))
	}
	if t, err = template.Parse(text); err != nil {
		return nil, false, refuse(Invalid, "The template %s %s.", name, err)
	}
	return t, own, nil
}

func (a *Agent) templateText(name string) (text string, own bool, err error) {
	if a.templates != "" {
		text, err := readBounded(filepath.Join(a.templates, name+templateEnding), template.MaxSize)
		if !errors.Is(err, fs.ErrNotExist) {
			return text, true, err
		}
	}
	data, err := a.ws.Own().Read(templateFolder + "/" + name + templateEnding)
	return string(data), false, err
}

// readBounded reads a regular file of at most limit bytes, and one byte more of
// a larger one.
func readBounded(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("it is no file")
	case info.Size() > limit:
		return strings.Repeat(" ", int(limit)+1), nil // which says that it is too large
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// noTemplate is the refusal of a name that no template has, with those there are.
func (a *Agent) noTemplate(name string) error {
	names := a.TemplateNames()
	if len(names) == 0 {
		return refuse(Invalid, "There is no template %q, nor any other: %s.", name, howToMakeOne)
	}
	if near := nearest.Of(name, names); near != nil {
		return refuse(Invalid, "There is no template %q: did you mean %s? /template lists them all.", name, strings.Join(near, " or "))
	}
	return refuse(Invalid, "There is no template %q: there are %s.", name, strings.Join(names, ", "))
}

const howToMakeOne = "write one as .redline/templates/NAME.md, with {{name}} where something is to be filled in"

// TemplateNames returns the names of all templates, sorted.
func (a *Agent) TemplateNames() []string {
	files, err := a.ws.Own().Names(templateFolder)
	if err != nil {
		files = nil // no folder is open: there are the user's own
	}
	if a.templates != "" {
		entries, _ := os.ReadDir(a.templates) // one that is not there has none
		for _, e := range entries {
			files = append(files, e.Name())
		}
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f, templateEnding); ok && template.IsName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// listTemplates tells which templates there are, and how each is used.
func (a *Agent) listTemplates() string {
	names := a.TemplateNames()
	if len(names) == 0 {
		return "There are no templates: " + howToMakeOne + "."
	}
	var lines []string
	for _, name := range names {
		t, own, err := a.template(name)
		if err != nil {
			lines = append(lines, fmt.Sprintf("- `%s`: %s", name, err))
			continue
		}
		line := fmt.Sprintf("- `%s`", usageOf(name, t))
		if t.Description != "" {
			line += ": " + t.Description
		}
		if own {
			line += " (your own)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
