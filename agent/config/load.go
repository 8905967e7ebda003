package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"redline/edits"
	"redline/internal/lazyregexp"
	"redline/internal/nearest"
	"redline/internal/phrase"
)

// Sources are the places to read settings from.
type Sources struct {
	Flags map[string]string                // key to value, as in "limits.steps" to "20"; only those that are set
	Env   func(name string) (string, bool) // os.LookupEnv
	// Policy is the path of the policy file; "" for this machine's.
	Policy string
}

// Warning is one sentence about a setting without effect, and what to do about it.
type Warning string

// The names of the settings file and the state directory in the XDG directories.
const (
	settingsName = "redline/config.toml"
	stateName    = "redline"
)

// maxFileSize is the size limit of a settings file.
const maxFileSize = 1 << 20

// Load returns the settings. Flags override the environment, which overrides the user's file,
// and the policy then tightens them. A bad value in the environment or the file is ignored with
// a warning. A bad flag is an error. If the file or the policy cannot be read as a whole, the
// error is an [*Unusable], and the settings beside it are those of the other sources, for a
// command that runs nothing and sends nothing.
func Load(src Sources) (Settings, []Warning, error) {
	policy, unusable := readPolicy(cmp.Or(src.Policy, usualPolicy()), src.Env)
	l := &loader{settings: defaults(), env: src.Env}
	s := &l.settings
	s.File = l.place("REDLINE_CONFIG", "XDG_CONFIG_HOME", xdg.ConfigHome, settingsName)
	s.StateDir = l.place("REDLINE_STATE_DIR", "XDG_STATE_HOME", xdg.StateHome, stateName)
	if level, ok := l.lookup("REDLINE_LOG"); ok {
		s.LogLevel, s.origins["REDLINE_LOG"] = level, "REDLINE_LOG"
	}

	s.Record, s.Replay = l.directory("REDLINE_RECORD"), l.directory("REDLINE_REPLAY")
	if s.Record != "" && s.Replay != "" {
		s.Record = ""
		l.warn("REDLINE_RECORD has no effect while REDLINE_REPLAY is set: unset one of them.")
	}

	if err := l.file(s.File); err != nil && unusable == nil {
		unusable = err
	}
	l.beginEnvironment()
	for _, k := range keys {
		if text, ok := l.lookup(k.env); ok {
			l.set(k, text, k.env)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(src.Flags)) {
		k, ok := find(name)
		if !ok {
			return Settings{}, nil, fmt.Errorf("there is no setting %s", name)
		}
		if err := k.set(s, src.Flags[name]); err != nil {
			return Settings{}, nil, fmt.Errorf("the flag for %s %w", name, err)
		}
		s.origins[name] = "flag"
	}
	l.resolveProvider()
	l.resolveHeaders()
	policy.apply(s)
	for i := range s.Outside.Agents {
		s.Outside.Agents[i].Plain = s.Trials.Isolation == "copy"
	}
	s.withoutRules()
	if unusable != nil {
		s.Refused, s.ToolServers, s.Outside.Agents = unusable.Error(), nil, nil
		return *s, l.warnings, unusable
	}
	return *s, l.warnings, nil
}

// Ignored returns a warning that names settings from a place where they have no effect
// because a repository could ship them: settings sent by the editor and the workspace's own
// file. from names the place, as in "the workspace's .redline/config.toml". It returns nil if
// there are none.
func Ignored(from string, tables map[string]any) []Warning {
	var names []string
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		entries, ok := tables[table].(map[string]any)
		if !ok {
			names = append(names, table)
		}
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			names = append(names, table+"."+name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	for i, name := range names {
		if !plainName().MatchString(name) {
			names[i] = strconv.QuoteToASCII(name)
		}
	}
	if left := len(names) - maxNamed; left > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("and %d more", left))
	}
	return []Warning{Warning(fmt.Sprintf("These settings in %s are ignored, because a repository could bring them: %s. Set them in your own configuration file.", from, strings.Join(names, ", ")))}
}

// IgnoredIn does what [Ignored] does, for the text of a settings file. Where none of its settings
// would count, a text that is not TOML stops nothing: the warning says that too.
func IgnoredIn(from string, data []byte) []Warning {
	err := errTooLarge
	var tables map[string]any
	if len(data) <= maxFileSize {
		tables, err = parse(data)
	}
	if err != nil {
		return []Warning{Warning(fmt.Sprintf("The settings in %s are ignored, because a repository could bring them, and %s. Set yours in your own configuration file.", from, err))}
	}
	return Ignored(from, tables)
}

// Names of the workspace's settings file: in warnings, and among Redline's own files.
const (
	OfWorkspace   = "the workspace's .redline/config.toml"
	WorkspaceFile = "config.toml"
)

// plainName matches a name that needs no quotes; other names may have invisible characters.
var plainName = lazyregexp.New(`^[A-Za-z0-9_.-]{1,80}$`)

// maxNamed is how many ignored settings a warning names.
const maxNamed = 20

// loader reads the settings from all sources.
type loader struct {
	settings Settings
	warnings []Warning
	env      func(string) (string, bool)
}

func (l *loader) warn(format string, args ...any) {
	l.warnings = append(l.warnings, Warning(fmt.Sprintf(format, args...)))
}

// lookup returns an environment variable. An empty one counts as unset.
func (l *loader) lookup(name string) (string, bool) {
	if name == "" || l.env == nil {
		return "", false
	}
	text, _ := l.env(name)
	return text, text != ""
}

