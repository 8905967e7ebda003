package brief

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"redline/internal/phrase"
	"redline/workspace/git"
)

// MaxFactTokens is about how many tokens of facts a request has, at four bytes for a token.
const MaxFactTokens = 300

// Lines returns the facts for a request about the file at path, "" for none, in about tokens
// tokens at most. Each fact is one line, `label: items`, whatever names it contains. A list that
// does not fit says how many items are left out.
func (f Facts) Lines(about string, tokens int) []string {
	w := writer{facts: f, room: tokens * 4}
	if f.asked.IsZero() {
		return nil
	}
	w.line("date", f.asked.Format(time.DateOnly))
	for i := range min(len(f.folders), maxFolders) {
		w.repository(i)
	}
	w.list("checks", f.age(root), f.commands(about), ", ", 260)
	for _, l := range f.levels {
		w.level(l)
	}
	w.list("passed here before", f.age(passed), f.passed(), ", ", 130)
	w.languages()
	for _, l := range f.levels {
		w.ignored(l)
	}
	w.list("build files", f.age(tree), f.built(), " ", 100)
	return w.lines
}

// writer writes lines into limited room; earlier lines take precedence.
type writer struct {
	facts Facts
	room  int // bytes
	lines []string
}

func (w *writer) line(label, text string) {
	line := label + ": " + text
	if len(line)+1 > w.room {
		return
	}
	w.room -= len(line) + 1
	w.lines = append(w.lines, line)
}

// list writes as many items as fit in most bytes.
func (w *writer) list(label, age string, items []string, between string, most int) {
	if len(items) == 0 {
		return
	}
	label += age
	most = min(most, w.room-len(label)-len(": \n"))
	text, more := "", 0
	for i, item := range items {
		next := text
		if i > 0 {
			next += between
		}
		next += item
		tail := rest(len(items)-i-1, between)
		if len(next)+len(tail) > most {
			more = len(items) - i
			break
		}
		text = next
	}
	w.line(label, strings.TrimPrefix(text+rest(more, between), between))
}

// rest says that there are more items.
func rest(more int, between string) string {
	if more == 0 {
		return ""
	}
	return fmt.Sprintf("%s… %d more", between, more)
}

// repository writes the branch of a folder, and what is changed there. The branch is known
// before Git has answered.
func (w *writer) repository(i int) {
	f := w.facts
	folder := inFolder(f.nameOf(i))
	var s *git.Status
	if i < len(f.states) {
		s = f.states[i]
	}
	label := folder + f.age(status)
	switch {
	case i < len(f.levels) && f.levels[i].branch != "":
		w.line("branch"+folder+f.age(root), item(f.levels[i].branch))
	case s != nil && s.Branch != "":
		w.line("branch"+label, item(s.Branch))
	case s != nil:
		w.line("branch"+label, "none, at commit "+item(phrase.Start(s.Commit, 12)))
	}
	if s == nil {
		if slices.Contains(f.late, status) && i < len(f.levels) && f.levels[i].branch != "" {
			w.line("changed since HEAD"+folder, "not known yet") // a missing line would look like no changes
		}
		return
	}
	var items []string
	for _, c := range s.Changed {
		name := item(c.Path)
		if c.Kind != git.Modified {
			name += " (" + string(c.Kind) + ")"
		}
		items = append(items, name)
	}
	slices.Sort(items)
	items = append(untracked(s), items...)
	switch {
	case s.More && len(items) == 0:
		return // nothing is known
	case len(items) == 0:
		items = []string{"nothing"}
	case s.More:
		items = append(items, "and others")
	}
	w.list("changed since HEAD"+label, "", items, ", ", 220)
}

// untracked names the first untracked files, and counts the others.
func untracked(s *git.Status) (items []string) {
	named := s.Names[:min(len(s.Names), 3)]
	for _, name := range named {
		items = append(items, item(name)+" (untracked)")
	}
	switch more := s.Untracked - len(named); {
	case more > 0 && len(named) > 0:
		items = append(items, fmt.Sprintf("%d more untracked", more))
	case more > 0:
		items = append(items, fmt.Sprintf("%d untracked", more))
	}
	return items
}

