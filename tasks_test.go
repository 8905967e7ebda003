package redline_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A task is what a user comes for. The user searches for its words, and is done with what
// names has.
type task struct {
	what  string
	key   []string   // one of these is in the heading of the section that explains the task
	words [][]string // one of each is in a link or a heading on the way there
	names []string   // what the section names: commands, settings, files
}

var tasks = []task{
	{"connect Helix", []string{"helix"}, words("connect"), []string{"redline init helix", "language-servers"}},
	{"use Ollama", []string{"ollama"}, words("use"), []string{`provider = "ollama"`, "OLLAMA_CONTEXT_LENGTH"}},
	{"allow a command", []string{"allow", "rule"}, words("allow", "command"), []string{"[commands] allow = ["}},
	{"undo yesterday's plan", []string{"undo"}, words("plan", "yesterday"), []string{"redline plans undo", "redline plans list"}},
	{"find why a plan is stale", []string{"stale"}, words("why", "plan"), []string{"redline plans show", "redline plans rework"}},
	{"share a plan", []string{"share"}, words("plan"), []string{"redline plans export", "redline plans import"}},
	{"turn trials off", []string{"trial"}, words("turn", "off"), []string{"redline trials forbid", "trials.mode"}},
	{"set a team's policy", []string{"policy", "team"}, words("policy", "team"), []string{"/etc/redline/policy.toml"}},
	{"uninstall", []string{"uninstall"}, nil, []string{"redline uninstall"}},
	{"write an agent", []string{"agent"}, words("write"), []string{"mode: primary", "redline run --agent"}},
}

func words(all ...string) [][]string {
	var of [][]string
	for _, w := range all {
		of = append(of, []string{w})
	}
	return of
}

// Each task is explained in a section that a reader of README.md finds within two links, by
// the words of the task.
func TestTasksAreFoundFromTheReadme(t *testing.T) {
	t.Parallel()
	for _, of := range tasks {
		way := of.find(t, "README.md", 2, nil)
		if way == nil {
			t.Errorf("%s: no section with %q in its heading that names %q is within two links of README.md", of.what, of.key, of.names)
			continue
		}
		t.Logf("%s: %s", of.what, strings.Join(way, " → "))
	}
}

// find returns the links and headings that lead from a page to the section that explains the
// task, nil if no way of so many links does. Way has those that have led to the page.
func (of task) find(t *testing.T, name string, links int, way []string) []string {
	t.Helper()
	page := readSections(t, name)
	if len(way) > 0 {
		for _, s := range page {
			all := append(slices.Clone(way), name+": "+s.title)
			if hasOne(s.title, of.key) && hasEach(strings.Join(append(all, s.above...), "\n"), of.words) && s.hasAll(of.names) {
				return all
			}
		}
	}
	if links == 0 {
		return nil
	}
	for _, s := range page {
		for _, l := range s.links {
			file, _, ok := split(name, l.to)
			looksRight := hasOne(l.text+"\n"+s.title, of.key) || slices.ContainsFunc(of.words, func(w []string) bool { return hasOne(l.text, w) })
			if !ok || path.Ext(file) != ".md" || !looksRight {
				continue
			}
			if found := of.find(t, file, links-1, append(slices.Clone(way), l.text)); found != nil {
				return found
			}
		}
	}
	return nil
}

// hasOne tells whether a text has one of some words, in upper or lower case.
func hasOne(text string, of []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(of, func(word string) bool { return strings.Contains(text, word) })
}

func hasEach(text string, of [][]string) bool {
	return !slices.ContainsFunc(of, func(one []string) bool { return !hasOne(text, one) })
}

// A section is a part of a page under one heading.
type section struct {
	title string
	level int
	above []string // the headings that it is under
	text  string   // with the sections below it
	links []link   // of its own lines
}

// hasAll tells whether a section has some texts, wherever its lines are broken.
func (s section) hasAll(names []string) bool {
	text := strings.Join(strings.Fields(s.text), " ")
	return !slices.ContainsFunc(names, func(n string) bool { return !strings.Contains(text, n) })
}

type link struct{ text, to string }

var (
	fenceLine   = regexp.MustCompile("^ *(```+|~~~+)")
	headingLine = regexp.MustCompile(`^(#{1,6}) +(.+?) *$`)
	linkInLine  = regexp.MustCompile(`(?s)\[([^\]]+)\]\(([^()\s]+)\)`)
)

// readSections returns the sections of a page, in order. A heading in a block of code is none.
func readSections(t *testing.T, name string) []section {
	t.Helper()
	source, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	var open []int // indexes of the sections that a line is in
	var own []string
	fence := ""
	for line := range strings.Lines(string(source)) {
		if m := fenceLine.FindStringSubmatch(line); m != nil && (fence == "" || strings.HasPrefix(m[1], fence)) {
			if fence == "" {
				fence = m[1]
			} else {
				fence = ""
			}
		}
		if m := headingLine.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil && fence == "" {
			open = slices.DeleteFunc(open, func(i int) bool { return all[i].level >= len(m[1]) })
			var above []string
			for _, i := range open {
				above = append(above, all[i].title)
			}
			all, own = append(all, section{title: m[2], level: len(m[1]), above: above}), append(own, "")
			open = append(open, len(all)-1)
		}
		for _, i := range open {
			all[i].text += line
		}
		if len(own) > 0 && fence == "" {
			own[len(own)-1] += line
		}
	}
	for i := range all {
		for _, m := range linkInLine.FindAllStringSubmatch(own[i], -1) {
			all[i].links = append(all[i].links, link{strings.Join(strings.Fields(m[1]), " "), m[2]})
		}
	}
	return all
}
