package web

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
)

// Door writes a small page, into a file that only the user can read, which leads a browser to the
// page with the key. An address with the key among a browser's arguments could be read by everybody
// on the machine. remove deletes the file; call it when the review ends.
func (s *Server) Door() (file string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "redline-review-") // of mode 0700
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
