package orchestrator

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"redline/agent/plan"
	"redline/internal/nearest"
	"redline/internal/phrase"
)

// General is the specialist that always exists. It does all work for which there is no other.
const General = "general"

// Agents is the specialist that writes agent files, to improve other specialists.
const Agents = "agents"

// File is an agent file.
type File struct {
	ID   string // its name without ".md"
	Name string // the user reads this
	Text string
	Err  error // why it cannot be read
}

// Registry has all specialists, and the primary agents.
type Registry struct {
	list    []*Specialist     // the built-in ones first, then in the order of the files
	primary []*Specialist     // see [Registry.Primary]; in the order of the files
	own     map[string]string // all of the user's own files, even unusable ones: id to name
	tools   []Tool
}

// NewRegistry returns the built-in specialists, changed and added to by the user's own agent
// files and those of the repository. The user's file overrides the repository's file of the same
// name.
//
// A file of the repository can only describe work. It cannot choose a model, nor add a tool that
// needs the user's settings. Nor can it add a tool that the changed specialist lacks or, for a
// new specialist, the general one.
//
// NewRegistry leaves out a file that cannot be read. notices says so, and which parts of the
// other files have no effect, one sentence each.
func NewRegistry(tools []Tool, own, repository []File) (r *Registry, notices []string) {
	r = &Registry{tools: tools, own: map[string]string{}}
	notice := func(name, format string, args ...any) {
		notices = append(notices, fmt.Sprintf("The agent file %s ", name)+fmt.Sprintf(format, args...)+".")
	}
	for _, b := range builtIn() {
		f, err := parseFile(b.Text)
		if err != nil || len(f.ignored) > 0 {
			panic(fmt.Sprintf("specialists: %s: %v %v", b.ID, err, f)) // embedded at build time: any test finds it
		}
		r.put(b, f, BuiltIn, notice)
	}
	for _, from := range []struct {
		files  []File
		origin Origin
	}{{own, Own}, {repository, Repository}} {
		for i, file := range from.files {
			if i == MaxFiles {
				notice(file.Name, "and those after it are left out: there are more than %d", MaxFiles)
				break
			}
			r.load(file, from.origin, notice)
		}
	}
	r.checkDelegates(notice)
	return r, notices
}

// noticeFunc adds a notice about the agent file with this name.
type noticeFunc func(name, format string, args ...any)

// load reads one agent file into the registry.
func (r *Registry) load(file File, origin Origin, notice noticeFunc) {
	was := r.Find(file.ID)
	yours, shadows := r.own[file.ID]
	switch {
	case !isName().MatchString(file.ID):
		notice(file.Name, "is left out: its name must be lower-case letters, digits, - and _, and begin with a letter")
		return
	case origin == Repository && shadows:
		notice(file.Name, "does not count: you have one of the same name, %s", yours)
		return
	case origin == Own:
		r.own[file.ID] = file.Name
	}
	if file.Err != nil {
		notice(file.Name, "is left out: it cannot be read: %s", phrase.TrimStop(file.Err.Error()))
		return
	}
	f, err := parseFile(file.Text)
	if err != nil {
		notice(file.Name, "is left out: it %s", err)
		return
	}
	if f.mode == "off" {
		switch {
		case file.ID == General:
			notice(file.Name, "does not count: the specialist %s cannot be left out", General)
		default:
			r.list = slices.DeleteFunc(r.list, func(s *Specialist) bool { return s.ID == file.ID })
		}
		return
	}
	if f.mode == "primary" || f.mode == "all" {
		r.putPrimary(file, f, origin, notice)
	}
	if f.mode == "primary" {
		for _, what := range f.ignored {
			notice(file.Name, "is used, but not all of it: %s", what)
		}
		return
	}
	if was == nil && (f.description == "" || f.body == "" && f.mode != "delegator") {
		notice(file.Name, "is left out: it needs a description, and after its first part what the specialist is to do")
		return
	}
	r.put(file, f, origin, notice)
	for _, what := range f.ignored {
		notice(file.Name, "is used, but not all of it: %s", what)
	}
}

