package orchestrator

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"redline/internal/frontmatter"
	"redline/internal/lazyregexp"
	"redline/internal/nearest"
	"redline/internal/phrase"
)

// Origin says where the description of a specialist comes from.
type Origin string

// The origins.
const (
	BuiltIn    Origin = "built in"
	Own        Origin = "your own"   // the user's own agent file
	Repository Origin = "repository" // an agent file of the workspace
)

// Specialist is an agent for one kind of work.
type Specialist struct {
	ID          string
	Description string   // one line, for the planner
	Prompt      string   // its part of the system prompt
	Delegates   []string // if not nil, it does not work itself: one of these is chosen
	Keywords    []string // words of a request that ask for it
	Tools       []string // the tools that it may call, in the order of the known tools
	Model       string   // another model of the same provider, "" for the usual one
	Temperature *float64 // nil for the provider's default
	Primary     bool     // the user can choose it for a conversation; planners do not know it
	Origin      Origin
	File        string // the last agent file that describes it, "" for none
}

// ToolKind says what a tool does.
type ToolKind int

// The kinds of tools.
const (
	Reads   ToolKind = iota // reads files of the workspace
	Recalls                 // reads what the repository keeps of them
	Shows                   // shows the user something in their editor
	Edits                   // stages an edit
	Runs                    // stages a command
	Tries                   // tries a command before anything is approved
	Fetches                 // reads from the hosts that the user's own settings name
	Asks                    // reads through a tool server of the user's
	Calls                   // stages a call of a tool server
)

// configured reports whether tools of the kind use what the user's own settings name.
func (k ToolKind) configured() bool { return k == Fetches || k == Asks || k == Calls }

// Tool is a tool that a specialist may have.
type Tool struct {
	Name string
	Kind ToolKind
}

//go:embed builtin/*.md
var builtInFiles embed.FS

// builtInOrder is the order in which the built-in specialists are listed, and in which they work
// if keywords choose them. Those that review the work of others come last.
var builtInOrder = []string{General, "code", "tests", "docs", Agents, "run", "review", "improve"}

// builtIn returns the agent files of the built-in specialists.
func builtIn() []File {
	var files []File
	for _, id := range builtInOrder {
		text, err := builtInFiles.ReadFile("builtin/" + id + ".md")
		if err != nil {
			panic(err) // embedded at build time, so any test finds a missing file
		}
		files = append(files, File{ID: id, Name: id, Text: string(text)})
	}
	return files
}

// groups are groups of tools that a specialist can be given together, under the word for them in
// `tools` and `permission` of an agent file, in the order in which they are listed.
var groups = []struct {
	word  string
	kinds []ToolKind
}{
	{"files", []ToolKind{Reads}}, {"git", []ToolKind{Recalls}}, {"edit", []ToolKind{Edits}}, {"command", []ToolKind{Runs}}, {"try", []ToolKind{Tries}},
	{"fetch", []ToolKind{Fetches}}, {"mcp", []ToolKind{Asks, Calls}},
}

// Groups returns the names of the tool groups from which a specialist has at least one tool.
func (r *Registry) Groups(s *Specialist) []string {
	var words []string
	for _, g := range groups {
		if slices.ContainsFunc(r.tools, func(t Tool) bool { return slices.Contains(g.kinds, t.Kind) && slices.Contains(s.Tools, t.Name) }) {
			words = append(words, g.word)
		}
	}
	if slices.Contains(words, "command") { // who stages commands tries them too
		words = slices.DeleteFunc(words, func(word string) bool { return word == "try" })
	}
	return words
}

// Options describes a specialist to the planner, besides its description, in a few words: its
// groups of tools, or for a delegator the specialists that it chooses from.
func (r *Registry) Options(s *Specialist) string {
	if s.Delegates != nil {
		return "one of " + strings.Join(s.Delegates, ", ")
	}
	return strings.Join(r.Groups(s), ", ")
}

// ForImprovers returns what a specialist reads that writes agent files: the tools of each group,
// and all specialists with their groups.
func (r *Registry) ForImprovers() string {
	var b strings.Builder
	b.WriteString("The option groups, with the tools of each:\n")
	for _, g := range groups {
		var names []string
		for _, t := range r.tools {
			if slices.Contains(g.kinds, t.Kind) {
				names = append(names, t.Name)
			}
		}
		if names != nil {
			fmt.Fprintf(&b, "- %s: %s\n", g.word, strings.Join(names, ", "))
		}
	}
	b.WriteString("\nThe specialists that there are:\n")
	for _, s := range r.list {
		fmt.Fprintf(&b, "- %s [%s]\n", s.ID, r.Options(s))
	}
	return strings.TrimSpace(b.String())
}

// A primary agent is described by a file with mode: primary (or all, which makes a specialist of
// it too). The user, not a planner, chooses it by name for a conversation. Its text is added to
// the system prompt of a turn, and the turn may use no other tools than its.

// Reserved are the names that mean no agent.
var Reserved = []string{"none", "default"}

// putPrimary adds the primary agent of a file, or replaces the one of the same name. Unlike a
// specialist it has every tool that is not excluded, and needs no description, since no planner
// reads it.
func (r *Registry) putPrimary(file File, f *file, origin Origin, notice noticeFunc) {
	if slices.Contains(Reserved, file.ID) {
		notice(file.Name, "cannot be chosen: the words none and default mean no agent")
		return
	}
	if f.delegates != nil {
		f.ignore("the delegates (a primary agent works itself)")
	}
	s := &Specialist{
		ID: file.ID, Description: f.description, Prompt: f.body, Temperature: f.temperature,
		Primary: true, Origin: origin, File: file.Name,
	}
	s.Description = cmp.Or(s.Description, phrase.FirstLine(f.body, maxDescription))
	s.chooseModel(f)
	s.Tools = r.toolsOf(f, s, nil, origin)
	r.primary = append(slices.DeleteFunc(r.primary, func(old *Specialist) bool { return old.ID == s.ID }), s)
}

// Primary returns the primary agents, which the user can choose.
func (r *Registry) Primary() []*Specialist { return slices.Clone(r.primary) }

// FindPrimary returns the primary agent with an id, nil for none.
func (r *Registry) FindPrimary(id string) *Specialist {
	for _, s := range r.primary {
		if s.ID == id {
			return s
		}
	}
	return nil
}

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

// PrimaryNames returns the names of the primary agents, sorted.
func (r *Registry) PrimaryNames() []string {
	var names []string
	for _, a := range r.Primary() {
		names = append(names, a.ID)
	}
	slices.Sort(names)
	return names
}

// NearPrimary returns the primary agents that an unknown name may mean, nil for none.
func (r *Registry) NearPrimary(name string) []string { return nearest.Of(name, r.PrimaryNames()) }
