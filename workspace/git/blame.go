package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

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
		case hash.MatchString(key):
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
