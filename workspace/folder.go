package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Folder is one folder of the workspace.
type Folder struct {
	Name string // prefix of paths if there are several folders; the workspace makes it unique
	Dir  string // absolute; derived from URI if empty
	URI  string // as the client spelled it, "" from the command line
}

// normalised derives missing fields and drops invalid ones.
func (f Folder) normalised() Folder {
	if f.Dir == "" && f.URI != "" {
		f.Dir, _ = dirOfURI(f.URI)
	}
	if f.Dir != "" {
		f.Dir = filepath.Clean(f.Dir)
	}
	if f.Name == "" || f.Name == "." || f.Name == ".." || strings.ContainsAny(f.Name, "/\\\x00") || reserved(f.Name) != "" {
		f.Name = filepath.Base(f.Dir)
	}
	if strings.ContainsAny(f.Name, "/\\") || f.Name == "." {
		f.Name = "root"
	}
	f.Name = strings.ToValidUTF8(f.Name, "_") // paths begin with it, and are UTF-8
	return f
}

// MaxFolders is how many folders a workspace can have. Further ones are left out: each costs time
// in every search.
const MaxFolders = 1000

// addRoots returns roots with the roots of folders added, under unique names. A folder that is in
// roots already, has no directory or is one too many changes nothing.
func (rs *rootSet) addRoots(roots []*root, folders []Folder) []*root {
	dirs, names := map[string]bool{}, map[string]bool{}
	for _, r := range roots {
		dirs[r.Dir], names[r.Name] = true, true
	}
	next := map[string]int{} // the number that makes a name unique
	all := slices.Clone(roots)
	for _, f := range folders {
		if f = f.normalised(); f.Dir == "" || dirs[f.Dir] || len(all) >= MaxFolders {
			continue
		}
		name := f.Name
		for names[f.Name] {
			next[name] = max(next[name], 1) + 1
			f.Name = fmt.Sprintf("%s-%d", name, next[name])
		}
		dirs[f.Dir], names[f.Name] = true, true
		all = append(all, &root{Folder: f, access: rs.access})
	}
	return all
}

// Find returns the workspace folder for the command line: the nearest parent of dir (itself
// included) that holds .redline or .git, else dir itself. A parent counts only if it and
// that entry belong to the user, or if trusted names it: Redline reads and follows the
// files of such a folder, and in a shared one anybody could have put them there. The folder
// dir counts whoever owns it. passed is the nearest parent that was skipped for this
// reason, "" for none.
//
// trusted are absolute folders; "*" is every folder, and "/srv/*" those below /srv.
func Find(dir string, trusted []string) (found Folder, passed string) {
	return find(dir, trusted, belongsToUser)
}

// find is Find with a replaceable check of whether the user owns a file or folder.
func find(dir string, trusted []string, owned func(name string) bool) (found Folder, passed string) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	for at := dir; ; at = filepath.Dir(at) {
		for _, mark := range []string{ownDir, ".git"} {
			mark = filepath.Join(at, mark)
			if _, err := os.Lstat(mark); err != nil {
				continue
			}
			if at == dir || owned(at) && owned(mark) || isTrusted(at, trusted) {
				return Folder{Dir: at}.normalised(), passed
			}
			if passed == "" {
				passed = at
			}
		}
		if at == filepath.Dir(at) {
			return Folder{Dir: dir}.normalised(), passed
		}
	}
}

// isTrusted reports whether the list names a folder.
func isTrusted(dir string, trusted []string) bool {
	names := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		names = append(names, real)
	}
	return slices.ContainsFunc(trusted, func(t string) bool {
		if t == "*" {
			return true
		}
		above, below := strings.CutSuffix(filepath.ToSlash(t), "/*")
		if real, err := filepath.EvalSymlinks(filepath.FromSlash(above)); err == nil {
			above = filepath.ToSlash(real)
		}
		return slices.ContainsFunc(names, func(name string) bool {
			name = filepath.ToSlash(name)
			return name == above || name == filepath.ToSlash(t) || below && strings.HasPrefix(name, strings.TrimSuffix(above, "/")+"/")
		})
	})
}

// belongsToUser reports whether a file or folder belongs to the user that runs this
// program, by git's rule: root also owns what the user who called sudo owns. Where files
// have no such owner, it is always true.
func belongsToUser(name string) bool {
	info, err := os.Lstat(name)
	if err != nil {
		return false
	}
	uid, _, ok := ownerOf(info)
	return !ok || isUser(uid, os.Geteuid(), os.Getenv("SUDO_UID"))
}

// isUser reports whether the owner of a file is the user. For root, sudo (SUDO_UID) may
// name the user who became root.
func isUser(owner, user int, sudo string) bool {
	if owner == user {
		return true
	}
	caller, err := strconv.Atoi(sudo)
	return user == 0 && err == nil && caller == owner
}

// OwnerOf returns the name of a folder without symbolic links, and the user id of its owner;
// -1 if it is unknown, as on systems without user ids.
func OwnerOf(dir string) (name string, uid int) {
	name, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return filepath.Clean(dir), -1
	}
	info, err := os.Stat(name)
	if err != nil {
		return name, -1
	}
	uid, _, ok := ownerOf(info)
	if !ok {
		return name, -1
	}
	return name, uid
}
