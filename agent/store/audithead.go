package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"redline/agent/audit"
	"redline/internal/filelock"
	"redline/internal/guarded"
	"redline/internal/smallfile"
)

// maxHead is how many bytes of a head are read. It has far fewer.
const maxHead = 64 << 10

// HeadName is the name of the file, beside the database, with the key and the
// head of the audit log. Only the user can read it.
const HeadName = "audit.head"

// lockName is the name of the file that is locked while the head is written.
const lockName = "audit.lock"

// headWait is how long a process waits for another one that writes the head.
const headWait = 2 * time.Second

// headFile is the file with the head of the audit log, twice. It follows the database: it is
// written after a transaction was committed, and only forward. If it cannot be written, nothing
// else fails: the key still authenticates the newer records, and the next record updates the
// head.
type headFile struct {
	path string
	warn func(string)

	using guarded.Lock
	known guarded.Value[knownHead]
}

// knownHead is the state of the file as this process knows it.
type knownHead struct {
	last      *audit.Head // as last read or made; nil before that
	unwritten bool        // last was made here and is not written yet
	unsynced  bool        // the file may not be on the disk yet
	warned    string      // the last warning to the user, "" if writing has succeeded since
}

// headWriter gives access to the file while no other goroutine of this process uses it.
type headWriter struct {
	*headFile
	*knownHead
}

// use waits until no other goroutine of this process uses the file. Call done once.
func (f *headFile) use() (w headWriter, done func()) {
	held := f.using.Lock()
	return headWriter{f, f.known.Open(held)}, held.Unlock
}

// read returns the head in the file. It fails with [fs.ErrNotExist], [audit.ErrBadHead], or
// an error of the file system.
func (f *headFile) read() (audit.Head, error) {
	h, _, err := f.slots()
	return h, err
}

// slots does what read does, and also returns the place for the next head.
func (f *headFile) slots() (h audit.Head, next int64, err error) {
	text, err := smallfile.Read(f.path, maxHead)
	if err != nil {
		return h, 0, err
	}
	return audit.DecodeHead([]byte(text))
}

// current returns the head that the next record follows. If there is none, it makes one that
// names last as the end of the log so far. Call it in a transaction that writes, so that only
// one process makes one.
func (f *headFile) current(last audit.Link) audit.Head {
	w, done := f.use()
	defer done()
	h, err := w.read()
	switch gone := errors.Is(err, fs.ErrNotExist); {
	case err == nil:
		w.last, w.unwritten = &h, false
	case gone || errors.Is(err, audit.ErrBadHead):
		w.renew(last, gone, err)
	case w.last == nil:
		w.renew(last, false, err)
		w.unwritten = true
	default: // it was readable before, and will be again
		w.say("%s cannot be read (%s), so it does not follow the audit log for now", w.path, reasonOf(err))
	}
	return *w.last
}

// renew makes a new head because none can be read; why is the reason.
func (w headWriter) renew(last audit.Link, gone bool, why error) {
	if !w.unwritten {
		h := audit.NewHead(last)
		w.last = &h
		if last.Count > 0 || !gone {
			w.say("the key of the audit log in %s cannot be read (%s), so records up to %d cannot be checked any more: a new key was made", w.path, reasonOf(why), last.Count)
		}
	}
	unlock, err := w.lock()
	if err == nil {
		defer unlock()
		switch {
		case errors.Is(why, audit.ErrBadHead):
			err = os.Rename(w.path, w.path+".damaged") // the user may be able to repair it
		case !gone:
			return // it may become readable again, so do not overwrite it
		}
	}
	if err == nil {
		err = w.make(*w.last)
	}
	w.unwritten = err != nil
	if err != nil {
		w.say("%s cannot be written (%s): until it can be, the audit log cannot be checked after this program has ended", w.path, reasonOf(err))
	}
}

// advance records that the log, which got a record under the key of h, now ends at last and
// begins after base.
func (f *headFile) advance(h audit.Head, last, base audit.Link) error {
	w, done := f.use()
	defer done()
	err := w.move(h, last, base)
	if err != nil {
		w.say("%s cannot be written (%s): records cut off from the end of the audit log would not be noticed until it can be", w.path, reasonOf(err))
		return err
	}
	w.warned = ""
	return nil
}

// move writes the change that advance records.
func (w headWriter) move(h audit.Head, last, base audit.Link) error {
	unlock, err := w.lock()
	if err != nil {
		return err
	}
	defer unlock()
	now, next, err := w.slots()
	made := false
	switch {
	case err == nil:
	case w.unwritten && errors.Is(err, fs.ErrNotExist):
		now, made = *w.last, true
	default:
		return err // the next record will retry
	}
	if !bytes.Equal(now.Key, h.Key) || now.Last.Count >= last.Count && now.Base.Count >= base.Count {
		return nil // another process was faster
	}
	if last.Count > now.Last.Count {
		now.Last = last
	}
	if base.Count > now.Base.Count {
		now.Base = base
	}
	w.last = &now
	if made {
		err = w.make(now)
		w.unwritten = err != nil
		return err
	}
	return w.write(now, next)
}

// write puts a head into one of the slots. It does not wait for the disk: that would cost
// more than the decision, and after a power failure the head may be out of date. The key was on
// disk before.
func (w headWriter) write(h audit.Head, at int64) error {
	slot, err := h.Encode()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(w.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.WriteAt(slot, at)
	w.unsynced = true
	return errors.Join(err, out.Close())
}

// make creates the file. The file and its name are on disk before any record is made with its
// key.
func (w headWriter) make(h audit.Head) error {
	slot, err := h.Encode()
	if err != nil {
		return err
	}
	next := w.path + ".new"
	if info, err := os.Lstat(next); err == nil && !info.IsDir() {
		os.Remove(next) // a killed process left it; opening a pipe would wait
	}
	out, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(slices.Concat(slot, slot))
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(next, w.path)
	}
	if err != nil {
		os.Remove(next)
		return err
	}
	if dir, err := os.Open(filepath.Dir(w.path)); err == nil {
		_ = dir.Sync() // not supported on every system
		dir.Close()
	}
	return nil
}

// close waits until the file is on disk.
func (f *headFile) close() {
	w, done := f.use()
	defer done()
	if !w.unsynced {
		return
	}
	if file, err := os.OpenFile(f.path, os.O_RDWR, 0); err == nil {
		_ = file.Sync() // a failure has the effect of a power failure
		file.Close()
	}
	w.unsynced = false
}

// lock keeps other processes from writing the head. It gives up after headWait, since a
// process may have stopped while it held the lock.
func (f *headFile) lock() (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(filepath.Dir(f.path), lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(headWait); !filelock.Try(file); {
		if time.Now().After(deadline) {
			file.Close()
			return nil, fmt.Errorf("another process has held %s for more than %s", file.Name(), headWait)
		}
		time.Sleep(time.Millisecond)
	}
	return func() { file.Close() }, nil
}

// say warns the user, once as long as the reason stays the same.
func (w headWriter) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != w.warned {
		w.warned = text
		w.warn(text)
	}
}

// reasonOf returns the reason of a file system's error without the name of the file.
func reasonOf(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}
