package brief

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"redline/internal/frontmatter"
	"redline/internal/phrase"
	"redline/workspace"
)

// ruleNames are the usual names of files in which a project tells agents how to write its code.
// They may be in any folder.
var ruleNames = []string{
	"AGENTS.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "CONVENTIONS.md",
	".cursorrules", ".windsurfrules", ".clinerules", ".rules", ".goosehints",
	".github/copilot-instructions.md", ".junie/guidelines.md",
}

// ruleFolders are the usual folders with several rule files. The front matter of a file may say
// to which files it applies.
var ruleFolders = []struct{ dir, glob string }{
	{".cursor/rules", "**/*.{md,mdc}"},
	{".github/instructions", "**/*.instructions.md"},
	{".windsurf/rules", "**/*.md"},
	{".clinerules", "**/*.md"},
}

const (
	maxRuleFiles  = 16       // rule files in a brief
	maxRuleSize   = 32 << 10 // bytes of one
	maxRuleDirs   = 64       // folders that are searched for rules
	maxInQuestion = 50       // files whose rules are searched for
)

// ruleSet has the rules for a request.
type ruleSet struct {
	files  []rule // for the files of the request, nearest first
	others []rule // for other files
}

// rule is one rule file.
type rule struct {
	path string
	text string // without its front matter
	fits string // globs of the files that it is for, "" for all
	what string // its description, "" for none
}

// findRules finds the rule files for files: those in their folders and in the folders above up
// to the root, nearest first. Without files it finds those of the roots.
func (g *gatherer) findRules(files []string) ruleSet {
	var set ruleSet
	if g.limits.NoRules || g.limits.Tokens <= 0 {
		return set
	}
	files = files[:min(len(files), maxInQuestion)]
	seen := map[string]bool{}
	for _, dir := range g.ruleDirs(files) {
		for _, p := range g.rulesIn(dir) {
			if g.ctx.Err() != nil {
				return set
			}
			r, ok := g.readRule(p)
			if !ok || seen[r.text] {
				continue // one is often a link to another, or a copy
			}
			seen[r.text] = true
			if r.fits == "" || fitsAny(r.fits, dir, files) {
				set.files = append(set.files, r)
			} else {
				set.others = append(set.others, r)
			}
		}
	}
	return set
}

// ruleDirs returns the folders to search for rules, the deepest first.
func (g *gatherer) ruleDirs(files []string) []string {
	known := map[string]bool{}
	for _, f := range files {
		root := "."
		if !g.files.Single() {
			root, _, _ = strings.Cut(f, "/")
		}
		known[root] = true
		for dir := path.Dir(f); dir != root && dir != "." && len(known) < maxRuleDirs; dir = path.Dir(dir) {
			known[dir] = true
		}
	}
	if len(files) == 0 {
		for _, root := range g.roots() {
			known[root] = true
		}
	}
	return slices.SortedFunc(maps.Keys(known), func(a, b string) int { return cmp.Or(depth(b)-depth(a), strings.Compare(a, b)) })
}

// roots returns the paths of the workspace folders.
func (g *gatherer) roots() []string {
	if g.files.Single() {
		return []string{"."}
	}
	var roots []string
	for _, f := range g.files.Folders() {
		roots = append(roots, f.Name)
	}
	return roots
}

func depth(dir string) int {
	if dir == "." {
		return 0
	}
	return 1 + strings.Count(dir, "/")
}

// rulesIn returns the rule files of a folder.
func (g *gatherer) rulesIn(dir string) []string {
	var found []string
	for _, name := range ruleNames {
		if p := path.Join(dir, name); g.exists(p) {
			found = append(found, p)
		}
	}
	for _, f := range ruleFolders {
		inside := path.Join(dir, f.dir)
		if exists, isDir, err := g.files.Stat(inside); err != nil || !exists || !isDir {
			continue
		}
		paths, _, err := g.files.List(g.ctx, inside, f.glob, g.overlay, maxRuleFiles)
		if err == nil {
			found = append(found, paths...)
		}
	}
	return found
}

// readRule reads a rule file without adding it to the draft, since it is added only when it is
// shown.
func (g *gatherer) readRule(p string) (rule, bool) {
	if g.files.Secret(p) { // for example a link to a secret file, which nobody has named
		return rule{}, false
	}
	text, ok := g.peek(p)
	if !ok || strings.TrimSpace(text) == "" {
		return rule{}, false
	}
	r := rule{path: p, text: text}
	r.read()
	return r, true
}

