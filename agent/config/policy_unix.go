//go:build unix

package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// policyOwner is the user that a policy must belong to.
var policyOwner uint32 // root

// systemFolder returns the folder of this machine's own settings for Redline.
func systemFolder() string {
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/Redline"
	}
	return "/etc/redline"
}

// notTheSystems returns why somebody else than the administrator could have written a policy or
// could replace it, as a part of a sentence; "" if nobody could.
func notTheSystems(path string, info fs.FileInfo) string {
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return withoutPath(err).Error()
	}
	for _, one := range []struct {
		name string
		info fs.FileInfo
	}{{"it", info}, {"its folder", dir}} {
		stat, ok := one.info.Sys().(*syscall.Stat_t)
		if !ok || stat.Uid != policyOwner {
			return fmt.Sprintf("%s does not belong to root", one.name)
		}
		if one.info.Mode().Perm()&0o022 != 0 {
			return fmt.Sprintf("others than root can write %s", map[string]string{"it": "it", "its folder": "to its folder"}[one.name])
		}
	}
	return ""
}
