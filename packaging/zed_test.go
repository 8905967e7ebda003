package packaging

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

var updateZed = flag.Bool("update-zed", false, "write zed/extension.toml from its template")

// project returns what project.json says.
func project(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("project.json")
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]string
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// The extension builds as it is in the checkout, so its manifest is there too, with the version
// that a release would give it.
func TestZedManifestIsFilledIn(t *testing.T) {
	template, err := os.ReadFile("zed/extension.toml.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	const name = "zed/extension.toml"
	from, to := t.TempDir(), t.TempDir()
	writeBytes(t, filepath.Join(from, "checksums.txt"), nil)
	writeBytes(t, filepath.Join(from, name+".tmpl"), template)
	text, err := os.ReadFile("project.json")
	if err != nil {
		t.Fatal(err)
	}
	writeBytes(t, filepath.Join(from, "project.json"), text)
	cmd := exec.Command("go", "run", "./internal/release", "render",
		filepath.Join(from, "project.json"), programVersion(t), filepath.Join(from, "checksums.txt"), to)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("render: %v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join(to, name))
	if err != nil {
		t.Fatal(err)
	}
	if *updateZed {
		writeBytes(t, name, want)
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what its template says (%v): run go test ./packaging -run TestZedManifest -update-zed", name, err)
	}
}

// programVersion returns the version that the next release will have.
func programVersion(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("../cmd/redline/version.go")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`version += "([0-9.]+)-dev"`).FindSubmatch(source)
	if found == nil {
		t.Fatal("cmd/redline/version.go has no version")
	}
	return string(found[1])
}

func writeBytes(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// zedManifest has the members of extension.toml that Zed reads from this extension.
type zedManifest struct {
	ID              string   `toml:"id"`
	Name            string   `toml:"name"`
	Version         string   `toml:"version"`
	SchemaVersion   int      `toml:"schema_version"`
	Authors         []string `toml:"authors"`
	Description     string   `toml:"description"`
	Repository      string   `toml:"repository"`
	LanguageServers map[string]struct {
		Name      string   `toml:"name"`
		Languages []string `toml:"languages"`
	} `toml:"language_servers"`
	Capabilities []struct {
		Kind    string   `toml:"kind"`
		Command string   `toml:"command"`
		Args    []string `toml:"args"`
	} `toml:"capabilities"`
}

// The manifest keeps the rules of Zed and of its registry of extensions.
func TestZedManifest(t *testing.T) {
	text, err := os.ReadFile("zed/extension.toml")
	if err != nil {
		t.Fatal(err)
	}
	var m zedManifest
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&m); err != nil {
		t.Fatal(err)
	}
	for what, ok := range map[string]bool{
		"the id is in small letters, digits and hyphens": regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(m.ID),
		"the id is the package's name":                   m.ID == project(t)["package"],
		"no zed and no extension in the id":              !strings.Contains(m.ID, "zed") && !strings.Contains(m.ID, "extension"),
		"a name without Zed":                             m.Name != "" && !strings.Contains(m.Name, "Zed"),
		"a semantic version":                             regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(m.Version),
		"schema version 1":                               m.SchemaVersion == 1,
		"an author with an address":                      len(m.Authors) == 1 && regexp.MustCompile(`^.+ <\S+@\S+>$`).MatchString(m.Authors[0]),
		"a description":                                  m.Description != "",
		"a repository":                                   strings.HasPrefix(m.Repository, "https://"),
		"one server, named as the extension":             len(m.LanguageServers) == 1 && m.LanguageServers[m.ID].Name != "",
		"it may run `redline version` and nothing else":  len(m.Capabilities) == 1 && m.Capabilities[0].Kind == "process:exec" && slices.Equal(m.Capabilities[0].Args, []string{"version"}),
	} {
		if !ok {
			t.Errorf("the manifest lacks: %s\n%s", what, text)
		}
	}
	checkZedLanguages(t, m.LanguageServers[m.ID].Languages)
}

// checkZedLanguages finds languages that are named twice, and missing ones that Redline needs.
func checkZedLanguages(t *testing.T, languages []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, l := range languages {
		if seen[l] || strings.TrimSpace(l) != l || l == "" {
			t.Errorf("the language %q is named twice, or not well", l)
		}
		seen[l] = true
	}
	// Markdown is for the chat file and the previews.
	for _, l := range []string{"Markdown", "Plain Text", "Go", "Python", "Rust", "TypeScript"} {
		if !seen[l] {
			t.Errorf("there is no language %q", l)
		}
	}
}

// Zed's registry wants the licence in the extension's own folder.
func TestZedLicence(t *testing.T) {
	own, err := os.ReadFile("zed/LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if ours, err := os.ReadFile("../LICENSE"); err != nil || !bytes.Equal(own, ours) {
		t.Errorf("zed/LICENSE is not ../LICENSE (%v)", err)
	}
}

// The lock names no other registry than the usual one, whatever this machine uses.
func TestZedLock(t *testing.T) {
	text, err := os.ReadFile("zed/Cargo.lock")
	if err != nil {
		t.Fatal(err)
	}
	sources := regexp.MustCompile(`(?m)^source = "(.*)"$`).FindAllSubmatch(text, -1)
	for _, s := range sources {
		if string(s[1]) != "registry+https://github.com/rust-lang/crates.io-index" {
			t.Errorf("the lock has the source %s", s[1])
		}
	}
	if len(sources) < 10 || !bytes.Contains(text, []byte("name = \"zed_extension_api\"\nversion = \"0.7.0\"\n")) {
		t.Errorf("the lock has %d sources, or another version of Zed's API", len(sources))
	}
}

// The extension compiles. That takes a second once its crates are built; the first time needs
// the network and some minutes, and is left to TestZedExtension.
func TestZedCompiles(t *testing.T) {
	cargo := need(t, "cargo", "install Rust with rustup")
	cache := zedCache(t)
	if _, err := os.Stat(filepath.Join(cache, "built")); err != nil {
		t.Skip("the crates are not built yet: run go test ./packaging -run TestZedExtension -roots, which needs the network")
	}
	zedCargo(t, cargo, cache, "check", "--offline", "--locked")
}

// zedCache returns the folder that keeps what building the extension takes long to make.
func zedCache(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(cache, "redline-zed")
}

// zedCargo runs cargo on the extension; nothing is written into the checkout.
func zedCargo(t *testing.T, cargo, cache string, args ...string) {
	t.Helper()
	cmd := exec.Command(cargo, args...)
	cmd.Dir = "zed"
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+filepath.Join(cache, "target"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("cargo %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
