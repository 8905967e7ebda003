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
)

// Kind is a way to build a world.
type Kind string

// The kinds.
const (
	Overlay Kind = "overlay" // by Redline itself, from overlays of the host's folders; also ""
	Bwrap   Kind = "bwrap"   // by the program bwrap, around a copy of the workspace: where only that may
)

// World describes a world. Paths are absolute, and may lead through links. They mean the
// host's files; the command sees them under the same names.
type World struct {
	Kind Kind `json:"kind,omitempty"`

	// Folders are the workspace's. The command can write them, which changes a copy.
	Folders []string `json:"folders"`

	// Changes are made to that copy before the command starts, in their order.
	Changes []Change `json:"changes,omitempty"`

	// Tools are further folders that builds need, such as caches and toolchains. They are
	// copies too, or with bwrap read-only. Missing ones are left out.
	Tools []string `json:"tools,omitempty"`

	// Home is the user's home folder. It is empty, but for Folders and Tools in it.
	Home string `json:"home,omitempty"`

	// Hidden are files and folders that are not there, or empty. They may be missing.
	Hidden []string `json:"hidden,omitempty"`

	// Uppers is an empty folder on a disk for what is written to Folders and Tools; "" keeps
	// that in memory, which takes Linux 6.6. It must fit, see [Fits]. Disk does not bound what
	// is in it, and it stays there: the caller sees to both.
	Uppers string `json:"uppers,omitempty"`

	// Disk is how many bytes can be written in memory. Memory is how many all processes can
	// have besides, 0: any number. Where there is no cgroup for that, it is what each process
	// can have.
	Disk   int64 `json:"disk"`
	Memory int64 `json:"memory,omitempty"`

	// Processes is how many processes and threads there can be at a time.
	Processes int `json:"processes"`
}

// Change makes a file differ from the host's.
type Change struct {
	Path string      `json:"path"`           // absolute, in one of the folders of the world, or in the home folder
	Gone bool        `json:"gone,omitempty"` // it is not there
	Text []byte      `json:"text,omitempty"` // its content, else
	Mode fs.FileMode `json:"mode,omitempty"` // the permissions of a new file; 0: 0644. An existing file keeps its own.
}

// ErrUnsupported is the error on systems that have no worlds.
var ErrUnsupported = errors.New("only Linux has what trials need to run apart from everything else")

// Forgotten is what [Probe] returns if only memory is at fault: the world must have a folder for
// its Uppers.
const Forgotten = "find removed files again"

// Targets are things of the host's that nothing in a world may reach. Paths are absolute.
type Targets struct {
	Outside string   `json:"outside"` // a file in no folder of the world
	Hidden  string   `json:"hidden"`  // a hidden file in a folder of the workspace
	Folder  string   `json:"folder"`  // a folder in it that has a file
	Shown   []string `json:"shown"`   // folders of the world, each with a file "locked" that is locked, a FIFO "fifo" that is read and a socket "socket"
	TCP     string   `json:"tcp"`     // an address that is listened at
	UDP     string   `json:"udp"`     // an address that answers
	Local   string   `json:"local"`   // the name of an abstract socket
	Process int      `json:"process"` // the id of a process
}
