package template

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/refusal"
	"redline/internal/nearest"
	"redline/internal/phrase"
	"redline/internal/smallfile"
	"redline/workspace"
)

// Library has the templates that a user can name: files NAME.md in two folders, the user's
// own beside the settings, and .redline/templates of the repository. The user's own overrides
// one of the repository with the same name, so that a repository cannot change what a name
// means that the user knows.
type Library struct {
	Workspace *workspace.Workspace
	Dir       string // the user's own folder, "" for none
}

const (
	folder = "templates" // among Redline's own files
	ending = ".md"
)

// UsageOf returns how to use a template of a name.
func (t *Template) UsageOf(name string) string {
	return strings.TrimSpace("/template " + name + " " + t.Usage())
}

// Find returns the template with a name, and whether it is the user's own.
func (l *Library) Find(name string) (t *Template, own bool, err error) {
	if !IsName(name) {
		return nil, false, l.missing(name)
	}
	text, own, err := l.text(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, l.missing(name)
	}
	if err != nil {
		return nil, false, refusal.New(refusal.Invalid, "The template %s cannot be read: %s.", name, phrase.TrimStop(err.Error()))
	}
	if t, err = Parse(text); err != nil {
		return nil, false, refusal.New(refusal.Invalid, "The template %s %s.", name, err)
	}
	return t, own, nil
}

func (l *Library) text(name string) (text string, own bool, err error) {
	if l.Dir != "" {
		text, err := smallfile.Read(filepath.Join(l.Dir, name+ending), MaxSize)
		if !errors.Is(err, fs.ErrNotExist) {
			return text, true, err
		}
	}
	data, err := l.Workspace.Own().Read(folder + "/" + name + ending)
	return string(data), false, err
}

// missing returns the refusal of a name that no template has. It lists the names.
func (l *Library) missing(name string) error {
	names := l.Names()
	if len(names) == 0 {
		return refusal.New(refusal.Invalid, "There is no template %q, nor any other: %s.", name, howToMakeOne)
	}
	if near := nearest.Of(name, names); near != nil {
		return refusal.New(refusal.Invalid, "There is no template %q: did you mean %s? /template lists them all.", name, strings.Join(near, " or "))
	}
	return refusal.New(refusal.Invalid, "There is no template %q: there are %s.", name, strings.Join(names, ", "))
}

const howToMakeOne = "write one as .redline/templates/NAME.md, with {{name}} where something is to be filled in"

// Names returns the names of all templates, sorted.
func (l *Library) Names() []string {
	files, err := l.Workspace.Own().Names(folder)
	if err != nil {
		files = nil // no folder is open: only the user's own count
	}
	if l.Dir != "" {
		entries, _ := os.ReadDir(l.Dir) // a missing folder has none
		for _, e := range entries {
			files = append(files, e.Name())
		}
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f, ending); ok && IsName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// List returns the templates and how to use each.
func (l *Library) List() string {
	names := l.Names()
	if len(names) == 0 {
		return "There are no templates: " + howToMakeOne + "."
	}
	var lines []string
	for _, name := range names {
		t, own, err := l.Find(name)
		if err != nil {
			lines = append(lines, fmt.Sprintf("- `%s`: %s", name, err))
			continue
		}
		line := fmt.Sprintf("- `%s`", t.UsageOf(name))
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
