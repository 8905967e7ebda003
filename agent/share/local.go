package share

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/stable"
	"redline/workspace"
)

// Local removes from a plan what only concerns this machine.
type Local struct {
	Words func(string) string // for text by users and the model
	Name  func(string) string // for an argument that names a file or folder
}

// LocalTo returns a Local that removes the locations of the workspace's folders on this machine,
// which are private.
func LocalTo(ws *workspace.Workspace) Local {
	return Local{
		Words: func(s string) string { return withoutPlaces(ws, s) },
		Name:  func(name string) string { return pathOnly(ws, name) },
	}
}

// pathOnly returns the workspace path of a file in the workspace, which does not show where the
// workspace is. From any other name it only removes the folders' names.
func pathOnly(ws *workspace.Workspace, name string) string {
	if filepath.IsAbs(name) || strings.HasPrefix(name, "file:") {
		if clean, err := ws.Clean(name); err == nil {
			return clean
		}
	}
	return withoutPlaces(ws, name)
}

// withoutPlaces makes the names of the workspace's folders in a text relative.
func withoutPlaces(ws *workspace.Workspace, s string) string {
	folders := slices.Clone(ws.Folders())
	stable.Sort(folders, func(x, y workspace.Folder) int { return len(y.Dir) - len(x.Dir) }) // one may contain another
	for _, f := range folders {
		name := ""
		if !ws.Single() {
			name = f.Name + "/"
		}
		for _, dir := range []string{"file://" + filepath.ToSlash(f.Dir), filepath.ToSlash(f.Dir), f.Dir} {
			s = withoutFolder(s, dir, name)
		}
	}
	return s
}

// withoutFolder replaces dir and the separator after it in s with name, which is "" or ends with
// a slash. dir stays if it is only a part of another name, as "/app" is of "src/app/x" and of
// "/app2".
func withoutFolder(s, dir, name string) string {
	if strings.TrimRight(dir, `/\`) != dir {
		return s // the root reveals nothing, and is in every name
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, dir)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		last, _ := utf8.DecodeLastRuneInString(b.String())
		next, size := utf8.DecodeRuneInString(after)
		second, _ := utf8.DecodeRuneInString(after[size:])
		switch {
		case b.Len() > 0 && (inName(last) || strings.ContainsRune(`./\`, last)),
			inName(next), next == '.' && inName(second):
			b.WriteString(dir)
		case next == '/' || next == filepath.Separator:
			b.WriteString(name)
			after = after[size:]
		default:
			b.WriteString(strings.TrimSuffix("./"+name, "/"))
		}
		s = after
	}
}

// inName reports whether r can be anywhere in the name of a file.
func inName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-~", r)
}
