//go:build amd64 || arm64

package world

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// packing lists the files of a workspace to copy, folders before their content.
type packing []packed

type packed struct {
	name string
	info fs.FileInfo
	to   string // target of a link
}

// maxPacked is how many files are copied at most.
const maxPacked = 500_000

// pack lists the files to copy from the folders of w. It leaves out hidden files,
// sockets, FIFOs and devices. The error is a part of a sentence.
func pack(w World) (all packing, err error) {
	hidden := map[string]bool{}
	for _, name := range w.Hidden {
		hidden[name] = true
	}
	room := w.Disk
	for _, dir := range outermost(w.Folders) {
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if hidden[name] {
				if e != nil && e.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
			if err != nil {
				return nil // it was removed, or this user cannot read it
			}
			f := packed{name: name}
			if f.info, err = e.Info(); err != nil {
				return nil //nolint:nilerr // it is gone
			}
			switch {
			case f.info.Mode().IsRegular():
				room -= f.info.Size()
			case f.info.Mode()&fs.ModeSymlink != 0:
				if f.to, err = os.Readlink(name); err != nil {
					return nil //nolint:nilerr // it is gone
				}
			case !f.info.IsDir():
				return nil
			}
			all = append(all, f)
			if room < 0 {
				return fmt.Errorf("the workspace, with what version control ignores, has more than %d MiB, and bwrap needs a copy of it in memory: raise trials.disk_mb", w.Disk>>20)
			}
			if len(all) > maxPacked {
				return fmt.Errorf("the workspace has more than %d files, and bwrap needs a copy of it", maxPacked)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Bounds of the copy of a state. The newest files come first.
const (
	maxStateFiles = 20_000
	maxStateBytes = 256 << 20
)

// packState lists the files to copy of the state of w, like pack. It returns how many others there are.
func packState(w World) (all packing, left int) {
	hidden := map[string]bool{}
	for _, name := range slices.Concat(w.Hidden, w.Folders) {
		hidden[name] = true
	}
	var files packing
	for _, name := range outermost(w.State.Paths) {
		_ = filepath.WalkDir(name, func(name string, e fs.DirEntry, err error) error {
			if hidden[name] && e != nil && e.IsDir() {
				return filepath.SkipDir
			}
			if err != nil || hidden[name] {
				return nil //nolint:nilerr // it was removed, or this user cannot read it
			}
			f := packed{name: name}
			if f.info, err = e.Info(); err != nil {
				return nil //nolint:nilerr // it is gone
			}
			switch {
			case f.info.IsDir():
				all = append(all, f)
			case f.info.Mode().IsRegular():
				files = append(files, f)
			case f.info.Mode()&fs.ModeSymlink != 0:
				if f.to, err = os.Readlink(name); err == nil {
					files = append(files, f)
				}
			}
			return nil
		})
	}
	slices.SortStableFunc(files, func(a, b packed) int { return b.info.ModTime().Compare(a.info.ModTime()) })
	room, n := min(maxStateBytes, w.Disk/2), 0
	for _, f := range files {
		if n >= maxStateFiles || f.info.Size() > room {
			left++
			continue
		}
		room, n = room-f.info.Size(), n+1
		all = append(all, f)
	}
	return all, left
}

// Send sends the copy of the workspace to the helper that has called [EnterCopy]. An
// error means that the helper has exited.
func (l *Launcher) Send(to io.Writer) error {
	buffered := bufio.NewWriterSize(to, 256<<10)
	w := tar.NewWriter(buffered)
	for _, f := range l.copy {
		if err := f.send(w); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), buffered.Flush())
}

func (f packed) send(w *tar.Writer) error {
	header, err := tar.FileInfoHeader(f.info, f.to)
	if err != nil {
		return err
	}
	header.Name, header.Format = f.name, tar.FormatPAX // keep the full precision of the time
	header.Uid, header.Gid, header.Uname, header.Gname = 0, 0, "", ""
	header.AccessTime, header.ChangeTime = time.Time{}, time.Time{}
	if !f.info.Mode().IsRegular() {
		return w.WriteHeader(header)
	}
	file, err := openRegular(f.name)
	if err != nil {
		return nil //nolint:nilerr // it is gone, or this user cannot read it
	}
	defer file.Close()
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	n, err := io.Copy(w, io.LimitReader(file, header.Size))
	if err == nil && n < header.Size { // the file has become shorter
		_, err = io.CopyN(w, zeros{}, header.Size-n)
	}
	return err
}

// openRegular opens a file if it is still a regular file: a FIFO would block.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, errors.New("it is no file any more"))
	}
	return f, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// unpack creates the files that [Launcher.Send] sends. It calls change while all folders
// are still writable.
func unpack(from io.Reader, change func() error) error {
	r := tar.NewReader(bufio.NewReaderSize(from, 256<<10))
	var folders []*tar.Header
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			if err := os.Mkdir(h.Name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			folders = append(folders, h)
		case tar.TypeSymlink:
			times := []unix.Timespec{unix.NsecToTimespec(h.ModTime.UnixNano()), unix.NsecToTimespec(h.ModTime.UnixNano())}
			err = errors.Join(os.Symlink(h.Linkname, h.Name), unix.UtimesNanoAt(unix.AT_FDCWD, h.Name, times, unix.AT_SYMLINK_NOFOLLOW))
		default:
			err = unpackFile(h, r)
		}
		if err != nil {
			return err
		}
	}
	if err := change(); err != nil {
		return err
	}
	for i := len(folders) - 1; i >= 0; i-- { // creating files in a folder changes the folder's time
		if err := finish(folders[i]); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(h *tar.Header, r io.Reader) error {
	f, err := os.OpenFile(h.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return finish(h)
}

// finish sets the permissions and the time of a file or folder.
func finish(h *tar.Header) error {
	return errors.Join(os.Chmod(h.Name, fs.FileMode(h.Mode).Perm()), os.Chtimes(h.Name, h.ModTime, h.ModTime))
}
