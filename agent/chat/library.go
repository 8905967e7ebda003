package chat

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/internal/nearest"
	"redline/internal/phrase"
	"redline/internal/smallfile"
	"redline/workspace"
)

// Templates has the templates that a user can name: files NAME.md in two folders, the user's own
// beside the settings and .redline/templates of the repository, and the built-in ones. The
// user's own template overrides the repository's of the same name, so that a repository cannot
// change the meaning of a name that the user knows. Either overrides a built-in one.
type Templates struct {
	Workspace *workspace.Workspace
	Dir       string // the user's own folder, "" for none
}

// TemplateOrigin says where a template comes from.
type TemplateOrigin int

// The origins.
const (
	Own        TemplateOrigin = iota // the user's own
	Repository                       // of the repository
	BuiltIn                          // it comes with Redline
)

//go:embed builtin/*.md
var builtIn embed.FS

const (
	folder = "templates" // among Redline's own files
	ending = ".md"
)

// UsageOf returns how to use a template with a name.
func (t *Template) UsageOf(name string) string {
	return strings.TrimSpace("/template " + name + " " + t.Usage())
}

// Find returns the template with a name, and where it comes from.
func (l *Templates) Find(name string) (t *Template, from TemplateOrigin, err error) {
	if !IsTemplateName(name) {
		return nil, 0, l.missing(name)
	}
	text, from, err := l.text(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, l.missing(name)
	}
	if err != nil {
		return nil, 0, plan.Refuse(plan.Invalid, "The template %s cannot be read: %s.", name, phrase.TrimStop(err.Error()))
	}
	if t, err = ParseTemplate(text); err != nil {
		return nil, 0, plan.Refuse(plan.Invalid, "The template %s %s.", name, err)
	}
	return t, from, nil
}

func (l *Templates) text(name string) (text string, from TemplateOrigin, err error) {
	if l.Dir != "" {
		text, err := smallfile.Read(filepath.Join(l.Dir, name+ending), MaxTemplate)
		if !errors.Is(err, fs.ErrNotExist) {
			return text, Own, err
		}
	}
	if slices.Contains(l.ofRepository(), name+ending) {
		data, err := l.Workspace.Own().Read(folder + "/" + name + ending)
		return string(data), Repository, err
	}
	data, err := builtIn.ReadFile("builtin/" + name + ending)
	return string(data), BuiltIn, err
}

// ofRepository returns the names of the files in the repository's folder.
func (l *Templates) ofRepository() []string {
	files, err := l.Workspace.Own().Names(folder)
	if err != nil {
		return nil // no folder is open
	}
	return files
}

// missing returns the refusal of a name that no template has. It lists the names.
func (l *Templates) missing(name string) error {
	names := l.Names()
	if near := nearest.Of(name, names); near != nil {
		return plan.Refuse(plan.Invalid, "There is no template %q: did you mean %s? /template lists them all.", name, strings.Join(near, " or "))
	}
	return plan.Refuse(plan.Invalid, "There is no template %q: there are %s.", name, strings.Join(names, ", "))
}

const howToMakeOne = "Write one of your own as .redline/templates/NAME.md, with {{name}} where a value goes."

// Names returns the names of all templates, sorted.
func (l *Templates) Names() []string {
	files := l.ofRepository()
	ours, _ := builtIn.ReadDir("builtin") // every listed template exists
	for _, e := range ours {
		files = append(files, e.Name())
	}
	if l.Dir != "" {
		entries, _ := os.ReadDir(l.Dir) // a missing folder has no templates
		for _, e := range entries {
			files = append(files, e.Name())
		}
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f, ending); ok && IsTemplateName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// List returns the templates and how to use each.
func (l *Templates) List() string {
	var lines []string
	onlyBuiltIn := true
	for _, name := range l.Names() {
		t, from, err := l.Find(name)
		onlyBuiltIn = onlyBuiltIn && err == nil && from == BuiltIn
		if err != nil {
			lines = append(lines, fmt.Sprintf("- `%s`: %s", name, err))
			continue
		}
		line := fmt.Sprintf("- `%s`", t.UsageOf(name))
		if t.Description != "" {
			line += ": " + t.Description
		}
		switch from {
		case Own:
			line += " (your own)"
		case BuiltIn:
			line += " (built in)"
		}
		lines = append(lines, line)
	}
	if onlyBuiltIn {
		lines = append(lines, "", howToMakeOne)
	}
	return strings.Join(lines, "\n")
}
