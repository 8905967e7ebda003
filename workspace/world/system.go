package world

import (
	"path/filepath"
	"slices"
	"strings"
)

// shownFolders are the folders of / with programs and their data. A world shows all
// others empty.
var shownFolders = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "nix", "gnu", "snap", "System", "Library"}

// shownOfVar are the folders of /var that builds read: installed packages, and /opt and
// /usr/local where some systems keep them there. The others hold data of services, mail,
// logs, sites and home folders; a world shows them empty.
var shownOfVar = []string{
	"/var/opt", "/var/usrlocal", "/var/guix", "/var/cache/fontconfig",
	"/var/lib/alternatives", "/var/lib/dpkg", "/var/lib/rpm", "/var/lib/pacman", "/var/lib/dbus",
	"/var/lib/ca-certificates", "/var/lib/ca-certificates-java", "/var/lib/gems", "/var/lib/ghc",
	"/var/lib/texmf", "/var/lib/sgml-base", "/var/lib/xml-core", "/var/lib/aspell", "/var/lib/dictionaries-common",
}

// InSystem reports whether every world shows a name, which has no links.
func InSystem(name string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(filepath.ToSlash(name), "/"), "/")
	return slices.Contains(shownFolders, first) || slices.ContainsFunc(shownOfVar, func(dir string) bool { return isIn(name, filepath.FromSlash(dir)) })
}
