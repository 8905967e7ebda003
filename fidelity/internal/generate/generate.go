// Package generate makes the cases of the benchmark from seeds: a text in each language, with two
// changes that can be made to it. A family states such a change with one kind of trouble, in each
// form that can have it. What the files must be afterwards follows from how a case was made,
// never from what a tool does with it.
package generate

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"redline/fidelity/internal/cases"
)

//go:embed seeds/*.txt
var files embed.FS

// seed is a text with two changes.
type seed struct {
	language, path, comment string
	heads                   [2]string // the line above each change that names the part of the file
	word, other             string    // a name in the first change; another name that could stand there
	lines                   []string
	spots                   [2]edit
}

// edit replaces lines of a file.
type edit struct {
	line     int // of the first old line, from 1
	old, new []string
}

// family is one kind of trouble.
type family struct {
	trouble string
	why     string
	twice   bool // for both changes of a seed, not only for the first
	of      func(m *maker) bool
}

// maker makes one case. A family changes before and after, and states the edits.
type maker struct {
	*seed
	c      *cases.Case
	spot   edit     // the change of the case
	far    edit     // the other change of the seed
	before []string // the lines of the file
	after  []string // with the change
	ends   string   // the line end of the file
}

// All returns the files of the cases by the names of their troubles.
func All() (map[string]string, error) {
	seeds, err := read()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, f := range slices.Concat(places, almost, characters, escapes, patches, headers, wholes) {
		all := f.cases(seeds)
		file := cases.PrintFamily(all)
		if err := check(f.trouble, file, all); err != nil {
			return nil, err
		}
		out[f.trouble] = file
	}
	return out, nil
}

// cases returns the cases of a family.
func (f family) cases(seeds []*seed) (all []cases.Case) {
	for _, s := range seeds {
		for spot := range 2 {
			if m := s.begin(f, spot); (spot == 0 || f.twice) && f.of(m) {
				all = append(all, *m.c)
			}
		}
	}
	return all
}

// begin returns a maker for a family with a change of the seed.
func (s *seed) begin(f family, spot int) *maker {
	name := strings.ToLower(s.language)
	if spot == 1 {
		name += "-2"
	}
	m := &maker{
		seed: s, spot: s.spots[spot], far: s.spots[1-spot], before: s.lines, ends: "\n",
		c: &cases.Case{Name: f.trouble + "/" + name, Trouble: f.trouble, Language: s.language, Why: f.why},
	}
	m.after = replaced(s.lines, m.spot)
	return m
}

// expects sets the texts of a case in which the file must change.
func (m *maker) expects() {
	m.c.Before = map[string]string{m.path: text(m.before, m.ends)}
	m.c.After = map[string]string{m.path: text(m.after, m.ends)}
}

// refuses sets the text of a case in which nothing may change.
func (m *maker) refuses() {
	m.c.Before = map[string]string{m.path: text(m.before, m.ends)}
	m.c.Refuse, m.c.After = true, nil
}

// read reads the seeds.
func read() ([]*seed, error) {
	entries, err := files.ReadDir("seeds")
	if err != nil {
		return nil, err
	}
	var all []*seed
	for _, e := range entries {
		file, err := files.ReadFile(path.Join("seeds", e.Name()))
		if err != nil {
			return nil, err
		}
		s, err := parse(string(file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		all = append(all, s)
	}
	return all, nil
}

func parse(file string) (*seed, error) {
	s := &seed{}
	top, sections := cases.Sections(file)
	for line := range strings.Lines(top) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		to := map[string]*string{
			"language": &s.language, "path": &s.path, "comment": &s.comment, "word": &s.word, "other": &s.other,
			"head 1": &s.heads[0], "head 2": &s.heads[1],
		}[key]
		if to == nil {
			return nil, fmt.Errorf("what is %q?", line)
		}
		*to = value
	}
	for _, part := range sections {
		lines := strings.Split(strings.TrimSuffix(part.Text(), "\n"), "\n")
		switch part.Head() {
		case "text":
			s.lines = lines
		case "old 1":
			s.spots[0].old = lines
		case "new 1":
			s.spots[0].new = lines
		case "old 2":
			s.spots[1].old = lines
		case "new 2":
			s.spots[1].new = lines
		}
	}
	for i := range s.spots {
		at := find(s.lines, s.spots[i].old)
		if len(at) != 1 {
			return nil, fmt.Errorf("change %d is in %d places", i+1, len(at))
		}
		s.spots[i].line = at[0] + 1
		if old, new := s.spots[i].old, s.spots[i].new; old[0] != new[0] || old[len(old)-1] != new[len(new)-1] || slices.Contains(new, old[1]) {
			return nil, fmt.Errorf("change %d must keep its first and last lines, and not its second", i+1)
		}
	}
	return s, nil
}

// check makes sure that cases are sound, and that they can be read back.
func check(trouble, file string, all []cases.Case) error {
	back, err := cases.ParseFamily(trouble, file)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(back, all) {
		return fmt.Errorf("%s cannot be read back", trouble)
	}
	for _, c := range all {
		if !c.Refuse && maps.Equal(c.Before, c.After) {
			return fmt.Errorf("%s changes nothing", c.Name)
		}
		if len(c.Calls) == 0 {
			return fmt.Errorf("%s has no call", c.Name)
		}
	}
	return nil
}

// find returns the indexes at which lines stand in a text.
func find(text, lines []string) (at []int) {
	for i := 0; i+len(lines) <= len(text); i++ {
		if slices.Equal(text[i:i+len(lines)], lines) {
			at = append(at, i)
		}
	}
	return at
}

// replaced returns a text after edits, whose lines count in the text before all of them.
func replaced(lines []string, all ...edit) []string {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b edit) int { return b.line - a.line })
	out := slices.Clone(lines)
	for _, e := range all {
		out = slices.Replace(out, e.line-1, e.line-1+len(e.old), e.new...)
	}
	return out
}

func text(lines []string, end string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, end) + end
}

func mapped(lines []string, f func(string) string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = f(line)
	}
	return out
}

// each returns the edit with each line of both texts changed.
func (e edit) each(f func(string) string) edit {
	return edit{e.line, mapped(e.old, f), mapped(e.new, f)}
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }
