// Package warm keeps the folder that cargo builds in, target, from one trial to the next, where a
// workspace has none of its own or too old a one. A trial throws away what it writes, so each one
// would build all again.
//
// The folder is in the state directory. It belongs to one world at a time: another trial gets none.
//
// Cargo compares times: it builds a file again if the file is newer than what was built from it. But
// the files of a trial come and go. An edit that is rejected leaves a file with its old time and
// something newer that was built from the edit, and cargo would take that for the file's. So each
// file whose text is not that of the folder's last run gets a new time, and keeps it for as long as
// the folder lives and the text stays. Where a file is gone, or a link leads elsewhere, the folder
// starts again; where a file is new, all sources count as new, since a macro may have listed a folder.
//
// What the command itself writes outside the folder is gone with its world. It may be what a build
// script makes, which cargo would not run again, so such a folder does not stay. Nor does one in which
// something is left among what is built that cargo has not made: the next run of a test would find it.
//
// Only cargo's is kept. Make knows only what its rules name, and many leave out headers or flags;
// other tools have caches by content, or build again in any case.
package warm

import (
	"path/filepath"
	"time"

	"redline/workspace/world"
)

// Folder is the name of the folder in the state directory.
const Folder = "warm"

// Idle is how long a folder stays that no trial uses.
const Idle = 7 * 24 * time.Hour

// Keeper keeps the folders of a state directory.
type Keeper struct {
	dir string
	now func() time.Time
}

// In returns the keeper of a state directory, nil for "". It creates nothing yet.
func In(stateDir string) *Keeper {
	if stateDir == "" {
		return nil
	}
	return &Keeper{filepath.Join(stateDir, Folder), time.Now}
}

// Build is a command that builds, and the files that it is to see. All names are absolute and lead
// through no links.
type Build struct {
	Target  string         // the folder that it builds in
	Folders []string       // the folders of the workspace
	Changes []world.Change // the files that differ from those on disk
	Hidden  []string       // what it does not see
	Most    int64          // the largest size of the folder, in bytes
	Slow    bool           // it is known to take long although the workspace has a Target
}

// End is how a command has ended.
type End struct {
	Known   bool     // it is known which files it has written
	Written []string // files outside the folder that it has written or removed
	Cut     bool     // it has run out of time
	Full    bool     // it has written too much
}
