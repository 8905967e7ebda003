//go:build amd64 || arm64

package world

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// profiles are the files of the home folder that login shells read after those of the system.
var profiles = []string{".profile", ".zprofile"}

// keepPath has login shells in the world keep PATH, which /etc/profile sets anew: agents run commands in
// such shells, which would not find the user's own tools. Nothing of the user's is in the home folder by
// then but what the world shows; a file of his own stays. If a folder of the workspace holds the home folder,
// nothing is written.
func keepPath(w World) error {
	path, ok := os.LookupEnv("PATH")
	if !ok || w.Home == "" || slices.ContainsFunc(w.Folders, func(dir string) bool { return isIn(w.Home, dir) }) {
		return nil
	}
	line := fmt.Sprintf("PATH='%s'\nexport PATH\n", strings.ReplaceAll(path, "'", `'\''`))
	for _, name := range profiles {
		f, err := os.OpenFile(filepath.Join(w.Home, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			_, err = f.WriteString(line)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return fmt.Errorf("its home folder cannot be written: %w", err)
		}
	}
	return nil
}