// put adds the specialist of a file, or changes the one of the same name.
func (r *Registry) put(file File, f *file, origin Origin, notice noticeFunc) {
	s := &Specialist{ID: file.ID}
	was := r.Find(file.ID)
	if was != nil {
		*s = *was
	}
	s.Origin, s.File = origin, file.Name
	if f.description != "" {
		s.Description = f.description
	}
	if f.body != "" {
		s.Prompt = f.body
	}
	if f.keywords != nil {
		s.Keywords = f.keywords
	}
	if f.temperature != nil {
		s.Temperature = f.temperature
	}
	s.chooseModel(f)
	switch {
	case file.ID == General:
		if f.mode == "delegator" || f.delegates != nil {
			f.ignore("the delegates (the specialist %s works itself)", General)
		}
	case f.mode == "delegator":
		s.Delegates = append([]string{}, f.delegates...)
	case f.mode == "specialist", f.mode == "all":
		s.Delegates = nil
	case f.delegates != nil:
		s.Delegates = f.delegates
	}
	s.Tools = r.toolsOf(f, s, was, origin)
	if was == nil {
		r.list = append(r.list, s)
		return
	}
	r.list[slices.Index(r.list, was)] = s
}

// chooseModel sets the model that a file names, if the file may choose one.
func (s *Specialist) chooseModel(f *file) {
	switch {
	case f.model == "":
	case s.Origin == Repository:
		f.ignore("the model (only your own files choose one, since it decides who is sent your code)")
	default:
		s.Model = f.model
	}
}

// toolsOf returns the tools of a specialist s whose description before the file f was was.
func (r *Registry) toolsOf(f *file, s, was *Specialist, origin Origin) []string {
	bound := s.Tools // a repository can choose among these
	if was == nil {
		if general := r.Find(General); general != nil {
			bound = general.Tools
		}
	}
	may := func(t Tool) bool {
		return origin != Repository || !t.Kind.configured() && slices.Contains(bound, t.Name)
	}
	has := map[string]bool{}
	switch {
	case f.tools != nil:
		for _, word := range f.tools {
			named := r.named(word)
			if named == nil && !isConfigured(word) { // a configured tool may exist another time
				f.ignore("there is no tool %s%s", quoted(word), r.nearest(word))
			}
			for _, t := range named {
				has[t.Name] = may(t)
				if !may(t) && t.Name == word {
					f.ignore("the tool %s (a repository's agents have at most the tools that you let their like have)", quoted(word))
				}
			}
		}
	case was != nil:
		for _, t := range r.tools {
			has[t.Name] = may(t) && slices.Contains(was.Tools, t.Name)
		}
	default:
		for _, t := range r.tools {
			has[t.Name] = (slices.Contains(kinds["read"], t.Kind) || s.Primary) && may(t)
		}
	}
	denied := map[string]bool{}
	for _, word := range slices.Concat(f.without, f.deny) {
		for _, t := range r.named(word) {
			if !f.keeps(word, t) {
				denied[t.Name] = true
			}
		}
	}
	maps.DeleteFunc(has, func(name string, _ bool) bool { return denied[name] })
	if !s.Primary { // the tools of a primary agent are the user's limit
		kept := was != nil && r.has(was, Edits) && !r.has(was, Tries) // what was denied before stays so
		r.letTry(has, func(t Tool) bool { return may(t) && !denied[t.Name] && !kept }, f.tools != nil)
	}
	var out []string
	for _, t := range r.tools {
		if has[t.Name] {
			out = append(out, t.Name)
		}
	}
	return out
}

// has reports whether a specialist has a tool of a kind.
func (r *Registry) has(s *Specialist, k ToolKind) bool {
	return slices.ContainsFunc(r.tools, func(t Tool) bool { return t.Kind == k && slices.Contains(s.Tools, t.Name) })
}

