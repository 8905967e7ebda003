//go:build amd64 || arm64

package runner

import (
	"bytes"
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
	errInPlace    = errors.New("a link, a folder or something else is in its place")
	errOthers     = errors.New("it belongs to another user")
	errExecutable = errors.New("it can be executed")
)

// writeBack writes a file of the state back to the host, or returns why not. The file is whole at any
// moment: as it was, or as it will be. No link is followed.
func (s *state) writeBack(e world.Entry) error {
	name := string(e.Path)
	switch {
	case e.Kind == world.GoneEntry:
		return errors.New("it was removed in the copy, which removes nothing outside")
	case e.Kind != world.FileEntry && e.Problem == "":
		return errors.New("it is no ordinary file in the copy")
	case !slices.ContainsFunc(s.keep, func(k string) bool { return isIn(name, k) }):
		return errors.New("nobody asked for it")
	case !utf8.ValidString(name) || filepath.Clean(name) != name:
		return errors.New("its name is unusual")
	case e.Problem != "":
		return errors.New(e.Problem)
	}
	if err := world.MayKeep(name, s.real); err != nil {
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

// folder opens a folder below the home folder. With create set, it makes those that are missing.
func (s *state) folder(rel string, create bool) (*os.File, error) {
	at, err := unix.Dup(int(s.home.Fd()))
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(at)
	for _, part := range strings.Split(rel, "/") {
		if part == "." {
			break
		}
		next, err := openBeneath(at, part)
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
	defer func() { _ = unix.Unlinkat(at, temp, 0) }() // it may have become the file
	if err := writeAt(at, temp, content, mode); err != nil {
		return fmt.Errorf("it cannot be written: %w", err)
	}
	if err := s.exchange(at, temp, base, was, had); err != nil {
		return err
	}
	_ = dir.Sync() // otherwise a crash of the system may bring the old text back, whole
	return nil
}

// exchange puts a new file in the place of one that is as it was, or of none.
func (s *state) exchange(at int, temp, base string, was hostFile, had bool) error {
	if !had {
		err := unix.Renameat2(at, temp, at, base, unix.RENAME_NOREPLACE)
		if err == unix.EINVAL || err == unix.ENOSYS { // a file system without it
			err = unix.Linkat(at, temp, at, base, 0)
		}
		if err == unix.EEXIST {
			return errMeanwhile
		}
		return err
	}
	if err := asBefore(at, base, was, had); err != nil {
		return err
	}
	err := unix.Renameat2(at, temp, at, base, unix.RENAME_EXCHANGE)
	if err == unix.EINVAL || err == unix.ENOSYS {
		return unix.Renameat(at, temp, at, base)
	}
	if err != nil {
		return err
	}
	var old unix.Stat_t // another process may have put a new file there since asBefore looked
	if err := unix.Fstatat(at, temp, &old, unix.AT_SYMLINK_NOFOLLOW); err != nil || old.Ino != was.stat.Ino || old.Size != was.stat.Size || old.Mtim.Nano() != was.stat.Mtim.Nano() {
		if err := unix.Renameat2(at, temp, at, base, unix.RENAME_EXCHANGE); err != nil {
			return err
		}
		return errMeanwhile
	}
	return nil
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
