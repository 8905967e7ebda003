package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"redline/internal/lazyregexp"
	"slices"
	"strconv"
	"strings"
	"time"
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
	path = cmp.Or(path, ".")
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

// Unknown is the error for a name that is no commit of the repository. Its text is a
// sentence.
type Unknown struct{ Name string }

func (u *Unknown) Error() string {
	if u.Name == "HEAD" {
		return "the repository has no commit yet"
	}
	return fmt.Sprintf("%q is no commit here; name a branch, a tag or a hash", u.Name)
}

// maxRevision is the length limit for the name of a commit, in bytes.
const maxRevision = 200

var (
	hash     = lazyregexp.New(`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	revision = lazyregexp.New(`^[^-\x00-\x20\x7f:][^\x00-\x1f\x7f]*$`)
)

// resolve returns the hash of a commit from any name that Git knows for it, "" for HEAD.
// The error is an [*Unknown] if there is no such commit. Other commands get only hashes,
// so that none takes a name for an option.
func (v *view) resolve(name string) (string, error) {
	name = cmp.Or(name, "HEAD")
	if len(name) > maxRevision || !revision().MatchString(name) {
		return "", &Unknown{name}
	}
	out, err := v.git(nil, 1<<10, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	found := strings.TrimSpace(string(out.text))
	if exitCode(err) > 0 || err == nil && !hash().MatchString(found) {
		return "", &Unknown{name}
	}
	return found, err
}

// resolveRange returns the name of a commit or of a range ("a..b", "a...b") with hashes
// instead of names.
func (v *view) resolveRange(name string) (string, error) {
	for _, dots := range []string{"...", ".."} {
		from, to, ok := strings.Cut(name, dots)
		if !ok {
			continue
		}
		a, err := v.resolve(from)
		if err != nil {
			return "", err
		}
		b, err := v.resolve(to)
		return a + dots + b, err
	}
	return v.resolve(name)
}

// emptyTree returns the hash of a tree without files in a repository that has a commit
// with the given hash. Git knows that tree even if the repository does not contain it.
func emptyTree(commit string) string {
	if len(commit) == 64 {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// Blamed is a line with the commit that last changed it.
type Blamed struct {
	Commit  string // hash of the commit, "" if the line is not committed yet
	Day     string // the author's date, as 2006-01-02
	Author  string
	Subject string // the first line of the commit message
	Line    int    // from 1
	Text    string
}

// maxBlame is how many bytes of a blame are read.
const maxBlame = 4 << 20

// Blame returns the lines of a file from number from to number to, counted from 1 and
// inclusive, each with its commit. The caller gives the text of the file, since the
// editor's may differ from the disk.
func (r *Repo) Blame(ctx context.Context, path, text string, from, to int) ([]Blamed, error) {
	v, err := r.open(ctx, headOnly)
	if err != nil {
		return nil, err
	}
	defer v.close()
	out, err := v.git(strings.NewReader(text), maxBlame, "blame", "--porcelain", "--no-textconv", "--contents", "-", fmt.Sprintf("-L%d,%d", from, to), "--", path)
	if err != nil {
		return nil, err
	}
	return parseBlame(string(out.text)), nil
}

// parseBlame parses the porcelain format of git-blame(1): "hash line line count", then,
// at the first line of a commit, data about the commit, then a tab with the text.
func parseBlame(text string) (lines []Blamed) {
	type about struct {
		name, zone, subject string
		seconds             int64
	}
	known := map[string]*about{}
	var commit string
	var number int
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if shown, ok := strings.CutPrefix(line, "\t"); ok {
			b := Blamed{Commit: present(commit), Line: number, Text: shown}
			if a := known[commit]; a != nil && b.Commit != "" {
				b.Author, b.Day, b.Subject = a.name, day(a.seconds, a.zone), a.subject
			}
			lines = append(lines, b)
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		switch {
		case hash().MatchString(key):
			commit = key
			if f := strings.Fields(value); len(f) > 1 {
				number, _ = strconv.Atoi(f[1])
			}
			if known[commit] == nil {
				known[commit] = &about{}
			}
		case known[commit] == nil:
		case key == "author":
			known[commit].name = value
		case key == "author-time":
			known[commit].seconds, _ = strconv.ParseInt(value, 10, 64)
		case key == "summary":
			known[commit].subject = value
		case key == "author-tz":
			known[commit].zone = value
		}
	}
	return lines
}

// day formats the day of a time in a zone like +0200.
func day(seconds int64, zone string) string {
	t := time.Unix(seconds, 0).UTC()
	if n, err := strconv.Atoi(zone); err == nil {
		t = t.Add(time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute)
	}
	return t.Format(time.DateOnly)
}
