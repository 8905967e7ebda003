package tool

import (
	"context"
	"errors"
	"strings"

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
		if env.Git != nil || !t.git {
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
