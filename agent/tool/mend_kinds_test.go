package tool_test

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// mistake is a wrong belief of a model about a place.
type mistake struct {
	kind string
	make func(p *place, k int) (believed said, ok bool)
}

// mistakes are the kinds that the simple model is tried with. It knows the right new text, but is
// wrong about the present one.
var mistakes = []mistake{
	{"a typo", inMiddle(func(line, name string) string { return strings.Replace(line, name, name[:2]+"x"+name[3:], 1) })},
	{"another case", inMiddle(func(line, name string) string {
		return strings.Replace(line, name, strings.ToUpper(name[:1])+name[1:], 1)
	})},
	{"all in upper case", inMiddle(func(line, _ string) string { return strings.ToUpper(line) })},
	{"spaces left out", inMiddle(func(line, _ string) string {
		return indentOf(line) + strings.ReplaceAll(strings.TrimSpace(line), " ", "")
	})},
	{"two spaces for one", inMiddle(func(line, name string) string { return strings.Replace(line, name, " "+name, 1) })},
	{"another word", inMiddle(func(line, name string) string { return strings.Replace(line, name, "something", 1) })},
	{"a letter of another alphabet", inMiddle(func(line, name string) string {
		return strings.Replace(line, name, strings.Replace(name, "a", "\u0430", 1), 1)
	})},
	{"letters of full width", inMiddle(func(line, name string) string {
		return strings.Replace(line, name, strings.Replace(name, "a", "\uff41", 1), 1)
	})},
	{"a character of no width in the file", inFile(func(name string) string { return name[:2] + "\u200b" + name[2:] })},
	{"decomposed in the file", inFile(func(name string) string { return name + "e\u0301" })},
	{"composed in the file", inFile(func(name string) string { return name + "\u00e9" })},
	{"a line that is not there", func(p *place, k int) (said, bool) {
		more := indentOf(p.old[1]) + "nothing(like_it)"
		return p.says(slices.Insert(slices.Clone(p.old), 1, more), slices.Insert(slices.Clone(p.new), 1, more)), true
	}},
	{"a line too many above", func(p *place, k int) (said, bool) {
		more := indentOf(p.old[1]) + "nothing(like_it)"
		return p.says(append([]string{more}, p.old...), append([]string{more}, p.new...)), true
	}},
	{"a line too many below", func(p *place, k int) (said, bool) {
		more := indentOf(p.old[1]) + "nothing(like_it)"
		return p.says(append(slices.Clone(p.old), more), append(slices.Clone(p.new), more)), true
	}},
	{"a line left out", func(p *place, k int) (said, bool) {
		n := p.first
		old := append([]string{p.before[n-1]}, p.old[1:]...)
		return p.says(old, append([]string{p.before[n-1]}, p.new[1:]...)), p.before[n-1] != ""
	}},
	{"an empty line too many", func(p *place, k int) (said, bool) {
		return p.says(slices.Insert(slices.Clone(p.old), 1, ""), slices.Insert(slices.Clone(p.new), 1, "")), true
	}},
	{"an empty line left out", func(p *place, k int) (said, bool) {
		p.before = slices.Insert(slices.Clone(p.before), p.first+1, "")
		believed := p.says(p.old, p.new)
		p.old, p.new = p.before[p.first:p.first+4], slices.Insert(slices.Clone(p.new), 1, "")
		return believed, true
	}},
	{"one line deeper than the others", func(p *place, k int) (said, bool) {
		deeper := func(lines []string) []string {
			out := slices.Clone(lines)
			out[1] = p.unit + out[1]
			return out
		}
		return p.says(deeper(p.old), p.new), true
	}},
	{"a typo in a long stretch", func(p *place, k int) (said, bool) {
		old := slices.Clone(p.before)
		old[p.first+1] = strings.Replace(old[p.first+1], names[k], names[k][:2]+"x"+names[k][3:], 1)
		after := p.after()
		p.first, p.old, p.new = 0, p.before, after
		return p.says(old, after), true
	}},
	{"a typo in a line of a thousand bytes", func(p *place, k int) (said, bool) {
		p.before = slices.Clone(p.before)
		p.before[p.first+1] += strings.Repeat(" word", 200)
		p.old = p.before[p.first : p.first+3]
		believed := slices.Clone(p.old)
		believed[1] = strings.Replace(believed[1], names[k], names[k][:2]+"x"+names[k][3:], 1)
		return p.says(believed, p.new), true
	}},
	{"a typo, CRLF in the file", func(p *place, k int) (said, bool) {
		p.end = "\r\n"
		old := slices.Clone(p.old)
		old[1] = strings.Replace(old[1], names[k], names[k][:2]+"x"+names[k][3:], 1)
		return p.says(old, p.new), true
	}},
	{"glued words", inMiddle(func(line, _ string) string { return indentOf(line) + strings.Join(strings.Fields(line), "") })},
	{"one of five places", func(p *place, k int) (said, bool) {
		p.old, p.new = p.old[:1], []string{indentOf(p.old[0]) + "changed"}
		return p.says(p.old, p.new), true
	}},
	{"another folder", inPath(func(file string) string { return "pkg/" + path.Base(file) })},
	{"no folder", inPath(path.Base)},
	{"a folder too many", inPath(func(file string) string { return "repo/" + file })},
	{"another case in the path", inPath(strings.ToUpper)},
	{"another extension", inPath(func(file string) string { return strings.TrimSuffix(file, path.Ext(file)) + ".txt" })},
	{"an empty file", func(p *place, k int) (said, bool) {
		believed := p.says(p.old, p.new)
		p.before, p.first, p.old = nil, 0, nil
		return believed, true
	}},
	{"nothing but new lines, for the end", func(p *place, k int) (said, bool) {
		p.first, p.old, p.new = len(p.before), nil, []string{"added(" + names[k] + ")"}
		return p.says(nil, p.new), true
	}},
}

