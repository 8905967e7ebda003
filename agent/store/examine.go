package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"redline/internal/smallfile"
)

// examineFor is how long a database is examined before it is opened; after that the rest is used
// unexamined. It is enough for several hundred megabytes.
const examineFor = 500 * time.Millisecond

// examine checks that the database in the directory is undamaged, Redline's, and of a version
// that this program knows, and writes to none of its files. It must run before the database
// is opened for writing: SQLite writes to a database even when it closes it. A database that
// does not exist yet counts as undamaged. It returns the version of the database, 0 if there
// is none yet, and fails with [ErrDamaged], [ErrNewer], or an error of the disk.
//
// Another process may write meanwhile, so a finding counts only if the files have not
// changed since.
func (d *database) examine(ctx context.Context) (version int, err error) {
	for range 5 {
		before := d.filesNow()
		if version, err = d.examineFiles(ctx, before); err == nil || !errors.Is(err, ErrDamaged) || d.filesNow() == before {
			return version, err
		}
	}
	return version, err
}

// fileNow is the state of a file at one moment.
type fileNow struct {
	exists   bool
	size     int64 // 0 if it does not exist
	modified time.Time
	begins   [walHeader]byte
}

// filesNow is the state of the files of a database at one moment.
type filesNow struct{ wal, journal, db fileNow }

// filesNow returns the present state of the database's files. It reads the write-ahead log
// first: the database exists before its log.
func (d *database) filesNow() (now filesNow) {
	for _, file := range []struct {
		path string
		into *fileNow
	}{{d.path + "-wal", &now.wal}, {d.path + "-journal", &now.journal}, {d.path, &now.db}} {
		if info, err := os.Stat(file.path); err != nil || !info.Mode().IsRegular() { // opening a pipe would wait
			continue
		}
		f, err := os.Open(file.path)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			file.into.exists, file.into.size, file.into.modified = true, info.Size(), info.ModTime()
			_, _ = f.ReadAt(file.into.begins[:], 0) // it may be shorter
		}
		f.Close()
	}
	return now
}

func (d *database) examineFiles(ctx context.Context, now filesNow) (version int, err error) {
	for _, suffix := range []string{"", "-wal", "-journal", "-shm"} {
		if info, err := os.Stat(d.path + suffix); err == nil && !info.Mode().IsRegular() && !info.IsDir() { // SQLite opens no folder
			return 0, d.leftAlone(filepath.Base(d.path)+suffix+" is no file", nil)
		}
	}
	switch {
	case now.db.size == 0 && now.wal.size > 0:
		return 0, d.leftAlone("it has no content, and its write-ahead log has some", nil)
	case now.db.size == 0 && now.db.exists && d.audited() > 0:
		return 0, d.leftAlone(fmt.Sprintf("it has no content, and audit.head says that it had %d records", d.audited()), nil)
	case now.db.size == 0, now.journal.size > 0: // it is being created, or its creation was interrupted: SQLite recovers
		if now.db.size == 0 && now.journal.size == 0 {
			d.examined.at = time.Now() // there is nothing to find
		}
		return 0, nil
	}
	query := url.Values{"mode": {"ro"}}
	if now.wal.size == 0 {
		query.Set("immutable", "1") // otherwise SQLite would create files for a log
	} else if err := walDamage(d.path); err != nil {
		return 0, d.leftAlone(err.Error(), err)
	}
	if d.vfs != "" {
		query.Set("vfs", d.vfs)
	}
	query.Set("_pragma", fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()))
	db, err := sql.Open("sqlite", fileURI(d.path, query))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	version, err = d.examineContent(ctx, db)
	if known := d.explain(err); errors.Is(known, ErrDamaged) && !errors.Is(known, errLeftAlone) {
		return version, d.leftAlone(plain(err), err)
	}
	return version, d.explain(err)
}

// examineContent has SQLite examine a database that it cannot write to, and returns the
// database's version.
func (d *database) examineContent(ctx context.Context, db *sql.DB) (version int, err error) {
	newest := len(migrations())
	version, err = d.schema(ctx, db, newest)
	if err != nil {
		return version, err
	}
	if version == newest {
		if missing, err := missingTable(ctx, db); err != nil || missing != "" {
			return version, cmp.Or(err, d.leftAlone("it has no table "+missing, nil))
		}
	}
	within, cancel := context.WithTimeout(ctx, d.examineFor)
	defer cancel()
	begun := time.Now()
	var said string
	err = db.QueryRowContext(within, `PRAGMA integrity_check(1)`).Scan(&said)
	switch {
	case err != nil && within.Err() != nil:
		return version, ctx.Err() // nil: it took too long, which is not damage
	case err == nil && said != "ok":
		return version, d.leftAlone(firstFinding(said), nil)
	case err == nil:
		d.examined.at = begun
	}
	return version, err
}

// tables are the tables of a database of the present version.
var tables = []string{
	"plans", "revisions", "texts", "decisions", "executions", "audit", "traces", "questions", "conversations", "exchanges", "reuse",
	"trial_folders", "outside_reach", "destinations", "moved", "handovers", "documents",
}

// missingTable returns the name of a table that a database of the present version lacks, "" if it
// has all.
func missingTable(ctx context.Context, db *sql.DB) (string, error) {
	rows, err := db.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table'`)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	there := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		there[name] = true
	}
	for _, name := range tables {
		if !there[name] {
			return name, rows.Err()
		}
	}
	return "", rows.Err()
}

// audited returns how many records the audit log had, as far as its head says.
func (d *database) audited() int64 {
	head := headFile{path: filepath.Join(d.dir, HeadName)}
	h, err := head.read()
	if err != nil {
		return 0
	}
	return h.Last.Count
}

// Version returns the version of the plan database, 0 if there is none yet, and the version
// that this program writes. It changes no file. A database that is damaged or of a newer
// version is an error, [ErrDamaged] or [ErrNewer].
func (d *database) Version(ctx context.Context) (now, written int, err error) {
	now, err = d.examine(ctx)
	return now, len(migrations()), err
}

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

// stateOf describes a closed database of a version, by what no program can give to another file:
// "version 15, 4096 bytes, inode 7, written 1764278400000000000, changed 1764278400000000000". It
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
