package world

// Entry is a name in a folder of a world whose file the command has written, made or taken away.
// A name may hold any bytes but NUL.
type Entry struct {
	Path []byte    `json:"path"` // absolute, as the command saw it
	Kind EntryKind `json:"kind"`
	Mode uint32    `json:"mode,omitempty"` // permission bits
	Size int64     `json:"size,omitempty"` // of a file, in bytes
	Text []byte    `json:"text,omitempty"` // the content of a file, if it was asked for

	Problem string `json:"problem,omitempty"` // why a file of the state was not read, as a part of a sentence
}

// EntryKind is what a world has at the name of an [Entry].
type EntryKind string

// The kinds. What the host has below a name is gone too, unless another entry names it, if the
// world has anything but a folder there, or a new one.
const (
	FileEntry  EntryKind = "file"  // a regular file; its content may be what it was
	GoneEntry  EntryKind = "gone"  // nothing
	FreshEntry EntryKind = "fresh" // a new folder, which shows nothing of the host's
	LinkEntry  EntryKind = "link"  // a symbolic link
	OtherEntry EntryKind = "other" // a FIFO, socket or device, or a folder at a path that is too long to be read
)

// Limits of a capture.
const (
	// MaxEntries is how many entries a capture has at most.
	MaxEntries = 300_000
	// MaxCaptured is the size limit, in bytes, for all content that is read.
	MaxCaptured = 256 << 20
	// maxEntryPath is the length limit of a path in a folder, in bytes: the kernel opens no longer one.
	maxEntryPath = 4000
)
