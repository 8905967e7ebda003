package warm

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// copyTree copies a folder with the times of its files, without hidden files and what is no file. It
// fails if there are more than most bytes.
func copyTree(ctx context.Context, from, to string, hidden []string, most int64) error {
	skip := map[string]bool{}
	for _, name := range hidden {
		skip[name] = true
	}
	linked := map[uint64]string{} // files with several names, by inode number
	folders := map[string]fs.FileInfo{}
	err := filepath.WalkDir(from, func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if skip[name] {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			folders[at] = info
			return os.Mkdir(at, 0o700)
		case e.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(target, at)
		case !e.Type().IsRegular():
			return nil
		}
		stat := info.Sys().(*syscall.Stat_t)
		if first, ok := linked[stat.Ino]; ok {
			return os.Link(first, at)
		}
		if most -= info.Size(); most < 0 {
			return errors.New("it is too large")
		}
		if stat.Nlink > 1 {
			linked[stat.Ino] = at
		}
		return copyFile(name, at, info)
	})
	for at, info := range folders {
		err = errors.Join(err, os.Chmod(at, info.Mode().Perm()), os.Chtimes(at, info.ModTime(), info.ModTime()))
	}
	return err
}

func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chmod(to, info.Mode().Perm()), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// newest returns when cargo last built in a folder, the zero time if there is none: each build changes
// the folders in those of its profiles.
func newest(dir string) (at time.Time) {
	for _, pattern := range []string{"", "/*", "/*/*"} {
		names, _ := filepath.Glob(escaped(dir) + pattern)
		for _, name := range names {
			if info, err := os.Lstat(name); err == nil && info.IsDir() && info.ModTime().After(at) {
				at = info.ModTime()
			}
		}
	}
	return at
}