// place returns the absolute path in the variable, else the path of name in the XDG directory
// or, without a home directory, in the directory for temporary files.
func (l *loader) place(variable, xdgVariable, xdgDefault, name string) string {
	path, ok := l.lookup(variable)
	if !ok {
		base, ok := l.lookup(xdgVariable)
		if !ok || !filepath.IsAbs(base) {
			base = xdgDefault
		}
		if !filepath.IsAbs(base) {
			base = os.TempDir()
			l.warn("There is no home directory, so %s is looked for in %s: set %s.", name, base, variable)
		}
		return filepath.Join(base, filepath.FromSlash(name))
	}
	l.settings.origins[variable] = variable
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// directory returns the absolute path in the variable, "" for none.
func (l *loader) directory(name string) string {
	path, ok := l.lookup(name)
	if !ok {
		return ""
	}
	l.settings.origins[name] = name
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// set sets the value of a key; a bad value is a warning.
func (l *loader) set(k key, text, origin string) {
	err := k.set(&l.settings, text)
	if some, ok := errors.AsType[partly](err); ok {
		l.warn("In %s, %s.", origin, some)
	} else if err != nil {
		l.warn("%s in %s has no effect: it %s.", k.name, origin, err)
		return
	}
	l.settings.origins[k.name] = origin
}

// file reads the user's settings file, if there is one.
func (l *loader) file(path string) *Unusable {
	data, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		l.missing(path)
		return nil
	}
	var tables map[string]any
	if err == nil {
		tables, err = parse(data)
	}
	if err != nil {
		return &Unusable{file: path, why: err}
	}
	l.tables(tables, path)
	return nil
}

// missing warns about a settings file that does not exist although something leads to it.
func (l *loader) missing(path string) {
	if l.settings.origins["REDLINE_CONFIG"] != "" {
		l.warn("There is no file %s, so none of your settings count: correct REDLINE_CONFIG, or unset it.", path)
	} else if _, err := os.Lstat(path); err == nil {
		l.warn("%s is a link to a file that does not exist, so none of your settings count: correct it, or remove it.", path)
	}
}

// tables takes the settings from the content of the settings file at path.
func (l *loader) tables(tables map[string]any, path string) {
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		entries, isTable := tables[table].(map[string]any)
		switch {
		case table == "mcp":
			l.toolServers(tables[table], path)
		case table == "outside" && isTable:
			l.outsideAgents(entries, path)
		case table == "languages" && isTable:
			l.languageServers(entries, path)
		case reserved[table] && !knownTable(table):
		case !knownTable(table):
			l.unknown(table, path)
		case !isTable:
			l.warn("%s in %s has no effect: it must be a table, [%s].", table, path, table)
		default:
			l.table(table, entries, path)
		}
	}
}

func (l *loader) table(table string, entries map[string]any, path string) {
	for _, entry := range slices.Sorted(maps.Keys(entries)) {
		name := table + "." + entry
		k, ok := find(name)
		switch {
		case reserved[name], reserved[table] && !ok:
		case !ok:
			l.unknown(name, path)
		default:
			text, err := k.form.text(entries[entry])
			if err != nil {
				l.warn("%s in %s has no effect: it %s.", name, path, err)
				continue
			}
			l.set(k, text, path)
		}
	}
}

// unknown warns about a key or table that does not exist.
func (l *loader) unknown(name, path string) {
	known := slices.Sorted(maps.Keys(reserved))
	for _, k := range keys {
		table, _, _ := strings.Cut(k.name, ".")
		known = append(known, k.name, table)
	}
	slices.Sort(known)
	hint := "redline doctor --config lists the settings"
	if near := nearest.Of(name, slices.Compact(known)); near != nil {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	l.warn("There is no setting %s, in %s: %s", name, path, hint)
}

func knownTable(table string) bool {
	return slices.ContainsFunc(keys, func(k key) bool { return strings.HasPrefix(k.name, table+".") })
}

// Unusable is the error for a settings file or a policy that cannot be read as a whole. It may
// deny a command, or name who may be asked, and nobody knows: so nothing is run and nothing is
// sent until it is fixed.
type Unusable struct {
	file   string
	policy bool
	why    error // a part of a sentence; begins with the line if there is one
}

func (u *Unusable) Error() string {
	if u.policy {
		return fmt.Sprintf("the policy in %s cannot be applied: %s. Ask who administers this machine to fix it", u.file, u.why)
	}
	return fmt.Sprintf("your settings in %s cannot be read: %s; Redline runs nothing and sends nothing until you fix it", u.file, u.why)
}

var errTooLarge = fmt.Errorf("it is not a file of at most %d bytes", maxFileSize)

// read reads a settings file. Its errors are parts of a sentence. A path through a file, as with
// HOME=/dev/null, names no file either.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return nil, errTooLarge
	}
	data, err := os.ReadFile(path)
	return data, withoutPath(err)
}

// mark is the byte order mark that some editors write before UTF-8 text. TOML knows none.
const mark = "\ufeff"

// parse reads TOML, after a byte order mark if there is one. Its errors are parts of a sentence.
func parse(data []byte) (tables map[string]any, err error) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, errors.New("line 1 is not TOML (the file is UTF-16; save it as UTF-8)")
	}
	err = toml.Unmarshal(bytes.TrimPrefix(data, []byte(mark)), &tables)
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		row, _ := at.Position()
		why := edits.Visible(strings.TrimPrefix(at.Error(), "toml: ")) // it may quote a key, and a repository could bring that
		return nil, fmt.Errorf("line %d is not TOML (%s)", row, phrase.Clip(why, 200))
	}
	return tables, err
}

// withoutPath returns the reason of a file error without the path.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
