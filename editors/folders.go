package editors

import (
	"cmp"
	"embed"
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
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

// Folders are where editors keep their files: absolute names.
type Folders struct {
	System  string // as in runtime.GOOS
	Home    string
	Config  string // $XDG_CONFIG_HOME, or .config in Home
	Data    string // $XDG_DATA_HOME, or .local/share in Home
	Roaming string // on Windows %APPDATA%
	Local   string // on Windows %LOCALAPPDATA%
	Program string // this program, "" to have it found on PATH

	Env    func(name string) string // a variable of the environment; nil: there is none
	Exists func(path string) bool   // whether there is a file or folder; nil: there is nothing
}

func (f Folders) env(name string) string {
	if f.Env == nil {
		return ""
	}
	return f.Env(name)
}

// firstThere is the first of the paths that exists, else the last one.
func (f Folders) firstThere(paths ...string) string {
	for _, path := range paths {
		if f.Exists != nil && f.Exists(path) {
			return path
		}
	}
	return paths[len(paths)-1]
}

// emacs is the init file that Emacs reads (GNU Emacs Manual, "The Emacs Initialization
// File" and "How Emacs Finds Your Init File"): the first of ~/.emacs.el, ~/.emacs and
// ~/.emacs.d/init.el that there is. Only if neither ~/.emacs.d nor one of these files
// exists does it look into an existing folder emacs of the XDG configuration. With
// nothing there, ~/.emacs.d/init.el is read by every version.
func (f Folders) emacs() string {
	home := f.Home
	if f.System == "windows" {
		home = cmp.Or(f.env("HOME"), f.Roaming, f.Home)
	}
	in := func(name ...string) string { return filepath.Join(append([]string{home}, name...)...) }
	usual := in(".emacs.d", "init.el")
	files := []string{in(".emacs.el"), in(".emacs")}
	if f.System == "windows" {
		files = append(files, in("_emacs"))
	}
	switch file := f.firstThere(append(files, in(".emacs.d"), f.Config)...); file {
	case in(".emacs.d"):
		return usual
	case f.Config: // none of these, or that one
		if xdg := filepath.Join(f.Config, "emacs"); f.firstThere(xdg, usual) == xdg {
			return filepath.Join(xdg, "init.el")
		}
		return usual
	default:
		return file
	}
}

// helixSettings is the file of its settings, beside that of its servers.
func (f Folders) helixSettings() string { return filepath.Join(filepath.Dir(f.helix()), "config.toml") }

// emacsDirectory is user-emacs-directory of an Emacs that reads this init file: its folder, or
// ~/.emacs.d if it is in none of its own.
func (f Folders) emacsDirectory(initFile string) string {
	if filepath.Base(initFile) == "init.el" {
		return filepath.Dir(initFile)
	}
	return filepath.Join(filepath.Dir(initFile), ".emacs.d")
}

// helix is the file of its servers: in the XDG configuration on every system but Windows.
func (f Folders) helix() string {
	if f.System == "windows" {
		return filepath.Join(f.Roaming, "helix", "languages.toml")
	}
	return filepath.Join(f.Config, "helix", "languages.toml")
}

// kakoune is what Kakoune reads at its start, in the folder that %val{config} names.
func (f Folders) kakoune() string {
	return filepath.Join(cmp.Or(absolute(f.env("KAKOUNE_CONFIG_DIR")), filepath.Join(f.Config, "kak")), "kakrc")
}

// kate is the file of its servers, where Qt puts the configuration of programs.
func (f Folders) kate() string {
	config := f.Config
	switch f.System {
	case "darwin":
		config = filepath.Join(f.Home, "Library", "Preferences")
	case "windows":
		config = f.Local
	}
	return filepath.Join(config, "kate", "lspclient", "settings.json")
}

// sublime returns the settings file of the package LSP. Sublime Text 4 uses the folder of
// version 3 if there is no other.
func (f Folders) sublime() string {
	in, name := f.Config, "sublime-text"
	old := name + "-3"
	switch f.System {
	case "darwin":
		in = filepath.Join(f.Home, "Library", "Application Support")
		name, old = "Sublime Text", "Sublime Text 3"
	case "windows":
		in, name, old = f.Roaming, "Sublime Text", "Sublime Text 3"
	}
	newest := filepath.Join(in, name)
	return filepath.Join(f.firstThere(newest, filepath.Join(in, old), newest), "Packages", "User", "LSP.sublime-settings")
}

// nvimData is stdpath("data") of Neovim (:help $NVIM_APPNAME).
func (f Folders) nvimData() string {
	app := cmp.Or(f.env("NVIM_APPNAME"), "nvim")
	if f.System != "windows" {
		return filepath.Join(f.Data, filepath.FromSlash(app))
	}
	return filepath.Join(cmp.Or(absolute(f.env("XDG_DATA_HOME")), f.Local), filepath.FromSlash(app)+"-data")
}

// absolute is a path if it is absolute, else "".
func absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return ""
}

// zed is the file of Zed's settings. On macOS it is where other systems have it too.
func (f Folders) zed() string {
	switch f.System {
	case "windows":
		return filepath.Join(f.Roaming, "Zed", "settings.json")
	case "darwin":
		return filepath.Join(f.Home, ".config", "zed", "settings.json")
	}
	return filepath.Join(f.Config, "zed", "settings.json")
}

// jetbrains is the file of the agents that all IDEs of JetBrains share.
func (f Folders) jetbrains() string { return filepath.Join(f.Home, ".jetbrains", "acp.json") }

// absolutely returns JSON with the absolute name of this program: an editor that was started by
// a desktop may have another PATH.
func (f Folders) absolutely(text string) string {
	if f.Program == "" {
		return text
	}
	name, _ := json.Marshal(f.Program) // a string can be written
	return strings.Replace(text, `"command": "redline"`, `"command": `+string(name), 1)
}
