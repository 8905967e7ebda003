package workspace

import (
	"path/filepath"
	"strings"
)

// PathOf returns the path of a file URI inside a workspace folder: of file:///home/me/shop/a%20b.go
// "a b.go", if the folder is /home/me/shop. It handles percent
// escapes, the case of a drive letter, and folders reached through symbolic links. ok is
// false for other schemes and places.
func (rs *rootSet) PathOf(uri string) (string, bool) {
	abs, ok := dirOfURI(uri)
	if !ok {
		return "", false
	}
	return rs.pathOfAbs(abs)
}

// fileOf is PathOf for a document. It is false for a URI that can only be a folder's: one
// that ends in a slash, or that of a workspace folder.
func (rs *rootSet) fileOf(uri string) (string, bool) {
	name, ok := decode(uri, windows)
	if !ok || strings.HasSuffix(name, "/") {
		return "", false
	}
	path, ok := rs.PathOf(uri)
	if !ok {
		return "", false
	}
	if _, rel, err := rs.locate(path); err == nil && rel == "." {
		return "", false
	}
	return path, true
}

// URI returns the URI of path: as the client spelled it if the file is open, since clients
// compare URIs as strings; else the folder's URI, as the client spelled that, and the
// escaped path (RFC 3986). It is "" for a path without a folder.
func (w *Workspace) URI(path string) string {
	if b, ok := w.Buffer(path); ok {
		return b.URI
	}
	r, rel, err := w.locate(path)
	if err != nil {
		return ""
	}
	base := r.URI
	if base == "" {
		base = uriOfDir(r.Dir, windows)
	}
	if rel == "." {
		return base
	}
	return strings.TrimSuffix(base, "/") + "/" + escape(rel)
}

// dirOfURI returns the absolute name of a file URI.
func dirOfURI(uri string) (string, bool) {
	name, ok := decode(uri, windows)
	if !ok || !filepath.IsAbs(name) {
		return "", false
	}
	return filepath.Clean(name), true
}

// decode returns the file name of a file URI (RFC 8089), uncleaned. A "?" or "#" is part of
// the name: file URIs have neither query nor fragment, and some clients do not escape them.
// drives says that names start with a drive letter, which decode returns in upper case.
func decode(uri string, drives bool) (string, bool) {
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok || len(uri) > 3*maxName || !strings.EqualFold(scheme, "file") {
		return "", false
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(authority, '/')
		if slash < 0 {
			return "", false
		}
		if host := authority[:slash]; host != "" && !strings.EqualFold(host, "localhost") {
			return "", false
		}
		rest = authority[slash:]
	}
	name, ok := unescape(rest)
	if !ok || !strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
		return "", false
	}
	if drives && len(name) > 2 && name[2] == ':' {
		name = strings.ToUpper(name[1:2]) + name[2:]
	}
	return name, true
}

// uriOfDir returns the file URI of an absolute name.
func uriOfDir(dir string, drives bool) string {
	if drives && len(dir) > 1 && dir[1] == ':' {
		rest := strings.ReplaceAll(dir[2:], `\`, "/")
		return "file:///" + strings.ToLower(dir[:1]) + "%3A" + escape(rest)
	}
	return "file://" + escape(dir)
}

const hexDigits = "0123456789ABCDEF"

// escape percent-encodes everything but slashes and the unreserved characters of RFC 3986,
// section 2.3. This is how VS Code spells file URIs; other clients decode them before
// comparing.
func escape(path string) string {
	var out strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			out.WriteByte(c)
		default:
			out.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	return out.String()
}

// unescape decodes percent escapes, "a%20b" to "a b"; ok is false if one is malformed.
func unescape(text string) (string, bool) {
	if !strings.Contains(text, "%") {
		return text, true
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			out.WriteByte(text[i])
			continue
		}
		if i+2 >= len(text) {
			return "", false
		}
		high, low := unhex(text[i+1]), unhex(text[i+2])
		if high < 0 || low < 0 {
			return "", false
		}
		out.WriteByte(byte(high<<4 | low))
		i += 2
	}
	return out.String(), true
}

func unhex(c byte) int {
	if c >= 'a' {
		c -= 'a' - 'A'
	}
	return strings.IndexByte(hexDigits, c)
}
