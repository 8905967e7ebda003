package toolset

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"redline/agent/tool"
	"redline/workspace"
	"redline/workspace/git"
)

// repositories are the Git repositories of the workspace folders, for the tools of a turn.
type repositories struct {
	ws *workspace.Workspace

	mu    sync.Mutex
	known map[string]repository // by folder
}

type repository struct {
	repo *git.Repo
	err  error
}

// Repositories returns the repositories of a workspace for tools, nil if no folder has one.
func Repositories(ws *workspace.Workspace) tool.Git {
	rs := &repositories{ws: ws, known: map[string]repository{}}
	if _, _, err := rs.Of("."); err != nil {
		return nil
	}
	return rs
}

// Of implements [tool.Git].
func (rs *repositories) Of(path string) (r tool.Repository, prefix string, err error) {
	err = git.ErrNone // the workspace has no folders
	single := rs.ws.Single()
	for _, f := range rs.ws.Folders() {
		if prefix = f.Name + "/"; single {
			prefix = ""
		}
		if path != "." && !strings.HasPrefix(path+"/", prefix) {
			continue
		}
		if path != "." {
			if repo, below, ok := rs.nested(f.Dir, strings.TrimPrefix(path+"/", prefix)); ok {
				return repo, prefix + below, nil
			}
		}
		repo, why := rs.at(f.Dir)
		if why == nil {
			return repo, prefix, nil
		}
		if err = why; path != "." {
			break
		}
	}
	return nil, "", err
}

// nested returns the innermost repository within a folder that holds a path of it, such as a
// submodule: the folder's own repository has no history of its files. below is the path of its
// root. path, like below, ends with a slash. A symbolic link leads to no repository.
func (rs *repositories) nested(folder, path string) (r *git.Repo, below string, ok bool) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, "", false
	}
	for below = strings.TrimSuffix(path, "/"); below != ""; below = below[:max(0, strings.LastIndexByte(below, '/'))] {
		dir := filepath.Join(real, filepath.FromSlash(below))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue
		}
		if is, err := filepath.EvalSymlinks(dir); err != nil || is != dir {
			continue
		}
		if repo, err := rs.at(dir); err == nil {
			return repo, below + "/", true
		}
	}
	return nil, "", false
}

func (rs *repositories) at(dir string) (*git.Repo, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	f, ok := rs.known[dir]
	if !ok {
		f.repo, f.err = git.At(dir, rs.ws.Leftovers())
		rs.known[dir] = f
	}
	return f.repo, f.err
}

// Unsaved implements [tool.Git].
func (rs *repositories) Unsaved() (paths []string) {
	for _, b := range rs.ws.Buffers() {
		if b.Dirty && b.Path != "" {
			paths = append(paths, b.Path)
		}
	}
	return paths
}
