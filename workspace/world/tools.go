package world

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace/secrets"
)

// Shown returns those of the folders of tools that a command may see or write besides the
// workspace: none that is a home folder, holds one or leads to one, by whatever name, and
// none that is secret by a name in its path. Folders that do not exist are among them. The
// order stays.
func Shown(folders, homes []string) []string { return shown(folders, holders(homes)) }

// holders returns the home folders and all that hold them.
func holders(homes []string) (above []fs.FileInfo) {
	for _, home := range homes {
		if home == "" {
			continue
		}
		names := []string{filepath.Clean(home)}
		if real, err := filepath.EvalSymlinks(home); err == nil {
			names = append(names, real)
		}
		for _, name := range names {
			for at := name; ; at = filepath.Dir(at) {
				if info, err := os.Stat(at); err == nil {
					above = append(above, info)
				}
				if at == filepath.Dir(at) {
					break
				}
			}
		}
	}
	return above
}

// shown is Shown for the result of holders.
func shown(folders []string, above []fs.FileInfo) []string {
	return slices.DeleteFunc(slices.Clone(folders), func(dir string) bool {
		if isSecretFolder(dir) {
			return true
		}
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		real, err := filepath.EvalSymlinks(dir)
		return err != nil || isSecretFolder(real) || isOneOf(info, above)
	})
}

func isOneOf(info fs.FileInfo, of []fs.FileInfo) bool {
	return slices.ContainsFunc(of, func(a fs.FileInfo) bool { return os.SameFile(a, info) })
}

// isSecretFolder reports whether a folder, or one above it, is secret by its name.
func isSecretFolder(dir string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(dir), "/"), func(part string) bool { return part != "" && secrets.Name(part, true) })
}
