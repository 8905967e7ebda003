package workspace

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"redline/workspace/secrets"
)

// isHashed reports whether a folder is named by the first two digits of hashes.
func isHashed(name string) bool {
	return len(name) == 2 && slices.IndexFunc([]byte(name), func(c byte) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') }) < 0
}

// packages are the names of folders with published packages.
var packages = []string{"node_modules", "site-packages", "dist-packages", "vendor"}

// inPackages reports whether a slash-separated path is in such a folder.
func inPackages(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if slices.Contains(packages, part) {
			return true
		}
	}
	return false
}

// examine reports whether a file is secret by its text.
func (s *secretWalk) examine(name string) bool {
	if s.count.Add(1) > maxExamined {
		return false
	}
	now := stampOf(name)
	file, ok := s.files[name]
	if !ok || now.Differs(file.stamp) {
		file = examined{now, secretText(name, s.limit)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index.files[name] = file
	return file.secret
}

// secretText reports whether the text of a file is secret. A file whose name says so is secret
// unless its text is public.
func secretText(name string, limit int64) bool {
	named := secrets.MayBePublic(name) && secrets.Name(filepath.ToSlash(name), false)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return named
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return named
	}
	defer f.Close()
	const begin = 512
	data := make([]byte, begin, max(begin, info.Size()))
	n, err := io.ReadFull(f, data)
	data = data[:n]
	if bytes.IndexByte(data, 0) >= 0 { // a program or a picture
		return named
	}
	if err == nil {
		rest, err := io.ReadAll(io.LimitReader(f, limit-begin))
		if err != nil {
			return named
		}
		data = append(data, rest...)
	}
	if named {
		return !secrets.Public(data)
	}
	return secrets.Bytes(filepath.ToSlash(name), data)
}
