package tool

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/git"
)

// maxDiffed is how many files are compared by text; others are only counted.
const maxDiffed = 300

// diffed is a file of a diff.
type diffed struct {
	name           string // for its line in a list
	diff           string // the diff in whole lines, "" if it is not shown
	why            string // why it is not shown
	added, removed int    // numbers of lines
}

// compare compares the texts of the files.
func (d *differ) compare() error {
	changes := d.changes[:min(len(d.changes), maxDiffed)]
	var objects []string
	for _, c := range changes {
		if !d.conceals(c) {
			objects = append(objects, c.Old, c.New)
		}
	}
	texts, err := d.repo.Texts(d.ctx, objects)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		if f, differs := d.diffOf(c, texts); differs {
			d.files = append(d.files, f)
		}
	}
	return nil
}

// conceals reports whether a file's names forbid showing it.
func (d *differ) conceals(c git.Changed) bool {
	return d.hidden(d.env, c.Path) || c.OldPath != "" && d.hidden(d.env, c.OldPath)
}

const whyHidden = "it may hold secrets, or is off limits"

// diffOf compares the texts of a file. It returns false if they are equal.
func (d *differ) diffOf(c git.Changed, texts map[string]string) (f diffed, differs bool) {
	f.name = shown(d.prefix + c.Path)
	if c.OldPath != "" {
		f.name = shown(d.prefix+c.OldPath) + " → " + f.name
	}
	switch {
	case d.conceals(c):
		f.why = whyHidden
		return f, true
	case c.Link:
		f.why = "a symbolic link"
		return f, true
	}
	before, knownBefore := textOf(c.Old, texts)
	after, knownAfter := textOf(c.New, texts)
	if d.live {
		now, exists, err := d.env.Draft.Read(d.prefix + c.Path)
		after, knownAfter, c.New = now, err == nil, ""
		if exists {
			c.New = "now"
		}
	}
	switch {
	case !knownBefore || !knownAfter:
		f.why = "not text, or too large"
		return f, true
	case d.hidesText(d.env, c.Path, before) || d.hidesText(d.env, c.Path, after):
		f.why = whyHidden
		return f, true
	case c.Old == "" && c.New == "":
		return f, false
	case before == after && c.Old != "" && c.New != "":
		f.why = "its text is the same"
		return f, c.OldPath != "" || c.Kind == git.Retyped || !d.live
	}
	if d.live && !strings.Contains(before, "\r\n") && strings.Contains(after, "\r\n") && c.Old != "" { // converted as Git stores it
		if after = strings.ReplaceAll(after, "\r\n", "\n"); before == after {
			f.why = "only its line ends differ"
			return f, true
		}
	}
	hunks := edits.Diff(before, after)
	for _, h := range hunks {
		f.added += h.Added
		f.removed += h.Removed
	}
	f.diff = edits.UnifiedOf(sideName("a/", d.prefix, c.Old, oldPath(c)), sideName("b/", d.prefix, c.New, c.Path), before, edits.EditsOf(hunks), 3)
	if f.diff == "" {
		f.why = "an empty file"
	}
	return f, true
}

// textOf returns the text of an object, "" for none. It returns false if the text cannot be read
// or is binary.
func textOf(object string, texts map[string]string) (string, bool) {
	if object == "" {
		return "", true
	}
	text, ok := texts[object]
	if !ok || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", false
	}
	text, _ = edits.CutBOM(text)
	return text, true
}

func oldPath(c git.Changed) string {
	if c.OldPath != "" {
		return c.OldPath
	}
	return c.Path
}

// sideName returns the name of a side of a diff, for its header.
func sideName(side, prefix, object, path string) string {
	if object == "" {
		return "/dev/null"
	}
	return side + shown(prefix+path)
}

// summary counts the files, for the user.
func (d *differ) summary() string {
	n := phrase.Count(len(d.files)+len(d.changes)-min(len(d.changes), maxDiffed), "file")
	if d.more {
		return "more than " + n
	}
	return n
}

// show shows as many diffs as fit, and names the other files.
func (d *differ) show() string {
	if len(d.files) == 0 && len(d.untracked) == 0 && !d.more {
		return "no changes"
	}
	s := sheet{limit: maxGit - maxGitList}
	var left []string
	for i := range d.files {
		f := &d.files[i]
		switch {
		case f.diff == "":
			left = append(left, f.name+": "+f.why)
		case s.Len()+len(f.diff) <= s.limit:
			s.WriteString(f.diff)
		case s.Len() < s.limit/2: // most of it fits
			cut, lines := cutLines(f.diff, s.limit-s.Len())
			s.WriteString(cut)
			left = append(left, fmt.Sprintf("%s: %s more of its diff (+%d −%d in all)", f.name, phrase.Count(lines, "line"), f.added, f.removed))
		default:
			left = append(left, fmt.Sprintf("%s: +%d −%d", f.name, f.added, f.removed))
		}
	}
	s.limit = maxGit - 200 // of the counts below
	d.list(&s, "Not shown; name a path to see it:", left, len(d.changes)-min(len(d.changes), maxDiffed), d.more)
	d.list(&s, "In no commit:", d.untracked, d.unnamed, false)
	return s.text()
}

// cutLines returns the first lines of a text that fit, and how many do not.
func cutLines(text string, room int) (cut string, left int) {
	end := strings.LastIndexByte(text[:room], '\n') + 1
	return text[:end], strings.Count(text[end:], "\n")
}

// list lists files under a heading, as many as fit.
func (d *differ) list(s *sheet, heading string, rows []string, uncounted int, more bool) {
	if len(rows) == 0 && uncounted == 0 && !more {
		return
	}
	rows = slices.Insert(slices.Clone(rows), 0, heading)
	for i, row := range rows {
		if !s.add(row) {
			uncounted += len(rows) - i
			break
		}
	}
	switch {
	case more:
		fmt.Fprintf(s, "… more than %s more\n", phrase.Count(uncounted, "file"))
	case uncounted > 0:
		fmt.Fprintf(s, "… %s more\n", phrase.Count(uncounted, "file"))
	}
}
