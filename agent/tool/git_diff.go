package tool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/git"
)

var gitDiff = define(Tool{
	Name: "git_diff",
	params: params{
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames)},
		{name: "from", also: []string{"base", "range"}, kind: stringKind, about: "A branch, tag or hash."},
		{name: "to", also: []string{"head"}, kind: stringKind, about: "Another."},
		{name: "commit", also: []string{"revision", "rev", "sha", "hash"}, kind: stringKind, about: "What this one changed."},
	},
	git: true,
	run: func(ctx context.Context, env *Env, c call) Result {
		at, err := placeOf(env, c.text("path"))
		if err == nil && c.text("commit") != "" && c.text("from")+c.text("to") != "" {
			err = errors.New("give either commit, or from and to")
		}
		if err != nil {
			return failure("git_diff "+c.text("path"), err)
		}
		d := differ{env: env, place: at, ctx: ctx}
		if err = d.find(c.text("commit"), c.text("from"), c.text("to")); err == nil {
			err = d.compare()
		}
		if err != nil {
			return unread(at.about("git_diff"), err)
		}
		return Result{Text: d.show(), Summary: at.about("git_diff") + ": " + d.summary()}
	},
})

// differ makes the answer of git_diff.
type differ struct {
	place
	env *Env
	ctx context.Context

	live      bool // the new texts are the current ones
	changes   []git.Changed
	more      bool     // there are more changes
	untracked []string // names of untracked files
	unnamed   int      // how many more untracked files there are

	files []diffed
}

// find finds which files differ.
func (d *differ) find(commit, from, to string) (err error) {
	switch {
	case commit != "":
		d.changes, d.more, err = d.repo.In(d.ctx, commit, d.inside)
	case to != "" || isRange(from):
		d.changes, d.more, err = d.repo.Between(d.ctx, from, to, d.inside)
	default:
		d.live = true
		err = d.findLive(from)
	}
	return err
}

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
	before, knownBefore := d.textOf(oldPath(c), c.Old, texts)
	after, knownAfter := d.textOf(c.Path, c.New, texts)
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

// textOf returns the text of an object, "" for none, that a file has in Git. It returns false if the
// text cannot be read or is binary.
func (d *differ) textOf(path, object string, texts map[string]string) (string, bool) {
	if object == "" {
		return "", true
	}
	text, ok := texts[object]
	if !ok {
		return "", false
	}
	file, err := d.env.Workspace.Decoded(d.prefix+path, []byte(text))
	return file.Text, err == nil
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

// maxLive is how many files with unsaved changes or staged edits are compared with the last
// commit.
const maxLive = 200

func isRange(revision string) bool { return strings.Contains(revision, "..") }

// covers reports whether the call is about a path of the repository.
func (d *differ) covers(name string) bool {
	return d.inside == "" || name == d.inside || strings.HasPrefix(name, d.inside+"/")
}

// findLive finds the files that may differ now from a commit, "" for the last one: on disk, in the
// editor, or by staged edits.
func (d *differ) findLive(from string) error {
	old := map[string]git.Changed{}
	s, err := d.repo.Status(d.ctx)
	if err != nil {
		return err
	}
	d.more = s.More
	for _, c := range s.Changed {
		old[c.Path] = c
	}
	var open []string
	for _, name := range slices.Concat(d.env.Git.Unsaved(), d.env.Draft.Paths()) {
		inside, ok := strings.CutPrefix(name, d.prefix)
		if _, known := old[inside]; ok && !known && d.covers(inside) && len(open) < maxLive {
			open = append(open, inside)
			old[inside] = git.Changed{Path: inside, Kind: git.Added}
		}
	}
	objects, err := d.repo.Objects(d.ctx, open)
	if err != nil {
		return err
	}
	for name, object := range objects {
		old[name] = git.Changed{Path: name, Kind: git.Modified, Old: object}
	}
	if from != "" {
		if err := d.backTo(from, old); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if d.covers(name) {
			d.changes = append(d.changes, old[name])
		}
	}
	for _, name := range s.Names {
		inside := strings.TrimSuffix(name, "/")
		if _, listed := old[inside]; !listed && (d.covers(inside) || name != inside && strings.HasPrefix(d.inside, name)) && !d.hidden(d.env, inside) {
			d.untracked = append(d.untracked, shown(d.prefix+name))
		}
	}
	if d.inside == "" {
		d.unnamed = s.Untracked - len(s.Names)
	}
	return nil
}

// backTo changes the comparison to a commit other than the last one.
func (d *differ) backTo(from string, old map[string]git.Changed) error {
	since, more, err := d.repo.Between(d.ctx, from, "", d.inside)
	if err != nil {
		return err
	}
	d.more = d.more || more
	for _, c := range since {
		if c.Kind == git.Renamed { // two files, since the new one may have been changed or removed meanwhile
			old[c.OldPath] = git.Changed{Path: c.OldPath, Kind: git.Deleted, Old: c.Old, Link: c.Link}
			c = git.Changed{Path: c.Path, Kind: git.Added, Link: c.Link}
		}
		old[c.Path] = git.Changed{Path: c.Path, Kind: c.Kind, Old: c.Old, Link: c.Link}
	}
	return nil
}