// letTry adds the tools that try commands for a specialist that edits, if it may have them. It
// removes them from one that no longer edits or stages commands, unless its file names its tools.
func (r *Registry) letTry(has map[string]bool, may func(Tool) bool, named bool) {
	of := func(k ToolKind) bool {
		return slices.ContainsFunc(r.tools, func(t Tool) bool { return t.Kind == k && has[t.Name] })
	}
	edits, runs := of(Edits), of(Runs)
	for _, t := range r.tools {
		switch {
		case t.Kind != Tries:
		case edits && may(t):
			has[t.Name] = true
		case !edits && !runs && !named:
			delete(has, t.Name)
		}
	}
}

// kinds are the words for all tools of a kind. The user decides on a tool server's call as on a
// command, so the words for commands include them.
var kinds = map[string][]ToolKind{
	"read": {Reads, Recalls, Shows}, "files": {Reads}, "git": {Recalls}, "edit": {Edits}, "write": {Edits},
	"command": {Runs, Tries, Calls}, "bash": {Runs, Tries, Calls}, "run": {Runs, Tries, Calls}, "try": {Tries},
	"fetch": {Fetches}, "webfetch": {Fetches}, "mcp": {Asks, Calls},
}

// named returns the tools that a word means, nil for none. The word is a tool's name, a word for
// a kind, a name with * for any characters, or mcp__SERVER for all tools of a server.
func (r *Registry) named(word string) []Tool {
	var out []Tool
	for _, t := range r.tools {
		ofServer := strings.HasPrefix(word, serverPrefix) && strings.HasPrefix(t.Name, word+"__")
		like, _ := path.Match(word, t.Name) // a name has no /
		if t.Name == word || slices.Contains(kinds[word], t.Kind) || ofServer || like {
			out = append(out, t)
		}
	}
	return out
}

// sometimes are the tools that exist only if the workspace is in a repository, or has a language server.
var sometimes = []string{"git_log", "git_diff", "git_blame", "references", "definition", "rename_symbol"}

// isConfigured reports whether a word means tools that exist only with certain settings and a
// server that answers, or only in some workspaces.
func isConfigured(word string) bool {
	isKind := slices.ContainsFunc(kinds[word], ToolKind.configured)
	return isKind || word == "git" || word == "try" || word == "fetch_url" || word == "try_command" || slices.Contains(sometimes, word) || strings.HasPrefix(word, serverPrefix)
}

const serverPrefix = plan.ServerPrefix

// nearest suggests the known names closest to word, "" for none.
func (r *Registry) nearest(word string) string {
	known := slices.Collect(maps.Keys(kinds))
	for _, t := range r.tools {
		known = append(known, t.Name)
	}
	if near := nearest.Of(word, known); near != nil {
		return ": did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// checkDelegates removes delegates that do not exist, and delegators that have none left.
func (r *Registry) checkDelegates(notice noticeFunc) {
	for changed := true; changed; {
		changed = false
		for i, s := range r.list {
			if s.Delegates == nil {
				continue
			}
			var known []string
			for _, id := range s.Delegates {
				if to := r.Find(id); to != nil && id != s.ID && !slices.Contains(known, id) {
					known = append(known, id)
				} else if s.Origin != BuiltIn {
					notice(s.File, "is used, but not all of it: it cannot delegate to %s", quoted(id))
				}
			}
			if len(known) == 0 {
				if s.Origin != BuiltIn {
					notice(s.File, "is left out: it delegates to nobody")
				}
				r.list, changed = slices.Delete(r.list, i, i+1), true
				break
			}
			copied := *s
			copied.Delegates = known
			r.list[i] = &copied
		}
	}
}

// Find returns the specialist with an id, nil for none.
func (r *Registry) Find(id string) *Specialist {
	for _, s := range r.list {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// All returns all specialists, the built-in ones first.
func (r *Registry) All() []*Specialist { return slices.Clone(r.list) }
