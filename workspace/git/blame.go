package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Blamed is a line with the commit that it comes from.
type Blamed struct {
	Commit  string // its hash, "" if the line is in none yet
	Day     string // its author's, as 2006-01-02
	Author  string
	Subject string // the first line of its message
	Line    int    // from 1
	Text    string
}

// maxBlame bounds what is read of a blame, in bytes.
const maxBlame = 4 << 20

// Blame says where lines of a file come from, from and to counted from 1 and inclusive. The text
// of the file is given, since that in an editor may differ from the disk.
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

// parseBlame reads the porcelain format of git-blame(1): "hash line line count", at the first
// line of a commit what is known of it, and a tab with the text.
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

// day returns the day of a time in a zone like +0200.
func day(seconds int64, zone string) string {
	t := time.Unix(seconds, 0).UTC()
	if n, err := strconv.Atoi(zone); err == nil {
		t = t.Add(time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute)
	}
	return t.Format(time.DateOnly)
}
