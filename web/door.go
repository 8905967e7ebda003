package web

import (
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"runtime"

	"redline/workspace/leftover"
)

// doorFolder makes a folder that only the user can read (mode 0700), where the user's browser can. A
// browser from a snap sees no temporary folder and nothing hidden, but the rest of the home folder; one
// from a flatpak may see no more than the folder for downloads. The folder is noted in a ledger: the
// next start removes what a killed process leaves.
func doorFolder(left *leftover.Ledger) (dir string, remove func(), err error) {
	var parents []string
	if runtime.GOOS == "linux" {
		home, _ := os.UserHomeDir()
		parents = []string{os.Getenv("XDG_DOWNLOAD_DIR"), filepath.Join(home, "Downloads"), home}
	}
	err = errors.New("the temporary folder has no absolute path")
	for _, parent := range append(parents, os.TempDir()) {
		if !filepath.IsAbs(parent) {
			continue
		}
		dir := filepath.Join(parent, leftover.Name(leftover.Review))
		forget := left.Note(dir)
		if err = os.Mkdir(dir, 0o700); err == nil {
			return dir, func() { os.RemoveAll(dir); forget() }, nil
		}
		forget()
	}
	return "", nil, err
}

// Door writes a small page, into a file that only the user can read, which leads a browser to the
// page with the key. An address with the key among a browser's arguments could be read by everybody
// on the machine. remove deletes the file; call it when the review ends.
func (s *Server) Door() (file string, remove func(), err error) {
	dir, remove, err := doorFolder(s.a.Session.Workspace.Leftovers())
	if err != nil {
		return "", nil, err
	}
	to := html.EscapeString(s.Address() + "#token=" + string(s.key))
	text := fmt.Sprintf(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=%[1]s"><title>Redline</title></head>
<body><p><a href="%[1]s">Review the plan</a></p></body></html>
`, to)
	file = filepath.Join(dir, "review.html")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		remove()
		return "", nil, err
	}
	return file, remove, nil
}
