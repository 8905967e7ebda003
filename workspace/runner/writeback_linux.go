//go:build amd64 || arm64

package runner

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"redline/workspace/leftover"
	"redline/workspace/world"
)

// Reasons why a file is not written back.
var (
	errSame       = errors.New("it is as it was")
	errMeanwhile  = errors.New("it changed outside of the copy meanwhile")
	errFolderGone = errors.New("its folder was removed outside of the copy meanwhile")
	errInPlace    = errors.New("a link, a folder or something else is in its place")
	errOthers     = errors.New("it belongs to another user")
	errExecutable = errors.New("it can be executed")
)

// writeBack writes a file of the state back to the host, or returns why not. The file is whole at any
// moment: as it was, or as it will be. No link is followed.
func (s *state) writeBack(e world.Entry) error {
	name := string(e.Path)
	in := func(kept string) bool { return isIn(name, kept) }
	switch {
	case e.Kind == world.GoneEntry:
		return errors.New("it was removed in the copy, which removes nothing outside")
	case e.Kind != world.FileEntry && e.Problem == "":
		return errors.New("it is no ordinary file in the copy")
	case !slices.ContainsFunc(s.keep, in):
		return errors.New("nobody asked for it")
	case !utf8.ValidString(name) || filepath.Clean(name) != name:
		return errors.New("its name is unusual")
	case e.Problem != "":
		return errors.New(e.Problem)
	}
	kept := s.keep[slices.IndexFunc(s.keep, in)]
	if slices.Contains(s.keep, name) {
		kept = name
	}
	if err := world.MayKeepIn(name, kept, s.real); err != nil {
		return err
	}
	switch {
	case e.Mode&0o111 != 0, bytes.HasPrefix(e.Text, []byte("#!")), bytes.HasPrefix(e.Text, []byte("\x7fELF")):
		return errExecutable
	case int64(len(e.Text)) != e.Size:
		return errors.New("it could not be read")
	case strings.HasSuffix(strings.ToLower(name), ".json") && !json.Valid(e.Text):
		return errors.New("it is no whole JSON")
	}
	rel, err := filepath.Rel(s.real, name)
	if err != nil {
		return err
	}
	was, had := s.before[name]
	dir, err := s.folder(filepath.Dir(rel), !had)
	if err != nil {
		return err
	}
	defer dir.Close()
	return s.replace(dir, filepath.Base(rel), e.Text, was, had)
}

// folder opens a folder below the home folder. With create set, it makes those that are missing, and were at
// the start.
func (s *state) folder(rel string, create bool) (*os.File, error) {
	at, err := unix.Dup(int(s.home.Fd()))
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(at)
	opened := ""
	for _, part := range strings.Split(rel, "/") {
		if part == "." {
			break
		}
		next, err := openBeneath(at, part)
		if opened = filepath.Join(opened, part); err == unix.ENOENT && s.folders[filepath.Join(s.real, opened)] {
			unix.Close(at)
			return nil, errFolderGone
		}
		if err == unix.ENOENT && create {
			if err = unix.Mkdirat(at, part, 0o700); err == nil || err == unix.EEXIST {
				next, err = openBeneath(at, part)
			}
		}
		unix.Close(at)
		switch {
		case err == unix.ENOENT:
			return nil, errMeanwhile
		case err == unix.ELOOP || err == unix.ENOTDIR:
			return nil, errInPlace
		case err != nil:
			return nil, fmt.Errorf("its folder cannot be opened: %w", err)
		}
		at = next
	}
	return os.NewFile(uintptr(at), rel), nil
}

