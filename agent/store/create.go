package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// makeFile creates the directory and the database, which only the user can read, since plans hold
// the user's texts. SQLite gives its other files the same mode.
//
// A new database is made under another name, and gets its own when it is complete: a process that
// is killed meanwhile leaves nothing half, and there is nothing to lose yet, so SQLite need not wait
// for the disk at each step, as it would in place. Where the file system has no hard links, or an
// empty file is there, makeFile leaves the rest to migrate.
func (d *database) makeFile(ctx context.Context) error {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(d.path); errors.Is(err, fs.ErrNotExist) {
		if err := d.makeWhole(ctx); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(d.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// newName begins the names of databases that are being made, or were when their process was
// killed.
const newName = FileName + ".new-"

// makeWhole makes a complete new database, unless another process is faster. The name is on disk
// when SQLite has stored anything in the database, since its log is in the same folder.
func (d *database) makeWhole(ctx context.Context) error {
	removeUnfinished(d.dir)
	f, err := os.CreateTemp(d.dir, newName+"*") // of mode 0600
	if err != nil {
		return err
	}
	f.Close()
	made := f.Name()
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(made + suffix)
		}
	}()
	if err := d.fill(ctx, made); err != nil {
		return err
	}
	if err := syncFile(made); err != nil {
		return err
	}
	if err := os.Link(made, d.path); err == nil {
		d.examined.at = time.Now() // there is nothing to find
	}
	return nil
}

// fill makes an empty file a database of the present version, complete without a log.
func (d *database) fill(ctx context.Context, name string) error {
	scripts, err := migrations()
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn(name, d.vfs))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1) // the pragmas are of one connection
	_, err = db.ExecContext(ctx, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA auto_vacuum = INCREMENTAL")
	if err == nil {
		err = d.apply(ctx, db, scripts)
	}
	if err == nil {
		err = useWAL(ctx, db)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	if info, err := os.Lstat(name + "-wal"); err == nil && info.Size() > 0 { // SQLite does not say that it could not move it
		return errors.New("the log of a new database could not be emptied")
	}
	return nil
}

// syncFile waits until a file is on disk.
func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeUnfinished removes what killed processes have left of new databases.
func removeUnfinished(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read stays
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), newName) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
