package packaging

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// registry is an npm registry on loopback: for each package what npm reads to resolve it, and
// the tarballs.
type registry struct {
	*httptest.Server
	versions map[string]map[string]json.RawMessage // by package and version
	latest   map[string]string                     // by package
	tarballs map[string][]byte                     // by the name of the file

	mu     sync.Mutex
	served []string // tarballs
}

// newRegistry serves the packages in some folders. What a later folder has is newer.
func newRegistry(t *testing.T, dirs ...string) *registry {
	t.Helper()
	r := &registry{versions: map[string]map[string]json.RawMessage{}, latest: map[string]string{}, tarballs: map[string][]byte{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no packages (%v)", dir, err)
		}
		for _, file := range files {
			if err := r.add(file); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
	}
	return r
}

func (r *registry) add(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	manifest, err := packageJSON(data)
	if err != nil {
		return err
	}
	sum := sha512.Sum512(data)
	manifest["dist"] = map[string]string{
		"tarball":   r.URL + "/-/" + filepath.Base(file),
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	name, version := manifest["name"].(string), manifest["version"].(string)
	if r.versions[name] == nil {
		r.versions[name] = map[string]json.RawMessage{}
	}
	r.versions[name][version] = text
	r.latest[name] = version
	r.tarballs[filepath.Base(file)] = data
	return nil
}

// packageJSON reads the manifest of a package.
func packageJSON(tarball []byte) (map[string]any, error) {
	plain, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(plain)
	first, err := files.Next()
	if err != nil {
		return nil, err
	}
	if first.Name != "package/package.json" {
		return nil, errors.New("the first file is " + first.Name)
	}
	var manifest map[string]any
	return manifest, json.NewDecoder(files).Decode(&manifest)
}

func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	name := path.Base(request.URL.Path)
	if data, ok := r.tarballs[name]; ok {
		r.mu.Lock()
		r.served = append(r.served, name)
		r.mu.Unlock()
		_, _ = w.Write(data)
		return
	}
	versions, ok := r.versions[name]
	if !ok || request.Method != http.MethodGet {
		http.NotFound(w, request)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"name": name, "dist-tags": map[string]string{"latest": r.latest[name]}, "versions": versions})
}

// downloaded returns the names of the tarballs that npm has fetched, sorted.
func (r *registry) downloaded() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.served))
}
