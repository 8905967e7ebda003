package config

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/adrg/xdg"

	"redline/agent/brief"
	"redline/internal/lazyregexp"
	"redline/internal/phrase"
)

// The user's own folders beside their settings file.
const (
	agentsFolder    = "agents"
	templatesFolder = "templates"
)

// AgentsDir returns the folder of the user's own agent files. It need not exist.
func (s Settings) AgentsDir() string { return s.beside(agentsFolder) }

// TemplatesDir returns the folder of the user's own templates. It need not exist.
func (s Settings) TemplatesDir() string { return s.beside(templatesFolder) }

// PromptsDir returns the folder of the user's own prompts. It need not exist.
func (s Settings) PromptsDir() string { return s.beside(brief.PromptFolder) }

func (s Settings) beside(name string) string { return filepath.Join(filepath.Dir(s.File), name) }

// OwnPaths returns the absolute paths that belong to Redline and its user alone: the settings
// file, the folders of prompts, agents and templates beside it, and the state directory. Anyone
// who can write there decides what runs without approval, so no tool reads or changes them and
// no approved command writes them, wherever they are. The list includes the default places even
// if environment variables name others, since the next session may start without these. None of
// the paths needs to exist, and any may lead through symbolic links.
func (s Settings) OwnPaths() []string {
	var paths []string
	for _, at := range []Settings{s, usualPlaces()} {
		if at.File != "" {
			paths = append(paths, at.File, at.PromptsDir(), at.AgentsDir(), at.TemplatesDir())
		}
		if at.StateDir != "" {
			paths = append(paths, at.StateDir)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// OwnFolders returns the folders that belong to Redline and its user with all their content:
// those of [Settings.OwnPaths], and the folder of the settings file if it is called
// "redline". None needs to exist. A missing one that a command could create is created empty
// before the command runs.
func (s Settings) OwnFolders() []string {
	var folders []string
	for _, at := range []Settings{s, usualPlaces()} {
		if dir := filepath.Dir(at.File); filepath.Base(dir) == stateName {
			folders = append(folders, dir)
		} else if at.File != "" {
			folders = append(folders, at.PromptsDir(), at.AgentsDir(), at.TemplatesDir())
		}
		if at.StateDir != "" {
			folders = append(folders, at.StateDir)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders)
}

// usualPlaces returns the settings file and the state directory that are used if no variable
// names them.
func usualPlaces() (s Settings) {
	if filepath.IsAbs(xdg.ConfigHome) {
		s.File = filepath.Join(xdg.ConfigHome, filepath.FromSlash(settingsName))
	}
	if filepath.IsAbs(xdg.StateHome) {
		s.StateDir = filepath.Join(xdg.StateHome, stateName)
	}
	return s
}

// Template returns a settings file that explains every setting and sets none. Each setting is on
// a line that begins with #, with its default or, if it has none, an example. The text does not
// depend on the user's settings.
func Template() string {
	var b strings.Builder
	comment(&b, "Redline's settings, each with its default or an example. Take the # from a line to set it. "+
		"Environment variables and flags override this file; `redline doctor --config` shows what counts.")
	s := defaults()
	for _, table := range tablesInOrder() {
		b.WriteString("\n[" + table + "]\n")
		for _, k := range keysOf(table) {
			b.WriteString("\n")
			comment(&b, phrase.Sentence(k.about)+" Takes "+inTOML(k.values)+"."+before(k)+seePage(k.see))
			value := k.example
			value = cmp.Or(value, literal(k.show(s)))
			b.WriteString("#" + strings.TrimPrefix(k.name, table+".") + " = " + value + "\n")
		}
	}
	b.WriteString("\n")
	comment(&b, "A table [mcp.NAME] is a tool server; see docs/tool-servers.md.")
	return b.String()
}

// before returns a sentence on the environment variable that overrides a setting, "" for none.
func before(k key) string {
	if k.env == "" {
		return ""
	}
	return " The environment variable " + k.env + " overrides it."
}

func seePage(page string) string {
	if page == "" {
		return ""
	}
	return " See docs/" + page + "."
}

// inTOML formats the values of a setting in TOML.
func inTOML(values string) string {
	return strings.ReplaceAll(strings.ReplaceAll(values, "`true` or `false`", "true or false"), "`", `"`)
}

// bare matches a value that needs no quotes.
var bare = lazyregexp.New(`^(true|false|[0-9.]+)$`)

func literal(value string) string {
	if bare().MatchString(value) {
		return value
	}
	return strconv.Quote(value)
}

// comment formats a text as lines of a comment.
func comment(b *strings.Builder, text string) {
	const width = 88
	at := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case at == 0:
			b.WriteString("#")
			at = 1
		case at+1+len(word) > width:
			b.WriteString("\n#")
			at = 1
		}
		b.WriteString(" " + word)
		at += 1 + len(word)
	}
	b.WriteString("\n")
}
