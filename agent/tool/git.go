package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"redline/edits"
	"redline/internal/phrase"
	"redline/workspace/git"
	"redline/workspace/secrets"
)

// Repository reads the history of a workspace folder; see package git.
type Repository interface {
	Status(ctx context.Context) (git.Status, error)
	Log(ctx context.Context, q git.Query) (git.History, error)
	In(ctx context.Context, commit, path string) (changes []git.Changed, more bool, err error)
	Between(ctx context.Context, from, to, path string) (changes []git.Changed, more bool, err error)
	Objects(ctx context.Context, paths []string) (map[string]string, error)
	Texts(ctx context.Context, objects []string) (map[string]string, error)
	Blame(ctx context.Context, path, text string, from, to int) ([]git.Blamed, error)
}

// Git finds the repositories of the workspace.
type Git interface {
	// Of returns the repository of a file or folder, and the prefix of its files' paths in the
	// workspace, "" or "folder/". For ".", the workspace, it takes the first folder that has a
	// repository. The error is a sentence.
	Of(path string) (r Repository, prefix string, err error)
	Unsaved() []string // the paths of open files with unsaved changes
}

// Possible returns the tools of a set that can be used in an environment.
func Possible(set []Tool, env *Env) []Tool {
	var kept []Tool
	for _, t := range set {
		if (env.Git != nil || !t.git) && (env.answers() || !t.language) {
			kept = append(kept, t)
		}
	}
	return kept
}

// Limits of an answer about a repository.
const (
	maxGit     = 16_000 // bytes, about 4,000 tokens
	maxGitList = 3_000  // bytes of them for what is only named
)

// place is where a tool reads a repository.
type place struct {
	repo   Repository
	prefix string // prefix of its paths in the workspace
	path   string // path in the workspace, "" for all
	inside string // path in the repository
}

// placeOf returns the place of a call. It refuses a path that is secret or off limits.
func placeOf(env *Env, name string) (place, error) {
	if env.Git == nil {
		return place{}, errors.New("the workspace is in no Git repository; continue without its history")
	}
	path := "."
	if name != "" {
		var err error
		if path, err = file(env, name); err != nil {
			return place{}, err
		}
		if err := env.Workspace.OffLimits(path); err != nil {
			return place{}, err
		}
	}
	repo, prefix, err := env.Git.Of(path)
	if err != nil {
		return place{}, err
	}
	p := place{repo: repo, prefix: prefix}
	if path+"/" != prefix && path != "." {
		p.path, p.inside = path, strings.TrimPrefix(path, prefix)
	}
	return p, nil
}

// about describes the place for the user.
func (p place) about(tool string) string { return strings.TrimSpace(tool + " " + shown(p.path)) }

// hidden reports whether a file must not be shown: it is secret and the user did not name it, or
// it is off limits.
func (p place) hidden(env *Env, path string) bool {
	clean, err := env.Workspace.Clean(p.prefix + path)
	return err != nil || env.Workspace.OffLimits(clean) != nil || secret(env, clean) != nil
}

// hidesText reports whether a text of a file must not be shown because it contains secrets.
func (p place) hidesText(env *Env, path, text string) bool {
	return secrets.Text(path, text) && (env.Named == nil || !env.Named(p.prefix+path))
}

// unread returns the answer to a call whose repository could not be read.
func unread(what string, err error) Result {
	if failed, ok := errors.AsType[*git.Failed](err); ok {
		err = errors.New("the repository could not be read: " + spaced(phrase.ClipBytes(failed.Text, 300)))
	}
	return failure(what, err)
}

// message returns the first line of a commit's message.
func message(subject string) string {
	if secrets.Text("message", subject) {
		return "(a message that may hold a secret)"
	}
	return spaced(phrase.ClipBytes(subject, 200))
}

// author returns the name of a commit's author.
func author(name string) string { return spaced(phrase.ClipBytes(name, 60)) }

// sheet collects whole lines up to a size limit.
type sheet struct {
	strings.Builder
	limit int
}

// add adds a line if it fits.
func (s *sheet) add(line string) bool {
	if s.Len()+len(line)+1 > s.limit {
		return false
	}
	s.WriteString(line + "\n")
	return true
}

func (s *sheet) text() string { return strings.TrimSuffix(s.String(), "\n") }

// Limits of a list of commits.
const (
	usualCommits = 20
	maxCommits   = 200
)

