package edits

// Kind is what a Change does to a file.
type Kind uint8

// The kinds of change.
const (
	Update Kind = iota
	Create
	Rename
	Delete
)

// String returns the word for the kind: "update", "create", "rename" or
// "delete".
func (k Kind) String() string {
	switch k {
	case Create:
		return "create"
	case Rename:
		return "rename"
	case Delete:
		return "delete"
	default:
		return "update"
	}
}

// Change is one operation on a file, for an editor to make. Paths are workspace paths,
// separated by slashes.
type Change struct {
	Path    string
	Kind    Kind
	NewPath string   // Rename: where the file goes
	Base    string   // Update, Rename: the text that Edits are offsets into; Delete: the text that was seen
	Edits   []Edit   // Update, Rename: valid for Apply; a rename makes them in the text at Path first
	Text    string   // Create: the whole text
	BOM     bool     // Create: the file has a byte order mark before the text
	Mode    uint32   // Create: permission bits, 0 for the default; without Restore only [NewMode] of them counts
	Restore bool     // Create: undoes a deletion: the file comes back as it was, with its mode, saved; Delete: undoes a creation
	Folders []string // Delete, Rename: folders to remove too if they are empty then, the innermost first
}

// NewMode returns the permission bits of a new file for which mode was asked: 0755 if mode lets
// anyone run the file, else 0644. The umask of the user takes away from them. Who writes a patch
// or a plan decides whether a file is a program, never who else may read or write it.
func NewMode(mode uint32) uint32 {
	if mode&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// Status is the result of a Change.
type Status uint8

const (
	// Done means that the change was made and seen in the text.
	Done Status = iota
	// Refused means that the change was not made.
	Refused
	// Unknown means that the editor did not answer in time. Redline sends nothing more
	// for the file; its text will show the result.
	Unknown
	// Unverified means that neither the editor nor the disk shows whether the
	// change was made.
	Unverified
	// Half means that the change failed, but a part of it is in the file and could not be
	// reverted: Reason says what is where.
	Half
)

// Applied is the result of a Change, with the text that shows it.
type Applied struct {
	Path     string
	Status   Status
	Reason   string    // one sentence for the user when Status is not Done
	Landings []Landing // the result of each edit, when the text was seen
	Move     Landing   // Rename, in a review: the result of the move
	Text     string    // the text afterwards, when it was seen
}

// Landing is the answer to whether an edit that was sent to an editor is in the text.
type Landing uint8

const (
	// Unclear means that the text does not show it: the user has changed it too.
	Unclear Landing = iota
	// Landed means that the edit is in the text.
	Landed
	// Absent means that the text is as it was before the edit.
	Absent
)