// says returns an edit at the place, as a model states it.
func (p *place) says(old, new []string) said {
	return said{path: p.file, line: p.first + 1, old: old, new: new}
}

// inMiddle makes a mistake in the middle line of a place.
func inMiddle(change func(line, name string) string) func(*place, int) (said, bool) {
	return func(p *place, k int) (said, bool) {
		old := slices.Clone(p.old)
		old[1] = change(old[1], names[k])
		return p.says(old, p.new), old[1] != p.old[1]
	}
}

// inFile makes a file whose spelling of a name differs from the model's.
func inFile(change func(name string) string) func(*place, int) (said, bool) {
	return func(p *place, k int) (said, bool) {
		believed := slices.Clone(p.old)
		there := change(names[k])
		switch {
		case strings.Contains(there, "\u0301"):
			believed[1] = strings.Replace(believed[1], names[k], names[k]+"\u00e9", 1)
		case strings.Contains(there, "\u00e9"):
			believed[1] = strings.Replace(believed[1], names[k], names[k]+"e\u0301", 1)
		}
		p.before = slices.Clone(p.before)
		p.before[p.first+1] = strings.Replace(p.before[p.first+1], names[k], there, 1)
		p.old = p.before[p.first : p.first+3]
		return p.says(believed, p.new), true
	}
}

// inPath makes a mistake in the path.
func inPath(change func(string) string) func(*place, int) (said, bool) {
	return func(p *place, k int) (said, bool) {
		s := p.says(p.old, p.new)
		s.path = change(p.file)
		return s, s.path != p.file
	}
}

// mendCase is an edit that contains a mistake.
type mendCase struct {
	kind, name string
	files      map[string]string
	call       func(said) corpusCall
	believed   said
	want       map[string]string
}

// open returns the text to replace if it is an argument of its own; in some forms its
// last line has no line end.
func (c corpusCall) open() string {
	for _, name := range []string{"old_string", "old_str"} {
		if old, ok := c.args[name].(string); ok {
			return old
		}
	}
	return ""
}

// mendCases returns each mistake in each language and form.
func mendCases() []mendCase {
	var out []mendCase
	for i := range languages {
		for j, form := range sayings {
			for _, m := range mistakes {
				k := (i*3 + j) % len(names)
				p := languages[i].place(k)
				believed, ok := m.make(&p, k)
				if !ok {
					continue
				}
				end := cmp.Or(p.end, "\n")
				want := text(p.after(), end)
				if len(p.before) == 0 && strings.HasSuffix(form.call(said{old: []string{"a"}}).open(), "a") {
					want = strings.TrimSuffix(want, "\n")
				}
				out = append(out, mendCase{
					kind: m.kind, name: fmt.Sprintf("%s, %s, %s", p.name, form.name, names[k]),
					files: map[string]string{p.file: text(p.before, end)}, call: form.call, believed: believed,
					want: map[string]string{p.file: want},
				})
			}
		}
	}
	return out
}