// showRules adds the rules, in the room without keep.
func (g *gatherer) showRules(set ruleSet, keep int) {
	for i, r := range set.files {
		if i == maxRuleFiles {
			g.omit(Omission{What: fmt.Sprintf("%d more rule files", len(set.files)-i), Why: fmt.Sprintf("at most %d are shown", maxRuleFiles), Asked: true})
			break
		}
		if _, _, err := g.draft.Read(r.path); err != nil {
			continue // it could be read before, but not now
		}
		body := r.text[:min(len(r.text), maxRuleSize)]
		text, lines, whole := g.fit(body, max(0, g.room-keep))
		whole = whole && len(body) == len(r.text)
		if lines > 0 {
			g.add("rules: "+shown(r.path)+":", text)
		}
		if !whole {
			g.omit(Omission{What: r.path, Why: fmt.Sprintf("only its first %d lines have room; use read_file", lines), Asked: true, Room: len(body) == len(r.text)})
		}
	}
	g.nameRules(set.others)
}

// nameRules lists the rules for other files, which the model may work on later.
func (g *gatherer) nameRules(rules []rule) {
	var rows []string
	for _, r := range rules[:min(len(rules), maxRuleFiles)] {
		row := fmt.Sprintf("  %s, for %s", shown(r.path), shown(phrase.StartBytes(r.fits, 100)))
		if r.what != "" {
			row += ": " + shown(phrase.StartBytes(r.what, 200))
		}
		if n := Tokens(row) + 1; n <= g.room {
			g.room -= n
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		g.add("rules for other files, to be read when they are worked on:\n"+strings.Join(rows, "\n"), "")
	}
}

// whenAsked is the value of fits for a rule that applies to no file by itself.
const whenAsked = "when it is asked for"

// read removes the front matter from the text of a rule file and reads from it which files
// the rule is for. Editors have different fields for that: `globs` or `applyTo`, separated by
// commas or as a list, and `alwaysApply`, or `trigger`. A rule without front matter is for all
// files.
func (r *rule) read() {
	members, body, err := frontmatter.Read(r.text)
	head, _, _ := strings.Cut(strings.ToLower(r.text), "\n---")
	r.text = body
	fields := map[string]string{}
	unread := err != nil && !errors.Is(err, frontmatter.ErrOpen)
	for _, m := range members { // the last of a name counts
		fields[strings.ToLower(m.Name)] = strings.TrimSpace(frontmatter.Text(m.Value))
		unread = unread || m.Value == frontmatter.Odd("")
	}
	r.what = fields["description"]
	globs := fields["globs"]
	globs = cmp.Or(globs, fields["applyto"])
	switch {
	case fields["alwaysapply"] == "true", fields["trigger"] == "always_on", globs == "**", globs == "**/*", globs == "*":
	case globs != "":
		r.fits = globs
	case fields["alwaysapply"] == "false", fields["trigger"] != "",
		// It is for some files; that nobody can read for which makes it none for all.
		unread && (strings.Contains(head, "globs:") || strings.Contains(head, "applyto:")):
		r.fits = whenAsked
	}
}

// bare removes spaces and quotes around a value.
func bare(value string) string { return strings.Trim(strings.TrimSpace(value), `"'`) }

// fitsAny reports whether one of the files matches the globs of a rule in dir.
func fitsAny(globs, dir string, files []string) bool {
	for _, f := range files {
		rel := f
		if dir != "." {
			inside, ok := strings.CutPrefix(f, dir+"/")
			if !ok {
				continue
			}
			rel = inside
		}
		for _, glob := range splitGlobs(globs) {
			name := rel
			if !strings.Contains(glob, "/") {
				name = path.Base(rel)
			}
			if workspace.MatchGlob(strings.TrimPrefix(glob, "/"), name) {
				return true
			}
		}
	}
	return false
}

// splitGlobs splits globs at the commas outside of braces.
func splitGlobs(globs string) []string {
	var list []string
	deep, start := 0, 0
	for i := 0; i <= len(globs); i++ {
		switch {
		case i == len(globs), globs[i] == ',' && deep == 0:
			if glob := bare(globs[start:i]); glob != "" {
				list = append(list, glob)
			}
			start = i + 1
		case globs[i] == '{':
			deep++
		case globs[i] == '}':
			deep--
		}
	}
	return list
}
