package packaging

import (
	"archive/zip"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// scoopManifest is what Scoop reads.
type scoopManifest struct {
	Version, Description, Homepage, License, Bin string

	Notes        []string
	Architecture map[string]*struct{ URL, Hash string }
	Checkver     struct{ URL, Regex string }
	Autoupdate   struct {
		Architecture map[string]struct{ URL string }
		Hash         struct{ URL string }
	}
}

func (p published) scoop(t *testing.T) scoopManifest {
	t.Helper()
	var m scoopManifest
	if err := json.Unmarshal([]byte(p.manifest(t, "redline.json")), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// scooped are the platforms of Scoop's manifest.
var scooped = map[string]platform{"64bit": {"windows", "amd64"}, "arm64": {"windows", "arm64"}}

func TestScoopSchema(t *testing.T) {
	t.Parallel()
	p := publishThis(t, "scoop")
	data, err := os.ReadFile("testdata/scoop.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	checked, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var manifest any
	if err := json.Unmarshal([]byte(p.manifest(t, "redline.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	if err := checked.Validate(manifest); err != nil {
		t.Error(err)
	}
}

// The manifest has the archive of each platform with its checksum, and the archive has the
// files that the manifest names.
func TestScoopNamesTheArchives(t *testing.T) {
	t.Parallel()
	p := publishThis(t, "scoop")
	m := p.scoop(t)
	if m.Version != p.version {
		t.Errorf("the version is %s, want %s", m.Version, p.version)
	}
	for name, at := range scooped {
		got := m.Architecture[name]
		if got == nil || got.URL != p.url(at) || got.Hash != p.sumOf(t, archiveName(p.version, at)) {
			t.Errorf("%s: the manifest has %+v", name, got)
		}
		archive, err := zip.OpenReader(filepath.Join(p.archives, archiveName(p.version, at)))
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		named := []string{m.Bin}
		for _, note := range m.Notes {
			for _, found := range regexp.MustCompile(`\$dir\\([\w.\\]+)`).FindAllStringSubmatch(note, -1) {
				named = append(named, strings.ReplaceAll(found[1], `\`, "/"))
			}
		}
		if len(named) != 2 {
			t.Errorf("the manifest names the files %q, want the program and a completion file", named)
		}
		for _, file := range named {
			if !slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == file }) {
				t.Errorf("the archive for %s has no %s", name, file)
			}
		}
	}
}

// Scoop's checkver and autoupdate make, from the manifest of a release, that of the next.
func TestScoopUpdatesItself(t *testing.T) {
	t.Parallel()
	repository, dir := host(t)
	version, archives := thisRelease(t)
	old := publish(t, "scoop", repository, dir, version, archives)
	later, err := makeArchives("9.10.11", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	next := publish(t, "scoop", repository, dir, "9.10.11", later)
	// A forge's page on the latest release, in the few words that matter.
	page := `<a href="/redline/releases">All</a> <a href="/redline/releases/tag/v9.10.11" class="x">v9.10.11</a> <a href="/redline/releases/tag/v` + version + `">`
	if err := os.WriteFile(filepath.Join(dir, "releases/latest"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}

	m := old.scoop(t)
	found := regexp.MustCompile(m.Checkver.Regex).FindStringSubmatch(get(t, m.Checkver.URL))
	if len(found) != 2 || found[1] != "9.10.11" {
		t.Fatalf("checkver finds %q", found)
	}
	m.Version = found[1]
	for name, a := range m.Architecture {
		a.URL = substitute(m.Autoupdate.Architecture[name].URL, map[string]string{"$version": m.Version})
		sums := substitute(m.Autoupdate.Hash.URL, map[string]string{"$url": a.URL, "$baseurl": a.URL[:strings.LastIndex(a.URL, "/")]})
		basename := a.URL[strings.LastIndex(a.URL, "/")+1:]
		line := regexp.MustCompile(`([a-fA-F0-9]{64})[ \t]+.*` + regexp.QuoteMeta(basename) + `(?:\s|$)`).FindStringSubmatch(get(t, sums))
		if len(line) != 2 {
			t.Fatalf("%s has no checksum of %s", sums, basename)
		}
		a.Hash = line[1]
	}
	got, _ := json.Marshal(m)
	want, _ := json.Marshal(next.scoop(t))
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if m = old.scoop(t); regexp.MustCompile(m.Checkver.Regex).MatchString(`/releases/tag/v10.0.0-rc.1"`) {
		t.Error("checkver takes a pre-release")
	}
}

// substitute replaces variables as Scoop does: the longest names first, also inside of words.
func substitute(text string, variables map[string]string) string {
	names := slices.SortedFunc(maps.Keys(variables), func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		text = strings.ReplaceAll(text, name, variables[name])
	}
	return text
}

// get downloads a text.
func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, response.Status, err)
	}
	return string(text)
}