// level lists a root: folders, then files, those with a leading dot last.
func (w *writer) level(l level) {
	byDot := func(names []string) []string {
		sorted := slices.Clone(names)
		slices.SortStableFunc(sorted, func(a, b string) int {
			return cmp.Compare(strings.Count(a[:1], "."), strings.Count(b[:1], "."))
		})
		return sorted
	}
	items := append(itemsOf(byDot(l.Folders), "/"), itemsOf(byDot(l.Files), "")...)
	if l.Cut {
		items = append(items, "(and others)")
	}
	w.list("root"+inFolder(l.name), w.facts.age(root), items, " ", 300)
}

// ignored names the noteworthy folders of a root that git ignores.
func (w *writer) ignored(l level) {
	var names []string
	for _, name := range l.Ignored {
		if slices.Contains(noteworthy, name) {
			names = append(names, name)
		}
	}
	w.list("ignored"+inFolder(l.name), w.facts.age(root), itemsOf(names, "/"), " ", 80)
}

// languages lists the languages of the files, the most frequent first.
func (w *writer) languages() {
	c := w.facts.files
	if c.files == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(c.languages), func(a, b string) int {
		return cmp.Or(c.languages[b]-c.languages[a], strings.Compare(a, b))
	})
	var items []string
	for _, name := range names[:min(len(names), 6)] {
		items = append(items, fmt.Sprintf("%s %d", name, c.languages[name]))
	}
	of := "of " + phrase.Count(c.files, "file")
	if !c.whole {
		of = "of the first " + phrase.Count(c.files, "file")
	}
	if len(items) == 0 {
		return
	}
	w.line("languages"+w.facts.age(tree), strings.Join(items, ", ")+" "+of)
}

// commands returns the checks: those of the folders around a file, innermost first, then those
// of the roots, then others. In each folder those that have passed last come first. One that is
// known to fail without a plan's edits is named as such.
func (f Facts) commands(about string) (items []string) {
	var all [][]Check
	inner := map[string]bool{}
	for dir := path.Dir(about); about != "" && dir != "." && dir != "/"; dir = path.Dir(dir) {
		inner[dir] = true
		all = append(all, f.files.checks[dir])
	}
	for _, l := range f.levels {
		if !inner[l.name] || l.name == "" {
			all = append(all, l.checks)
		}
	}
	seen := map[string]bool{}
	for _, file := range f.files.built {
		if dir := path.Dir(file); !inner[dir] && !seen[dir] {
			seen[dir] = true
			all = append(all, f.files.checks[dir])
		}
	}
	for _, list := range all {
		list = f.past.Order(list)
		for i, c := range list {
			text := command(c.Command)
			if f.past.Fails(c) {
				text += " (fails without your edits too)"
			}
			if i+1 == len(list) || list[i+1].From != c.From {
				text += " (" + item(c.From) + ")"
			}
			if !slices.Contains(items, text) {
				items = append(items, text)
			}
		}
	}
	return items
}

// built returns the build files, those of the roots first.
func (f Facts) built() (items []string) {
	for _, l := range f.levels {
		items = append(items, itemsOf(l.built, "")...)
	}
	for _, file := range itemsOf(f.files.built, "") {
		if !slices.Contains(items, file) {
			items = append(items, file)
		}
	}
	return items
}

// nameOf returns the name of a folder of the workspace, "" if it is the only one.
func (f Facts) nameOf(i int) string {
	if len(f.folders) < 2 {
		return ""
	}
	return f.folders[i].Name
}

// age says how old a part is, "" if it is current.
func (f Facts) age(a factPart) string {
	s := f.stamps[a]
	if s.at.IsZero() {
		return ""
	}
	old := f.asked.Sub(s.at)
	switch {
	case !slices.Contains(f.late, a) && old <= grace:
		return ""
	case old < time.Second:
		return " (a moment ago)"
	case old < time.Minute:
		return fmt.Sprintf(" (%d s ago)", int(old.Seconds()))
	case old < time.Hour:
		return fmt.Sprintf(" (%d min ago)", int(old.Minutes()))
	}
	return fmt.Sprintf(" (%d h ago)", int(old.Hours()))
}

func inFolder(name string) string {
	if name == "" {
		return ""
	}
	return " of " + item(name)
}

// in names the folder of a command, "" for the root.
func in(folder string) string {
	if folder == "" {
		return ""
	}
	return " in " + item(folder)
}