func openBeneath(at int, part string) (int, error) {
	return unix.Openat2(at, part, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
}

// replace gives a file in a folder a new text, if it is as it was at the start.
func (s *state) replace(dir *os.File, base string, content []byte, was hostFile, had bool) error {
	at := int(dir.Fd())
	if err := asBefore(at, base, was, had); err != nil {
		return err
	}
	mode := uint32(0o600)
	if had {
		switch mode = was.stat.Mode & 0o777; {
		case mode&0o111 != 0:
			return errExecutable
		case int64(was.stat.Uid) != int64(os.Geteuid()):
			return errOthers
		}
		if now, err := openAt(at, base); err == nil {
			same := was.stat.Size == int64(len(content)) && hashOfOpen(now) == sha256.Sum256(content)
			now.Close()
			if same {
				return errSame
			}
		}
	}
	temp := leftover.Name(leftover.File)
	forget := s.leftOver.Note(filepath.Join(s.real, dir.Name(), temp))
	defer forget()
	if err := writeAt(at, temp, content, mode); err != nil {
		_ = unix.Unlinkat(at, temp, 0)
		return fmt.Errorf("it cannot be written: %w", err)
	}
	open, err := openAt(at, temp) // no other file gets its inode
	if err != nil {
		return err
	}
	defer open.Close()
	var own unix.Stat_t
	if err := unix.Fstat(int(open.Fd()), &own); err != nil {
		return err
	}
	old, err := exchange(at, temp, base, was, had)
	if kept := removeOf(at, temp, own.Ino, old); kept != nil {
		return kept
	}
	if err != nil {
		return err
	}
	_ = dir.Sync() // otherwise a crash of the system may bring the old text back, whole
	return nil
}

// removeOf removes a temporary name if it has one of these files. Anything else has come there from the place
// of the file, by another program, at the same moment: it is left and named.
func removeOf(at int, temp string, files ...uint64) error {
	var now unix.Stat_t
	switch err := unix.Fstatat(at, temp, &now, unix.AT_SYMLINK_NOFOLLOW); {
	case err == unix.ENOENT: // it has become the file
		return nil
	case err == nil && slices.Contains(files, now.Ino):
		return unix.Unlinkat(at, temp, 0)
	}
	return fmt.Errorf("%w, several times: what another program wrote there is in %s beside it", errMeanwhile, temp)
}

// exchange puts a new file in the place of one that is as it was, or of none. It returns the file that was
// there, and that the temporary name has now, 0 for none.
func exchange(at int, temp, base string, was hostFile, had bool) (old uint64, err error) {
	if !had {
		err := unix.Renameat2(at, temp, at, base, unix.RENAME_NOREPLACE)
		if err == unix.EINVAL || err == unix.ENOSYS { // a file system without it
			err = unix.Linkat(at, temp, at, base, 0)
		}
		if err == unix.EEXIST {
			return 0, errMeanwhile
		}
		return 0, err
	}
	if err := asBefore(at, base, was, had); err != nil {
		return 0, err
	}
	switch err := unix.Renameat2(at, temp, at, base, unix.RENAME_EXCHANGE); err {
	case nil:
	case unix.EINVAL, unix.ENOSYS: // a plain rename would overwrite what was written since asBefore looked
		return 0, errors.New("its file system cannot exchange two files in one step")
	default:
		return 0, err
	}
	if err := afterExchange(at, temp, base, was); err != nil {
		return 0, err
	}
	return was.stat.Ino, nil
}

// afterExchange gives a file back its place if it is not the one that was to be exchanged: another program may
// have put it there since asBefore looked.
func afterExchange(at int, temp, base string, was hostFile) error {
	var old unix.Stat_t
	err := unix.Fstatat(at, temp, &old, unix.AT_SYMLINK_NOFOLLOW)
	same := err == nil && old.Ino == was.stat.Ino && old.Size == was.stat.Size && old.Mtim.Nano() == was.stat.Mtim.Nano()
	if same && was.hashed { // the clock of a file system ticks slowly
		f, err := openAt(at, temp)
		if same = err == nil; same {
			same = hashOfOpen(f) == was.hash
			f.Close()
		}
	}
	if same {
		return nil
	}
	err = unix.Renameat2(at, temp, at, base, unix.RENAME_EXCHANGE)
	if err == unix.ENOENT { // what was written here has been removed meanwhile
		err = unix.Renameat2(at, temp, at, base, unix.RENAME_NOREPLACE)
	}
	return cmp.Or(err, errMeanwhile)
}

// asBefore returns an error unless a name has the file that it had at the start, or none both times.
func asBefore(at int, base string, was hostFile, had bool) error {
	var now unix.Stat_t
	err := unix.Fstatat(at, base, &now, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err == unix.ENOENT && !had:
		return nil
	case err != nil && err != unix.ENOENT:
		return err
	case err == nil && now.Mode&unix.S_IFMT != unix.S_IFREG:
		return errInPlace
	case err != nil || !had:
		return errMeanwhile
	case now.Ino != was.stat.Ino || now.Dev != was.stat.Dev || now.Mode != was.stat.Mode || now.Size != was.stat.Size,
		now.Mtim.Nano() != was.stat.Mtim.Nano(), now.Ctim.Nano() != was.stat.Ctim.Nano():
		return errMeanwhile
	case was.hashed:
		f, err := openAt(at, base)
		if err != nil {
			return err
		}
		defer f.Close()
		if hashOfOpen(f) != was.hash {
			return errMeanwhile
		}
	}
	return nil
}

func openAt(at int, base string) (*os.File, error) {
	fd, err := unix.Openat(at, base, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), base), nil
}

func hashOfOpen(f *os.File) (hash [sha256.Size]byte) {
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, world.MaxKeptBytes+1)); err != nil {
		return hash
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// writeAt makes a file with a text and permissions, which must not exist, and waits for the disk.
func writeAt(at int, name string, content []byte, mode uint32) error {
	fd, err := unix.Openat(at, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(content)
	return errors.Join(err, f.Chmod(os.FileMode(mode)), f.Sync(), f.Close())
}
