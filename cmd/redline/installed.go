package main

import "strings"

// ways lists how a program may have been installed, by what is in its path, and how that
// installation is upgraded. The first that fits counts.
var ways = []struct {
	in      string // a part of the path, with slashes
	by      string
	upgrade string
}{
	{"/node_modules/", "npm", "npm install -g redline-lsp@latest"},
	{"/uv/tools/", "uv", "uv tool upgrade redline-lsp"},
	{"/pipx/venvs/", "pipx", "pipx upgrade redline-lsp"},
	{"/mason/", "mason.nvim", ":MasonInstall redline-lsp"},
	{"/extensions/redline.redline-", "the extension for VS Code", "update the extension"},
	{"/Cellar/", "Homebrew", "brew upgrade redline"},
	{"/scoop/apps/", "Scoop", "scoop update redline"},
	{"/nix/store/", "Nix", "nix profile upgrade redline"},
	{"/go/bin/", "Go", "go install in a newer checkout"},
	{"/Scripts/", "pip", "pip install --upgrade redline-lsp"},
}

// Where Linux package managers note what the package redline has installed.
const dpkgList = "/var/lib/dpkg/info/redline.list"

// installedBy returns what the program at a path was installed with, as its path says, and how
// to upgrade it; both are "" if the path does not say it. exists reports whether a file exists.
func installedBy(program string, exists func(path string) bool) (by, upgrade string) {
	path := strings.ReplaceAll(program, `\`, "/")
	for _, w := range ways {
		if strings.Contains(path, w.in) {
			return w.by, w.upgrade
		}
	}
	folder := path[:strings.LastIndex(path, "/")+1]
	switch {
	case path == "/usr/bin/redline" && exists(dpkgList):
		return "a .deb package", "sudo apt install ./redline_VERSION_ARCHITECTURE.deb"
	case path == "/usr/bin/redline" && exists("/var/lib/pacman/local"):
		return "pacman", "upgrade the package redline-lsp-bin"
	case path == "/usr/bin/redline":
		return "an .rpm package", "sudo rpm -U redline-VERSION.ARCHITECTURE.rpm"
	case strings.HasSuffix(folder, "/bin/") && exists(folder+"../pyvenv.cfg"):
		return "pip", "pip install --upgrade redline-lsp"
	}
	return "", ""
}
