package editors

import (
	"embed"
	"io/fs"
	"path"
	"path/filepath"
)

// packed has the extension for VS Code, if the program was built with it.
//
//go:embed vscode/packed
var packed embed.FS

// Extension is an extension in one file, which the editor's own program installs.
type Extension struct {
	Name     string // of its file
	Data     []byte
	Programs []string // the editors' programs that are here, absolute
}

// vscode returns the extension that is in a folder, with the programs that can install it. If
// there is no such program, the extension is a file that the user installs in the editor. A
// folder without one gives the page.
func vscode(from fs.FS, where Folders) (Setup, error) {
	names, err := fs.Glob(from, "vscode/packed/*.vsix")
	if err != nil || len(names) == 0 {
		return seePage("vscode"), err
	}
	last := names[len(names)-1]
	data, err := fs.ReadFile(from, last)
	if err != nil {
		return Setup{}, err
	}
	s := Setup{
		Extension: Extension{Name: path.Base(last), Data: data, Programs: where.codes()},
		Dir:       filepath.Join(where.Data, "redline", "vscode"),
		Next:      "open a folder in VS Code and press Ctrl+K A (macOS: Cmd+K A)",
	}
	if len(s.Extension.Programs) == 0 {
		s.Files = []File{{Path: filepath.Join(s.Dir, s.Extension.Name), Text: string(data)}}
		s.Note = "The program code of VS Code was not found. Run \"Extensions: Install from VSIX...\" in VS Code and choose this file."
	}
	return s, nil
}
