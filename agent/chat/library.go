package chat

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/internal/nearest"
	"redline/internal/phrase"
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

// files has those that are not built in.
func (l *Templates) files() workspace.Custom {
	return workspace.Custom{Workspace: l.Workspace, Dir: l.Dir, Folder: "templates", Limit: MaxTemplate}
}

func (l *Templates) text(name string) (text string, from TemplateOrigin, err error) {
	for _, f := range l.files().List() { // the user's own first
		if f.Name == name {
			if !f.Yours {
				from = Repository
			}
			text, err = l.files().Read(f)
			return text, from, err
		}
	}
	data, err := builtIn.ReadFile("builtin/" + name + ".md")
	return string(data), BuiltIn, err
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
	var names []string
	ours, _ := builtIn.ReadDir("builtin") // every listed template exists
	for _, e := range ours {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	for _, f := range l.files().List() {
		if IsTemplateName(f.Name) {
			names = append(names, f.Name)
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
