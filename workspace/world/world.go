// Package world builds the place in which a trial runs: the workspace as a plan would leave
// it, at its usual path, over a file system of which nothing else can be changed, without a
// network and without any process of the host. What is written there is kept in memory and
// vanishes with the world, however its processes end; or on a disk, where memory cannot hold
// what an overlay needs.
//
// A world is built by the helper process that then runs the command in it: the helper is
// started with the [Attributes] of a world, and calls [Enter], then [Seal], before it starts
// the command. Only Linux has worlds. They need user namespaces, and no other privilege.
//
// Where only the program bwrap may use namespaces, a [Launcher] starts the helper by it, in a world
// of less: the workspace is a copy, and tools can only be read. The helper calls [EnterCopy]
// instead of Enter.
package world

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"redline/workspace/secrets"
)

// Kind is a way to build a world.
type Kind string

// The kinds.
const (
	Overlay Kind = "overlay" // by Redline itself, from overlays of the host's folders; also ""
	Bwrap   Kind = "bwrap"   // by bwrap, around a copy of the workspace, where only bwrap may create namespaces
)

// World describes a world. Paths are absolute and may lead through links. They name the
// host's files; the command sees these under the same names.
type World struct {
	Kind Kind `json:"kind,omitempty"`

	// Folders are the folders of the workspace. The command can write to them, which
	// changes only a copy.
	Folders []string `json:"folders"`

	// Changes are applied to that copy, in order, before the command starts, except for
	// those of Hidden files.
	Changes []Change `json:"changes,omitempty"`

	// Tools are more folders that builds need, such as caches and toolchains. They are
	// copies too, or read-only with bwrap. Missing ones are skipped.
	Tools []string `json:"tools,omitempty"`

	// Programs are more files and folders, read-only: what links in the folders of PATH and
	// in the workspace lead to, see [Programs]. Missing ones are skipped, and those that
	// cannot be shown.
	Programs []string `json:"programs,omitempty"`

	// Links are names of files and folders that lead to others by links, and are shown as links:
	// what they lead to is in the world only if something else shows it. Those that cannot be made
	// are skipped.
	Links []string `json:"links,omitempty"`

	// Home is the user's home folder. It is empty except for Folders, Tools, Programs and State
	// inside it.
	Home string `json:"home,omitempty"`

	// State is what the command sees of the user's home folder besides. No path of it may be in one of
	// Folders.
	State State `json:"state,omitzero"`

	// Hidden are files and folders that the world leaves out or shows empty. They may be
	// missing.
	Hidden []string `json:"hidden,omitempty"`

	// Uppers is an empty folder on a disk that stores writes to Folders and Tools. If it
	// is "", they stay in memory, which needs Linux 6.6. The folder must fit, see [Fits].
	// Disk does not limit its size, and nothing removes its content: the caller must do
	// both.
	Uppers string `json:"uppers,omitempty"`

	// Kept is a folder that builds write and that stays for the next world, the zero value for none.
	// No more than one world at a time may have it. The world shows it instead of what the host
	// has there. bwrap has none.
	Kept Kept `json:"kept,omitzero"`

	// Captured says that what the command leaves in Folders will be read, see [Capture].
	Captured bool `json:"captured,omitempty"`

	// HostNetwork gives the command the network of the host. It still reaches none of the host's
	// sockets in files, nor abstract ones.
	HostNetwork bool `json:"hostNetwork,omitempty"`

	// Disk is how many bytes the command can write in memory. Memory is how many more
	// bytes all processes together can use, 0 for no limit. Without a cgroup, the kernel
	// applies the limit to each process, and [Memory] watches all of them.
	Disk   int64 `json:"disk"`
	Memory int64 `json:"memory,omitempty"`

	// Processes is the largest number of processes and threads at a time.
	Processes int `json:"processes"`
}

// Kept is a folder that stays. Neither Uppers nor Disk limit what is written there: the caller must.
type Kept struct {
	Path string `json:"path"` // absolute, in one of Folders; it need not exist
	From string `json:"from"` // the folder that holds its content, in none of Folders
}

// Change makes a file in the world differ from the host's.
type Change struct {
	Path string      `json:"path"`           // absolute, in one of the folders of the world, or in the home folder
	Gone bool        `json:"gone,omitempty"` // the file does not exist in the world
	Text []byte      `json:"text,omitempty"` // otherwise its content
	Mode fs.FileMode `json:"mode,omitempty"` // the permissions of a new file, 0 for 0644; an existing file keeps its own
	Same bool        `json:"same,omitempty"` // the file exists on the host, and only its time changes
	Time time.Time   `json:"time,omitzero"`  // when it was last modified, the zero value for now
}

// ErrUnsupported is the error on systems without worlds.
var ErrUnsupported = errors.New("only Linux has what trials need to run apart from everything else")

// Forgotten is what [Probe] returns if keeping writes in memory is the only problem: the
// world needs a folder for its Uppers.
const Forgotten = "find removed files again"

// OnNetwork are what [Probe] returns for what a world with HostNetwork may reach.
var OnNetwork = []string{byTCP, byUDP}

const (
	byTCP = "connect by TCP"
	byUDP = "send by UDP"
)

// Targets are files, addresses and processes of the host that nothing in a world may
// reach. Paths are absolute.
type Targets struct {
	Outside string   `json:"outside"` // a file outside the folders of the world
	Hidden  string   `json:"hidden"`  // a hidden file in a folder of the workspace
	Folder  string   `json:"folder"`  // a folder of the workspace that contains a file
	Shown   []string `json:"shown"`   // folders of the world, each with a locked file "locked", a FIFO "fifo" with a reader and a socket "socket"
	TCP     string   `json:"tcp"`     // an address that accepts connections
	UDP     string   `json:"udp"`     // an address that answers packets
	Local   string   `json:"local"`   // the name of abstract sockets, for streams and for datagrams
	Process int      `json:"process"` // the id of a process
}

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

// Outside returns those of names to which no way leads through a workspace, link by link, in their
// order. A workspace can be anybody's work: where a folder of tools is named by way of it, a link in
// it would choose what a command may see or write elsewhere. What really is in the workspace, a
// command has anyway. All names are absolute; they need not exist.
func Outside(names, workspaces []string) []string {
	inside := folderInfos(workspaces)
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return through(name, inside) })
}

// folderInfos returns what identifies those of the folders that exist.
func folderInfos(dirs []string) (infos []fs.FileInfo) {
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil {
			infos = append(infos, info)
		}
	}
	return infos
}

// through reports whether the way to a name is in one of these folders at any point, also if it
// leads out again.
func through(name string, of []fs.FileInfo) bool {
	const separator = string(filepath.Separator)
	top := filepath.VolumeName(name) + separator
	at, rest, links := top, strings.TrimPrefix(name, top), 0
	for rest != "" {
		part, after, _ := strings.Cut(rest, separator)
		rest = after
		switch part {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		if err != nil { // below it there is no link
			return false
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			if at = next; isOneOf(info, of) {
				return true
			}
			continue
		}
		to, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return true // it leads nowhere
		}
		if to = filepath.FromSlash(to); filepath.IsAbs(to) {
			at = filepath.VolumeName(to) + separator
			to = to[len(filepath.VolumeName(to)):]
		}
		rest = to + separator + rest
	}
	return false
}

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
