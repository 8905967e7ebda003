package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Commit is a commit in a history.
type Commit struct {
	Short   string // the abbreviated hash
	Day     string // the author's date, as 2006-01-02
	Author  string // the author's name
	Subject string // the first line of its message
}

// Query selects commits.
type Query struct {
	Revision string // the first commit of the list, or a range; "" for HEAD
	Path     string // only commits that changed this file or folder; "" for the workspace folder
	Grep     string // only commits whose message contains this text, ignoring case; "" for all
	Limit    int    // how many commits at most
}

// History is a list of commits, newest first.
type History struct {
	Commits []Commit
	Left    int  // how many more commits there are
	More    bool // there may be more than Left: counting stopped
}

// Limits of a history. The commits of one path are not counted, since Git would have to
// examine each.
const (
	maxCounted = 1000
	maxHistory = 4 << 20 // in bytes
)

// Log lists commits. It follows a file through renames.
func (r *Repo) Log(ctx context.Context, q Query) (History, error) {
	v, err := r.open(ctx, allRefs)
	if err != nil {
		return History{}, err
	}
	defer v.close()
	from, err := v.resolveRange(q.Revision)
	if err != nil {
		return History{}, err
	}
	path := q.Path
	if path == "" {
		path = "."
	}
	all := path == "." && v.prefix == ""
	count := 1
	if all && q.Grep == "" {
		count = maxCounted
	}
	args := []string{"log", "-z", "--format=%h%x00%as%x00%an%x00%s", "--no-show-signature", "--no-mailmap", "--no-color", "--no-notes", fmt.Sprint("--max-count=", q.Limit+count)}
	if q.Grep != "" {
		args = append(args, "--fixed-strings", "--regexp-ignore-case", "--grep="+q.Grep)
	}
	if info, err := os.Lstat(filepath.Join(v.folder, filepath.FromSlash(path))); !all && (err != nil || !info.IsDir()) {
		args = append(args, "--follow")
	}
	args = append(args, from)
	if !all {
		args = append(args, "--", path)
	}
	out, err := v.git(nil, maxHistory, args...)
	if err != nil {
		return History{}, err
	}
	var h History
	fields := strings.Split(strings.TrimSuffix(string(out.text), "\x00"), "\x00")
	for f := range slices.Chunk(fields, 4) {
		if len(f) == 4 {
			h.Commits = append(h.Commits, Commit{Short: f[0], Day: f[1], Author: f[2], Subject: f[3]})
		}
	}
	h.More = out.cut || len(h.Commits) == q.Limit+count
	if len(h.Commits) > q.Limit {
		h.Left = len(h.Commits) - q.Limit
		h.Commits = h.Commits[:q.Limit]
	}
	return h, nil
}
