package warm

import (
	"fmt"
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
