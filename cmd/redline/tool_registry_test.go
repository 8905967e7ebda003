//go:build linux && (amd64 || arm64)

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// toolRegistry serves packages on loopback in the ways of npm, PyPI, Go's module proxy and Cargo.
// In each of them there are greet and more, at version 1.0.0, which have one function: it returns
// the name.
type toolRegistry struct {
	t     *testing.T
	url   string
	files map[string][]byte // what a path answers
}

func newToolRegistry(t *testing.T) *toolRegistry {
	r := &toolRegistry{t: t, files: map[string][]byte{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		data, ok := r.files[req.URL.Path]
		if !ok {
			http.NotFound(w, req)
			return
		}
		if strings.HasPrefix(req.URL.Path, "/simple/") {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = w.Write(data) // the client may have gone
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	for _, name := range []string{"greet", "more"} {
		r.npm(name, "1.0.0", packed(t, "package/", map[string]string{
			"package.json": fmt.Sprintf(`{"name": %q, "version": "1.0.0"}`, name),
			"index.js":     fmt.Sprintf("module.exports = () => %q\n", name),
		}))
		r.python(name, "1.0.0")
		r.module(name)
		r.crate(name)
	}
	return r
}

// python serves a package of PyPI that has one function.
func (r *toolRegistry) python(name, version string) {
	info := name + "-" + version + ".dist-info/"
	r.wheel(name, name+"-"+version+"-py3-none-any.whl", zipped(r.t, map[string]string{
		name + ".py":      fmt.Sprintf("def name():\n    return %q\n", name),
		info + "METADATA": "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n",
		info + "WHEEL":    "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		info + "RECORD":   name + ".py,,\n" + info + "METADATA,,\n" + info + "WHEEL,,\n" + info + "RECORD,,\n",
	}))
}

// wheels serves the wheels in a folder.
func (r *toolRegistry) wheels(dir string) {
	r.t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil || len(found) == 0 {
		r.t.Fatalf("there are no wheels in %s (%v)", dir, err)
	}
	for _, file := range found {
		data, err := os.ReadFile(file)
		if err != nil {
			r.t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), "-")
		r.wheel(name, filepath.Base(file), data)
	}
}

// npm serves a package of npm.
func (r *toolRegistry) npm(name, version string, data []byte) {
	sum := sha512.Sum512(data)
	file := "/npm/" + name + "/-/" + name + "-" + version + ".tgz"
	r.files[file] = data
	one := map[string]any{"name": name, "version": version, "dist": map[string]any{"tarball": r.url + file, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}}
	r.files["/npm/"+name+"/"+version] = r.json(one)
	r.files["/npm/"+name] = r.json(map[string]any{"name": name, "dist-tags": map[string]string{"latest": version}, "versions": map[string]any{version: one}})
}

// wheel serves a package of PyPI.
func (r *toolRegistry) wheel(name, file string, data []byte) {
	r.files["/wheels/"+file] = data
	link := fmt.Sprintf("<!DOCTYPE html>\n<html><body><a href=\"%s/wheels/%s#sha256=%x\">%s</a></body></html>\n", r.url, file, sha256.Sum256(data), file)
	r.files["/simple/"+name+"/"] = []byte(link)
}

// module serves the Go module shop.example/NAME.
func (r *toolRegistry) module(name string) {
	path := "shop.example/" + name
	mod := "module " + path + "\n\ngo 1.21\n"
	at := "/go/" + path + "/@v/"
	r.files[at+"list"] = []byte("v1.0.0\n")
	r.files[at+"v1.0.0.info"] = []byte(`{"Version": "v1.0.0"}`)
	r.files[at+"v1.0.0.mod"] = []byte(mod)
	r.files["/go/"+path+"/@latest"] = r.files[at+"v1.0.0.info"]
	r.files[at+"v1.0.0.zip"] = zipped(r.t, map[string]string{
		path + "@v1.0.0/go.mod":          mod,
		path + "@v1.0.0/" + name + ".go": fmt.Sprintf("package %s\n\nfunc Name() string { return %q }\n", name, name),
	})
}

// crate serves a crate of Cargo's.
func (r *toolRegistry) crate(name string) {
	data := packed(r.t, name+"-1.0.0/", map[string]string{
		"Cargo.toml": fmt.Sprintf("[package]\nname = %q\nversion = \"1.0.0\"\nedition = \"2021\"\n", name),
		"src/lib.rs": fmt.Sprintf("pub fn name() -> &'static str { %q }\n", name),
	})
	r.files["/cargo/config.json"] = r.json(map[string]string{"dl": r.url + "/cargo/dl"})
	r.files["/cargo/dl/"+name+"/1.0.0/download"] = data
	r.files["/cargo/"+name[:2]+"/"+name[2:4]+"/"+name] = r.json(map[string]any{
		"name": name, "vers": "1.0.0", "deps": []string{}, "cksum": fmt.Sprintf("%x", sha256.Sum256(data)), "features": map[string]string{}, "yanked": false,
	})
}

func (r *toolRegistry) json(value any) []byte {
	r.t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

// packed returns a compressed tar of files below a folder.
func packed(t *testing.T, below string, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	small := gzip.NewWriter(&b)
	all := tar.NewWriter(small)
	for name, text := range files {
		if err := all.WriteHeader(&tar.Header{Name: below + name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(all, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []io.Closer{all, small} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// zipped returns a zip of files.
func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	all := zip.NewWriter(&b)
	for name, text := range files {
		w, err := all.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
