package editors

import "path/filepath"

// forks are the editors that install extensions for VS Code: the program's name, where its
// folder is in /Applications on macOS, and where it is in %LOCALAPPDATA% on Windows.
var forks = []struct{ program, mac, windows string }{
	{"code", "Visual Studio Code.app/Contents/Resources/app/bin", "Programs/Microsoft VS Code/bin"},
	{"code-insiders", "Visual Studio Code - Insiders.app/Contents/Resources/app/bin", "Programs/Microsoft VS Code Insiders/bin"},
	{"codium", "VSCodium.app/Contents/Resources/app/bin", "Programs/VSCodium/bin"},
	{"cursor", "Cursor.app/Contents/Resources/app/bin", "Programs/cursor/resources/app/bin"},
	{"windsurf", "Windsurf.app/Contents/Resources/app/bin", "Programs/Windsurf/bin"},
	{"code-server", "", ""},
}

// codes finds the programs of VS Code and its forks: on PATH, else where they are installed.
func (f Folders) codes() []string {
	if f.Exists == nil {
		return nil
	}
	var found []string
	for _, fork := range forks {
		name := fork.program
		var dirs []string
		for _, dir := range filepath.SplitList(f.env("PATH")) {
			if filepath.IsAbs(dir) {
				dirs = append(dirs, dir)
			}
		}
		switch {
		case f.System == "windows":
			name += ".cmd"
			if fork.windows != "" {
				dirs = append(dirs, filepath.Join(f.Local, filepath.FromSlash(fork.windows)))
			}
		case f.System == "darwin" && fork.mac != "":
			dirs = append(dirs, filepath.Join("/Applications", fork.mac), filepath.Join(f.Home, "Applications", fork.mac))
		}
		for _, dir := range dirs {
			if file := filepath.Join(dir, name); f.Exists(file) {
				found = append(found, file)
				break
			}
		}
	}
	return found
}