var gitLog = define(Tool{
	Name: "git_log",
	params: params{
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames)},
		{name: "revision", also: []string{"range", "rev", "ref", "branch"}, kind: stringKind, about: "A branch, tag, hash, or range a..b; HEAD when absent."},
		{name: "grep", kind: stringKind, about: "A text in the messages, in any case."},
		{name: "limit", also: []string{"max_count", "count", "n"}, kind: integerKind, about: "Default 20."},
	},
	git: true,
	run: func(ctx context.Context, env *Env, c call) Result {
		at, err := placeOf(env, c.text("path"))
		if err != nil {
			return failure("git_log "+c.text("path"), err)
		}
		limit := usualCommits
		if n := c.int("limit"); n > 0 {
			limit = min(n, maxCommits)
		}
		what := at.about("git_log")
		h, err := at.repo.Log(ctx, git.Query{Revision: c.text("revision"), Path: at.inside, Grep: c.text("grep"), Limit: limit})
		if err != nil {
			return unread(what, err)
		}
		return Result{Text: commits(h), Summary: what + ": " + phrase.Count(len(h.Commits), "commit")}
	},
})

// commits shows a history.
func commits(h git.History) string {
	s := sheet{limit: maxGit - 100} // leaves room for a last line
	left, more := h.Left, ""
	for i, c := range h.Commits {
		if !s.add(fmt.Sprintf("%s %s %s: %s", c.Short, c.Day, author(c.Author), message(c.Subject))) {
			left += len(h.Commits) - i
			break
		}
	}
	switch {
	case len(h.Commits) == 0:
		return "no commits"
	case h.More && left == 1:
		more = "… there are more"
	case h.More:
		more = fmt.Sprintf("… at least %d more", left)
	case left > 0:
		more = fmt.Sprintf("… %d more", left)
	}
	if more != "" {
		s.WriteString(fmt.Sprintf("%s; name a path or a range, or raise the limit (at most %d), to see them", more, maxCommits))
	}
	return s.text()
}

// maxBlamed is how many lines one blame shows.
const maxBlamed = 400

var gitBlame = define(Tool{
	Name: "git_blame",
	params: params{
		pathParam,
		{name: "start_line", kind: integerKind},
		{name: "end_line", kind: integerKind},
	},
	git: true,
	run: func(ctx context.Context, env *Env, c call) Result {
		what := "git_blame " + c.text("path")
		at, err := placeOf(env, c.text("path"))
		if err != nil {
			return failure(what, err)
		}
		text, exists, err := env.Draft.Read(at.path)
		if err == nil && !exists {
			err = fmt.Errorf("%s %slist the files to see what there is", shown(at.path), env.Draft.Missing(at.path))
		}
		if err != nil {
			return failure(what, err)
		}
		count := edits.CountLines(text)
		first, last := max(1, c.int("start_line")), count
		if n := c.int("end_line"); n > 0 {
			last = min(n, count)
		}
		if last < first {
			return failure(what, fmt.Errorf("%s has %s", shown(at.path), phrase.Count(count, "line")))
		}
		tracked, err := at.repo.Objects(ctx, []string{at.inside})
		if err == nil && tracked[at.inside] == "" {
			err = errors.New(shown(at.path) + " is not in the last commit, so it has no history under this name")
		}
		var lines []git.Blamed
		if err == nil {
			lines, err = at.repo.Blame(ctx, at.inside, string(env.Workspace.Content(at.path, text, false)), first, min(last, first+maxBlamed-1))
		}
		if err != nil {
			return unread(what, err)
		}
		own := strings.Split(text, "\n")
		for i, l := range lines { // Git has the bytes, in the charset of the file
			if l.Line > 0 && l.Line <= len(own) {
				lines[i].Text = own[l.Line-1]
			}
		}
		return Result{Text: blamed(lines, last), Summary: fmt.Sprintf("git_blame %s lines %d-%d", shown(at.path), first, last)}
	},
})

// blamed shows lines under the commits that they come from. last is the last line of the
// request.
func blamed(lines []git.Blamed, last int) string {
	s := sheet{limit: maxGit - 100} // leaves room for a last line
	described := map[string]bool{}
	for i, l := range lines {
		rows := fmt.Sprintf("%d: %s", l.Line, l.Text)
		if i == 0 || l.Commit != lines[i-1].Commit {
			about := "in no commit yet"
			switch {
			case described[l.Commit]:
				about = fmt.Sprintf("%.10s", l.Commit)
			case l.Commit != "":
				about = fmt.Sprintf("%.10s %s %s: %s", l.Commit, l.Day, author(l.Author), message(l.Subject))
			}
			described[l.Commit] = l.Commit != ""
			rows = about + "\n" + rows
		}
		if !s.add(phrase.ClipBytes(rows, 2_000)) {
			lines = lines[:i]
			break
		}
	}
	if n := len(lines); n > 0 && lines[n-1].Line < last {
		fmt.Fprintf(&s, "… go on at line %d, of %d", lines[n-1].Line+1, last)
	}
	return s.text()
}
