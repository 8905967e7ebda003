// Package editors has what editors need to know of Redline: a page for each, the
// configuration that the page tells the user to write, Neovim's plugin and Emacs's package.
package editors

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed emacs/*.el nvim/plugin/*.lua nvim/lua/redline/*.lua nvim/doc/redline.txt */README.md
var files embed.FS

// File is a file of an editor's configuration.
type File struct {
	Path     string // absolute
	Text     string
	Optional bool // all works without it: one that exists is nothing to fail for
}

// Setup is what connects an editor to Redline.
type Setup struct {
	Files []File // whole files; Compare says which of them that exist must be left alone
	Dir   string // a plugin's own folder: what is below it needs not be shown; "" for none
	Note  string // what else there is to do, in a sentence; "" for nothing
	Next  string // how to ask for the first time, once all is written: "open … and ask: …"; "" if the page says it

	Extension Extension // to be installed by its Programs; without any there is nothing to install
}

// Owns reports whether a file is in the plugin's own folder.
func (s Setup) Owns(f File) bool {
	return s.Dir != "" && strings.HasPrefix(f.Path, s.Dir+string(filepath.Separator))
}

// kind is an editor that is connected by a file: where that is, and which block of
// the editor's page goes there.
type kind struct {
	name     string
	at       func(Folders) string
	extra    func(Folders) string // where the next block goes, which is optional; nil for none
	language string               // of the blocks
	starts   string               // the command of redline that the file starts, "serve" if empty
	note     string
	next     string
}

var kinds = []kind{
	{name: "helix", language: "toml", at: Folders.helix, extra: Folders.helixSettings,
		note: "Add a block for each language that you use, with its usual servers: `hx --health LANGUAGE` names them.",
		next: `open a file of one of these languages in Helix and ask: :lsp-workspace-command redline.chat "rename greet to salute"`},
	{name: "kakoune", language: "kak", at: Folders.kakoune,
		note: "kakoune-lsp has to be installed: its program is kak-lsp.",
		next: "open a file of a project in Kakoune and ask: :redline rename greet to salute"},
	{name: "kate", language: "json", at: Folders.kate,
		note: "Turn on the plugin LSP Client in Kate's settings."},
	{name: "sublime", language: "json", at: Folders.sublime,
		note: "The package LSP has to be installed."},
	{name: "zed", language: "json", at: Folders.zed, starts: "acp",
		next: "open Zed's agent panel, start a thread with Redline and ask: rename greet to salute"},
	{name: "jetbrains", language: "json", at: Folders.jetbrains, starts: "acp",
		note: "The plugin AI Assistant has to be installed.",
		next: "choose Redline in the AI Chat and ask: rename greet to salute"},
}

// Names lists the editors that [For] knows.
func Names() []string {
	names := []string{"nvim", "emacs"}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return append(names, "vscode")
}

// For returns what connects an editor. The error is a sentence for the user: there
// is no such editor.
func For(name string, where Folders) (Setup, error) {
	name = canonical(name)
	switch name {
	case "emacs":
		return emacsPackage(where)
	case "nvim":
		return plugin(where)
	case "vscode":
		return vscode(packed, where)
	}
	for _, k := range kinds {
		if k.name != name {
			continue
		}
		text, rest, err := block(k.name, k.language, Page(k.name))
		if err != nil {
			return Setup{}, err
		}
		if k.starts == "acp" {
			text = where.absolutely(text)
		}
		s := Setup{Files: []File{{Path: k.at(where), Text: text}}, Note: k.note, Next: k.next}
		if k.extra != nil {
			if text, _, err = block(k.name, k.language, rest); err != nil {
				return Setup{}, err
			}
			s.Files = append(s.Files, File{Path: k.extra(where), Text: text, Optional: true})
		}
		return s, nil
	}
	return Setup{}, fmt.Errorf("there is no editor %q here: say one of %s", name, strings.Join(Names(), ", "))
}

// seePage is for an editor that the user connects by hand.
func seePage(name string) Setup {
	return Setup{Note: "See the page of this editor, which follows.\n\n" + Page(name)}
}

// canonical is the name of an editor that may be called by another, as by that of
// its program.
func canonical(name string) string {
	switch name {
	case "neovim":
		return "nvim"
	case "hx":
		return "helix"
	case "kak":
		return "kakoune"
	case "code":
		return "vscode"
	case "idea", "intellij":
		return "jetbrains"
	}
	return name
}

// Page returns an editor's page as it is to be read, without the marks of what is made
// from code; "" if it has none.
func Page(name string) string {
	text, err := files.ReadFile(name + "/README.md")
	if err != nil {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "<!--") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// block is the first code block of a language in the text of an editor's page, and what
// follows it.
func block(editor, language, text string) (code, rest string, err error) {
	_, rest, ok := strings.Cut(text, "```"+language+"\n")
	code, rest, ended := strings.Cut(rest, "\n```\n")
	if !ok || !ended {
		return "", "", fmt.Errorf("the page of %s has no %s", editor, language)
	}
	return code + "\n", rest, nil
}

// emacsPackage is Emacs's package, in a folder beside the init file, and the lines of that
// file that load it.
func emacsPackage(where Folders) (Setup, error) {
	initFile := where.emacs()
	lines, _, err := block("emacs", "elisp", Page("emacs"))
	if err != nil {
		return Setup{}, err
	}
	s := Setup{Files: []File{{Path: initFile, Text: lines}}, Dir: filepath.Join(where.emacsDirectory(initFile), "redline"),
		Next: "start Emacs again, open a file of a project and ask: C-c r r"}
	names, err := fs.Glob(files, "emacs/*.el")
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return Setup{}, err
		}
		s.Files = append(s.Files, File{Path: filepath.Join(s.Dir, path.Base(name)), Text: string(text)})
	}
	return s.recorded(), err
}

// plugin is Neovim's plugin, where Neovim finds it without being told.
func plugin(where Folders) (Setup, error) {
	at := filepath.Join(where.nvimData(), "site", "pack", "redline", "start", "redline")
	s := Setup{Dir: at, Next: "open a file of a project in Neovim and ask: :Redline rename greet to salute"}
	err := fs.WalkDir(files, "nvim", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "nvim/README.md" || name == "nvim/doc/tags" {
			return err
		}
		text, err := files.ReadFile(name)
		s.Files = append(s.Files, File{Path: filepath.Join(at, filepath.FromSlash(strings.TrimPrefix(name, "nvim/"))), Text: string(text)})
		if strings.HasPrefix(name, "nvim/doc/") {
			s.Files = append(s.Files, File{Path: filepath.Join(at, "doc", "tags"), Text: helpTags(path.Base(name), string(text))})
		}
		return err
	})
	slices.SortStableFunc(s.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return s.recorded(), err
}

// helpTag is what a help file of Vim names a place by (:help help-writing).
var helpTag = regexp.MustCompile(`(?m)(?:^|\s)\*([^*\s|]+)\*(?:\s|$)`)

// helpTags is the file by which Neovim finds places in a help file, as :helptags
// makes it.
func helpTags(file, text string) string {
	var tags []string
	for _, m := range helpTag.FindAllStringSubmatch(text, -1) {
		tags = append(tags, fmt.Sprintf("%s\t%s\t/*%s*\n", m[1], file, m[1]))
	}
	slices.Sort(tags)
	return strings.Join(tags, "")
}
