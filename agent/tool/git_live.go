package tool

import (
	"maps"
	"slices"
	"strings"

	"redline/workspace/git"
)

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
