package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"redline/agent/audit"
	"redline/internal/filelock"
)

// HeadName is the name of the file, beside the database, with the key and the
// head of the audit log. Only the user can read it.
const HeadName = "audit.head"

// lockName is the name of the file that is locked while the head is written.
const lockName = "audit.lock"

// headWait is how long a process waits for another one that writes the head.
const headWait = 2 * time.Second

// headFile is the file with the head of the audit log, twice. It follows the
// database: it is written after a transaction was committed, and only forward.
// If it cannot be, nothing else fails: what it does not have yet, the key
// vouches for, and the next record brings it up to date.
type headFile struct {
	path string
	warn func(string)

	mu        sync.Mutex
	last      *audit.Head // as it was read or made last; nil before that
	unwritten bool        // last was made here, and could not be written so far
	unsynced  bool        // what was written may not be on the disk
	warned    string      // what the user was told since it last went well
}

// read returns what the file has. It fails with [fs.ErrNotExist], or
// [audit.ErrBadHead], or as the file system does.
func (f *headFile) read() (audit.Head, error) {
	h, _, err := f.slots()
	return h, err
}

// slots is read, and where the next head is to be written.
func (f *headFile) slots() (h audit.Head, next int64, err error) {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return h, 0, err
	}
	return audit.DecodeHead(text)
}

// current returns the head that the next record follows. If there is none one
// is made, which says that the log has ended at last so far. It must be called
// in a transaction that writes: so only one process makes one.
func (f *headFile) current(last audit.Link) audit.Head {
	f.mu.Lock()
	defer f.mu.Unlock()
	h, err := f.read()
	switch gone := errors.Is(err, fs.ErrNotExist); {
	case err == nil:
		f.last, f.unwritten = &h, false
	case gone || errors.Is(err, audit.ErrBadHead):
		f.renew(last, gone, err)
	case f.last == nil:
		f.renew(last, false, err)
		f.unwritten = true
	default: // it was read before, and will be again
		f.say("%s cannot be read (%s), so it does not follow the audit log for now", f.path, reasonOf(err))
	}
	return *f.last
}

// renew makes a head where there is none that can be read, because of why. f.mu
// is held.
func (f *headFile) renew(last audit.Link, gone bool, why error) {
	if !f.unwritten {
		h := audit.NewHead(last)
		f.last = &h
		if last.Count > 0 || !gone {
			f.say("the key of the audit log in %s cannot be had (%s), so records up to %d cannot be checked any more: a new key was made", f.path, reasonOf(why), last.Count)
		}
	}
	unlock, err := f.lock()
	if err == nil {
		defer unlock()
		switch {
		case errors.Is(why, audit.ErrBadHead):
			err = os.Rename(f.path, f.path+".damaged") // a person may still make something of it
		case !gone:
			return // it may be readable again, and is not written over
		}
	}
	if err == nil {
		err = f.make(*f.last)
	}
	f.unwritten = err != nil
	if err != nil {
		f.say("%s cannot be written (%s): until it can be, nobody can check the audit log after this program has ended", f.path, reasonOf(err))
	}
}

// advance notes that the log, to which a record was added under the key of h,
// goes up to last, and begins after base.
func (f *headFile) advance(h audit.Head, last, base audit.Link) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.move(h, last, base)
	if err != nil {
		f.say("%s cannot be written (%s): records cut off from the end of the audit log would not be noticed until it can be", f.path, reasonOf(err))
		return err
	}
	f.warned = ""
	return nil
}

func (f *headFile) move(h audit.Head, last, base audit.Link) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	now, next, err := f.slots()
	made := false
	switch {
	case err == nil:
	case f.unwritten && errors.Is(err, fs.ErrNotExist):
		now, made = *f.last, true
	default:
		return err // what to do about it the next record finds out
	}
	if !bytes.Equal(now.Key, h.Key) || now.Last.Count >= last.Count && now.Base.Count >= base.Count {
		return nil // another process was quicker
	}
	if last.Count > now.Last.Count {
		now.Last = last
	}
	if base.Count > now.Base.Count {
		now.Base = base
	}
	f.last = &now
	if made {
		err = f.make(now)
		f.unwritten = err != nil
		return err
	}
	return f.write(now, next)
}

// write puts a head into one of the slots. It is not waited for until it is on
// the disk: that would cost more than the decision, and after a power failure
// the head may well be behind. The key was there before. The lock is held.
func (f *headFile) write(h audit.Head, at int64) error {
	slot, err := h.Encode()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = out.WriteAt(slot, at)
	f.unsynced = true
	return errors.Join(err, out.Close())
}

// make makes the file. It is on the disk, and so is its name, before any record
// has been made with its key. The lock is held.
func (f *headFile) make(h audit.Head) error {
	slot, err := h.Encode()
	if err != nil {
		return err
	}
	next := f.path + ".new"
	out, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(slices.Concat(slot, slot))
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(next, f.path)
	}
	if err != nil {
		os.Remove(next)
		return err
	}
	if dir, err := os.Open(filepath.Dir(f.path)); err == nil {
		_ = dir.Sync() // not every system can
		dir.Close()
	}
	return nil
}

// close has what was written put on the disk.
func (f *headFile) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.unsynced {
		return
	}
	if file, err := os.OpenFile(f.path, os.O_RDWR, 0); err == nil {
		_ = file.Sync() // as after a power failure, if it cannot be
		file.Close()
	}
	f.unsynced = false
}

// lock keeps other processes from writing the head. A process that has stopped
// while it held the lock must not stop this one for long.
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

// say tells the user something, once while it lasts. f.mu is held.
func (f *headFile) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text != f.warned {
		f.warned = text
		f.warn(text)
	}
}

// reasonOf is the reason of a file system's error without the name of the file.
func reasonOf(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}