const maxItem = 80 // bytes of one name

// item formats a name for a list: quoted if it could look like more than one name, and cut after
// maxItem bytes.
func item(name string) string {
	if len(name) > maxItem {
		name = phrase.StartBytes(name, maxItem)
	}
	if strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsPrint(r) || unicode.IsSpace(r) || strings.ContainsRune("`\"',:;()", r)
	}) {
		return strconv.Quote(name)
	}
	return name
}

// itemsOf formats names for a list, each with an ending.
func itemsOf(names []string, ending string) (items []string) {
	for _, name := range names {
		items = append(items, item(name+ending))
	}
	return items
}

// command formats a command line for a list.
func command(line string) string {
	if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) || r == '`' }) {
		return strconv.Quote(line)
	}
	return "`" + line + "`"
}

// languages maps the extensions of files, in lower case, to languages. It leaves out files that
// are only data or text.
var languages = map[string]string{}

func init() {
	for name, endings := range map[string]string{
		"Go": ".go", "Python": ".py .pyi", "Rust": ".rs", "C": ".c", "C/C++ headers": ".h", "C++": ".cc .cpp .cxx .hpp .hh .ipp", "C#": ".cs", "Java": ".java", "Kotlin": ".kt .kts",
		"JavaScript": ".js .jsx .mjs .cjs", "TypeScript": ".ts .tsx .mts .cts", "Vue": ".vue", "Svelte": ".svelte", "Ruby": ".rb .rake", "PHP": ".php", "Swift": ".swift", "Objective-C": ".m .mm",
		"Scala": ".scala", "Dart": ".dart", "Elixir": ".ex .exs", "Erlang": ".erl", "Haskell": ".hs", "OCaml": ".ml .mli", "F#": ".fs .fsi", "Clojure": ".clj .cljs .cljc", "Lua": ".lua", "Perl": ".pl .pm",
		"R": ".r", "Julia": ".jl", "Zig": ".zig", "Nim": ".nim", "Crystal": ".cr", "Groovy": ".groovy", "Shell": ".sh .bash .zsh", "PowerShell": ".ps1 .psm1", "SQL": ".sql", "HTML": ".html .htm", "CSS": ".css .scss .less",
		"Terraform": ".tf", "Protobuf": ".proto", "GraphQL": ".graphql .gql", "Assembly": ".s .asm", "CUDA": ".cu", "Solidity": ".sol", "Markdown": ".md", "Emacs Lisp": ".el", "Vim script": ".vim", "Nix": ".nix", "Fortran": ".f90 .f", "Ada": ".adb .ads", "D": ".d", "Visual Basic": ".vb",
	} {
		for _, ending := range strings.Fields(endings) {
			languages[ending] = name
		}
	}
}

func languageOf(ending string) string { return languages[strings.ToLower(ending)] }

// buildFiles are names of files that say how a project is built, apart from those that contain
// its checks.
var buildFiles = strings.Fields(`CMakeLists.txt meson.build configure.ac BUILD.bazel MODULE.bazel WORKSPACE build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.sbt
	go.work setup.py requirements.txt Pipfile Package.swift pubspec.yaml dune-project stack.yaml cabal.project rebar.config project.clj deps.edn Project.toml flake.nix shard.yml
	deno.jsonc pnpm-workspace.yaml turbo.json nx.json Dockerfile compose.yaml docker-compose.yml`)

// buildEndings are endings of further such names.
var buildEndings = []string{".csproj", ".fsproj", ".sln", ".slnx", ".cabal", ".gemspec", ".nimble"}

func isBuildFile(name string) bool {
	return Reads(name) || slices.Contains(buildFiles, name) || slices.Contains(buildEndings, path.Ext(name))
}

// examples are folders whose build files are not the project's own.
var examples = strings.Fields("testdata fixtures fixture third_party vendor node_modules examples example")

func isExample(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(part string) bool { return slices.Contains(examples, part) })
}

// noteworthy are folders that a model should know about although git ignores them: the project
// needs them to run, or has produced them.
var noteworthy = strings.Fields(".venv venv env node_modules target dist build out vendor bin obj .tox .nox __pypackages__ bower_components Pods deps _build .gradle .next coverage")
