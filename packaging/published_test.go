package packaging

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// published is a release on a server of this machine, which has its archives where the real
// one will have them.
type published struct {
	version    string
	repository string // its address
	archives   string // the folder of the archives and checksums.txt
	manifests  string // the folder of the templates that were filled in for it
}

// host starts a server that publishes releases, and returns its address and the folder that
// the releases go to.
func host(t *testing.T) (repository, dir string) {
	t.Helper()
	dir = t.TempDir()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL, dir
}

// publish puts the archives of one folder on the server as one version, and fills in the
// templates of a package manager for it.
func publish(t *testing.T, manager, repository, dir, version, archives string) published {
	t.Helper()
	p := published{version, repository, filepath.Join(dir, "releases/download/v"+version), ""}
	if err := os.MkdirAll(p.archives, 0o755); err != nil {
		t.Fatal(err)
	}
	names := []string{"checksums.txt"}
	for _, at := range platforms {
		names = append(names, archiveName(version, at))
	}
	for _, name := range names { // links: they are large
		if err := os.Symlink(filepath.Join(archives, name), filepath.Join(p.archives, name)); err != nil {
			t.Fatal(err)
		}
	}
	p.manifests = fillIn(t, manager, repository, version, p.archives)
	return p
}

// fillIn fills in the templates of a package manager and returns their folder. A repository
// of "" is that of project.json.
func fillIn(t *testing.T, manager, repository, version, archives string) string {
	t.Helper()
	out := t.TempDir()
	project := projectAt(t, repository)
	command(t, "cp", "-r", manager, filepath.Dir(project))
	command(t, releaseTool(t), "render", project, version, filepath.Join(archives, "checksums.txt"), out)
	return filepath.Join(out, manager)
}

// publishThis publishes the release that the tests take: that of -release, or one that is
// made here.
func publishThis(t *testing.T, manager string) published {
	t.Helper()
	repository, dir := host(t)
	version, archives := thisRelease(t)
	return publish(t, manager, repository, dir, version, archives)
}

// projectAt writes project.json, with another repository if it is not "", into a folder of
// its own.
func projectAt(t *testing.T, repository string) string {
	t.Helper()
	data, err := os.ReadFile("project.json")
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]string
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	if repository != "" {
		fields["repository"] = repository
	}
	if data, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "project.json")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

var buildReleaseTool = sync.OnceValues(func() (string, error) {
	path := filepath.Join(temporary, "release-tool")
	cmd := exec.Command("go", "build", "-o", path, "../internal/release")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

// releaseTool returns the program of internal/release.
func releaseTool(t *testing.T) string {
	t.Helper()
	path, err := buildReleaseTool()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// thisRelease returns the version and the folder of the archives that the tests take.
func thisRelease(t *testing.T) (version, archives string) {
	t.Helper()
	if *releaseDir != "" {
		dir, err := filepath.Abs(*releaseDir)
		if err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(filepath.Join(dir, "redline_*_linux_amd64.tar.gz"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s has not one archive for linux_amd64: %q, %v", dir, found, err)
		}
		return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), "redline_"), "_linux_amd64.tar.gz"), dir
	}
	from := programs(t)
	archivesOnce.Do(func() { madeArchives, madeArchivesErr = makeArchives(testVersion, from) })
	if madeArchivesErr != nil {
		t.Fatal(madeArchivesErr)
	}
	return testVersion, madeArchives
}

var (
	archivesOnce    sync.Once
	madeArchives    string
	madeArchivesErr error
)

// sumOf returns the SHA-256 of a published file in hexadecimal digits.
func (p published) sumOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.archives, file))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// url returns where a platform's archive is published.
func (p published) url(at platform) string {
	return p.repository + "/releases/download/v" + p.version + "/" + archiveName(p.version, at)
}

// manifest reads one of the filled in templates.
func (p published) manifest(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.manifests, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The manifests of a release are what the templates say now.
func TestReleasedManifests(t *testing.T) {
	if *releaseDir == "" {
		t.Skip("compares the manifests of a release: run with -release")
	}
	version, archives := thisRelease(t)
	for _, manager := range []string{"homebrew", "scoop", "nix", "aur"} {
		dir := fillIn(t, manager, "", version, archives)
		for _, name := range files(t, dir) {
			want, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(*releaseDir, "packaging", manager, name))
			if err != nil || string(got) != string(want) {
				t.Errorf("%s/%s has\n%s\n%v, want\n%s", manager, name, got, err, want)
			}
		}
	}
}
