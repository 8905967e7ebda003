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

// Secret reports whether the model may see path only if the user names it: because of its
// name (.env files, private keys, credentials), because .redline/ignore names it, because
// it is a link to such a file, or because its text, in the editor or else on disk, holds a
// private key or a token.
func (w *Workspace) Secret(path string) bool {
	if w.SecretByName(path) {
		return true
	}
	r, rel, err := w.locate(path)
	if err != nil {
		return false
	}
	_, real, err := w.resolve(path)
	if b, open := w.Buffer(path); open {
		return secrets.Text(rel, b.Lines.Text())
	}
	if err != nil {
		return false
	}
	data, _, err := r.readRegular(path, real, w.LimitOf(path))
	if err != nil {
		return false
	}
	if is, why := w.decode(path, data); why == "" {
		return secrets.Text(rel, is.text)
	}
	return secrets.Text(rel, string(data))
}

// SecretByName is [Workspace.Secret] without a look at the text. The file need not exist.
func (w *Workspace) SecretByName(path string) bool {
	r, rel, err := w.locate(path)
	if err != nil {
		return false
	}
	named := r.named()
	if secretPath(named, rel) {
		return true
	}
	_, real, err := w.resolve(path)
	return err == nil && real != rel && secretPath(named, real)
}

// secretPath reports whether rel or a folder above it is secret by name.
func secretPath(named []pattern, rel string) bool {
	for i := range len(rel) {
		if rel[i] == '/' {
			if secret, _ := decide(named, rel[:i], true); secret || secrets.Name(rel[:i], true) {
				return true
			}
		}
	}
	secret, _ := decide(named, rel, false)
	return secret || secrets.Name(rel, false)
}

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
