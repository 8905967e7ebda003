package warm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"redline/internal/lazyregexp"
)

// ofCargo matches the names of what cargo and the compiler make for the units of a build: with the hash
// of a unit, or where a library's name may have none; and what a compiler leaves that was stopped.
var ofCargo = lazyregexp.New(`-[0-9a-f]{16}(?:\.|$)|\.d$|^lib.*\.(?:so|a|rlib|rmeta)$|^rmeta\w{6}$|\.temp-archive$`)

// left returns the files and folders in the folder of cargo that cargo has not made, each with what
// changes when it is written: what tests have put beside their program, or into the folder of a build
// script. The next run would find it, which a build from nothing does not.
func left(dir string) map[string]string {
	found := map[string]string{}
	note := func(name string, info fs.FileInfo) {
		changed := info.Sys().(*syscall.Stat_t).Ctim
		found[name] = fmt.Sprint(info.ModTime().UnixNano(), changed.Sec, changed.Nsec, info.Size())
		if info.IsDir() {
			found[name] = "" // what is in it counts
		}
	}
	for _, pattern := range []string{"/*/.fingerprint", "/*/*/.fingerprint"} {
		profiles, _ := filepath.Glob(escaped(dir) + pattern)
		for _, profile := range profiles {
			profile = filepath.Dir(profile)
			for _, part := range []string{"", "deps", "examples"} {
				others(filepath.Join(profile, part), part == "", note)
			}
			scripts, _ := filepath.Glob(escaped(profile) + "/build/*/out")
			for _, out := range scripts {
				after := scriptEnded(filepath.Dir(out))
				all(out, func(name string, info fs.FileInfo) {
					if !after.IsZero() && info.ModTime().After(after) {
						note(name, info)
					}
				})
			}
		}
	}
	return found
}

// others calls note for all that cargo has not made in a folder of a profile; top says that it is the
// profile's own.
func others(dir string, top bool, note func(string, fs.FileInfo)) {
	entries, _ := os.ReadDir(dir) //nolint:errcheck // not each profile has all
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		second := e.Type().IsRegular() && info.Sys().(*syscall.Stat_t).Nlink > 1 // the plain name of a program or library
		switch name := e.Name(); {
		case second, ofCargo().MatchString(name):
		case top && e.IsDir() && (name == "deps" || name == "examples" || name == "build" || name == "incremental" || name == ".fingerprint"):
		case top && strings.HasPrefix(name, ".cargo-"):
		default:
			all(filepath.Join(dir, name), note)
		}
	}
}

// all calls note for a file, or a folder and all in it.
func all(name string, note func(string, fs.FileInfo)) {
	_ = filepath.WalkDir(name, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone, or nobody can read it
		}
		if info, err := e.Info(); err == nil {
			note(name, info)
		}
		return nil
	})
}

// scriptEnded returns when a build script has ended, by its folder; the zero time if it has not: cargo
// runs it again then.
func scriptEnded(dir string) (at time.Time) {
	for _, name := range []string{"output", "root-output", "stderr"} {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil && info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	if begun, err := os.Lstat(filepath.Join(dir, "invoked.timestamp")); err != nil || begun.ModTime().After(at) {
		return time.Time{}
	}
	return at
}

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
