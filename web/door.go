package web

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"runtime"
)

// doorFolder makes a folder that only the user can read (mode 0700), where the user's browser can. A
// browser from a snap sees no temporary folder and nothing hidden, but the rest of the home folder; one
// from a flatpak may see no more than the folder for downloads.
func doorFolder() (string, error) {
	if runtime.GOOS == "linux" {
		home, _ := os.UserHomeDir()
		for _, parent := range []string{os.Getenv("XDG_DOWNLOAD_DIR"), filepath.Join(home, "Downloads"), home} {
			if !filepath.IsAbs(parent) {
				continue
			}
			if dir, err := os.MkdirTemp(parent, "redline-review-"); err == nil {
				return dir, nil
			}
		}
	}
	return os.MkdirTemp("", "redline-review-")
}

// Door writes a small page, into a file that only the user can read, which leads a browser to the
// page with the key. An address with the key among a browser's arguments could be read by everybody
// on the machine. remove deletes the file; call it when the review ends.
func (s *Server) Door() (file string, remove func(), err error) {
	dir, err := doorFolder()
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
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
