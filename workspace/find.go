package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

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
