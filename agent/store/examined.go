package store

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"redline/internal/smallfile"
)

// ExaminedName is the name of the file, beside the database, that says in which state the database
// was found undamaged.
const ExaminedName = FileName + ".examined"

// examineAgain is the time after which a database is examined though nothing has changed it: a
// disk can lose what nobody writes.
const examineAgain = 24 * time.Hour

// examined tells a session that the database is as the last one left it, so that it need not be
// examined again: that takes longer than all else that a short session does with it. Without the
// file, or on a system that does not say when a file was changed, the database is examined each
// time.
type examined struct {
	path string    // of the file
	at   time.Time // when the database was examined; zero if it was not, or not to its end
	was  string    // its state by then or when it was closed last, as in the file
}

// skips reports whether the database has the state that the file names, and was examined not long
// ago.
func (e *examined) skips(database string, version int) bool {
	now := stateOf(database, version)
	text, err := smallfile.Read(e.path, 1<<10)
	state, at, ok := strings.Cut(strings.TrimSuffix(text, "\n"), " at ")
	if now == "" || err != nil || !ok || state != now {
		return false
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); err != nil || age < 0 || age > examineAgain {
		return false
	}
	e.at, e.was = time.Unix(seconds, 0), now
	return true
}

// keep notes the state of a database that was just closed. It is only worth something if the
// database was examined when it was opened: SQLite does not damage it.
func (e *examined) keep(database string, version int) {
	if e.at.IsZero() {
		return
	}
	if now := stateOf(database, version); now != "" && now != e.was {
		_ = os.WriteFile(e.path, fmt.Appendf(nil, "%s at %d\n", now, e.at.Unix()), 0o600) // a damaged file names no state
	}
}

// stateOf describes a closed database of a version, by what no program can give to another file. It
// returns "" if a process has the database open or was killed with it, and if the system cannot
// tell.
func stateOf(database string, version int) string {
	info, err := os.Stat(database)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return ""
	}
	changed, inode := changeOf(info)
	for _, log := range []string{"-wal", "-journal", "-shm"} {
		if _, err := os.Lstat(database + log); !os.IsNotExist(err) {
			return ""
		}
	}
	if changed == 0 {
		return ""
	}
	return fmt.Sprintf("version %d, %d bytes, inode %d, written %d, changed %d", version, info.Size(), inode, info.ModTime().UnixNano(), changed)
}
