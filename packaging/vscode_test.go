package packaging

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// vscodeTargets are the platforms that have a package of the extension, with the name of the
// program's folder in a release.
var vscodeTargets = map[string]string{
	"linux-x64": "linux_amd64", "linux-arm64": "linux_arm64", "darwin-x64": "darwin_amd64",
	"darwin-arm64": "darwin_arm64", "win32-x64": "windows_amd64", "win32-arm64": "windows_arm64",
}

// vscodeFiles are all files of a package, but for the program and dist's bundles.
var vscodeFiles = regexp.MustCompile(`^(\[Content_Types\]\.xml|extension\.vsixmanifest|extension/(package\.json|readme\.md|changelog\.md|LICENSE\.txt|THIRD-PARTY-LICENCES\.txt|dist/(chat|extension)\.js|media/[a-z-]+\.(svg|png|css)|walkthrough/[a-z]+\.(md|png)))$`)

// Each platform has a package with its program, which can be run once it is unpacked, and
// there is one without. Packing them again makes the same bytes.
func TestVSCodePackages(t *testing.T) {
	version, programs, packages := vscodePackages(t)
	checkVSIX(t, filepath.Join(packages, "redline-"+version+".vsix"), version, "", "")
	for target, platform := range vscodeTargets {
		found, err := filepath.Glob(filepath.Join(programs, platform, "redline*"))
		if err != nil || len(found) != 1 {
			t.Errorf("%s: the programs are %q", platform, found)
			continue
		}
		checkVSIX(t, filepath.Join(packages, "redline-"+target+"-"+version+".vsix"), version, target, found[0])
	}
	if *releaseDir != "" {
		return // .ci/release --check compares whole releases
	}
	for platform := range maps.Values(vscodeTargets) {
		if platform != "linux_amd64" { // one of them is enough to pack twice
			if err := os.RemoveAll(filepath.Join(programs, platform)); err != nil {
				t.Fatal(err)
			}
		}
	}
	again := t.TempDir()
	cmd := packVSCode(version, programs, again)
	shell := exec.Command("sh", append([]string{"-c", `umask 077; exec "$@"`, "sh"}, cmd.Args...)...)
	shell.Dir, shell.Env = cmd.Dir, append(os.Environ(), "TZ=Asia/Tokyo")
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("packing again: %v\n%s", err, out)
	}
	second := mustGlob(t, filepath.Join(again, "*.vsix"))
	if len(second) != 2 {
		t.Errorf("packing again made %q", second)
	}
	for _, file := range second {
		if !bytes.Equal(mustRead(t, file), mustRead(t, filepath.Join(packages, filepath.Base(file)))) {
			t.Errorf("%s has other bytes when it is packed again", filepath.Base(file))
		}
	}
}

// programLicences stands for the licences of what a program contains.
const programLicences = "the licences of the program\n"

// vscodePackages returns a release's version, and its folders of programs and of packages.
// Without -release the programs are stand-ins, because six real ones take long to build.
func vscodePackages(t *testing.T) (version, programs, packages string) {
	t.Helper()
	if *releaseDir != "" {
		packages = filepath.Join(*releaseDir, "vscode")
		for _, file := range mustGlob(t, filepath.Join(packages, "redline-*.vsix")) {
			if m := regexp.MustCompile(`^redline-(\d+\.\d+\.\d+)\.vsix$`).FindStringSubmatch(filepath.Base(file)); m != nil {
				version = m[1]
			}
		}
		return version, filepath.Join(*releaseDir, "programs"), packages
	}
	if testing.Short() {
		t.Skip("packing takes seconds: run without -short")
	}
	needVSCE(t)
	programs, packages = t.TempDir(), t.TempDir()
	for target, platform := range vscodeTargets {
		name := "redline"
		if strings.HasPrefix(target, "win32") {
			name += ".exe"
		}
		file := filepath.Join(programs, platform, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("the program for "+platform), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	licences := filepath.Join(programs, "licences.txt")
	if err := os.WriteFile(licences, []byte(programLicences), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := packVSCode(testVersion, programs, packages).CombinedOutput(); err != nil {
		t.Fatalf("packing: %v\n%s", err, out)
	}
	return testVersion, programs, packages
}

// packVSCode returns the command that packs the extension as a release does.
func packVSCode(version, programs, out string) *exec.Cmd {
	cmd := exec.Command("node", "scripts/package.mjs", "--release", version, "--out", out)
	if programs != "" {
		cmd.Args = append(cmd.Args, "--programs", programs, "--licences", filepath.Join(programs, "licences.txt"))
	}
	cmd.Dir = "../editors/vscode"
	return cmd
}

// needVSCE skips a test if the extension cannot be packed.
func needVSCE(t *testing.T) {
	t.Helper()
	need(t, "node", "install Node.js 20 or later")
	if _, err := os.Stat("../editors/vscode/node_modules/@vscode/vsce"); err != nil {
		t.Skip("needs vsce: run npm ci --ignore-scripts in editors/vscode")
	}
}

// checkVSIX checks one package: its files with their modes and times, its manifests, and its
// program.
func checkVSIX(t *testing.T, file, version, target, program string) {
	t.Helper()
	r, err := zip.OpenReader(file)
	if err != nil {
		t.Errorf("%s: %v", file, err)
		return
	}
	defer r.Close()
	name := filepath.Base(file)
	texts := map[string]string{}
	for _, f := range r.File {
		texts[f.Name] = unzipped(t, f)
		mode := os.FileMode(0o644)
		switch {
		case program != "" && f.Name == "extension/bin/"+filepath.Base(program):
			mode = 0o755
			if texts[f.Name] != string(mustRead(t, program)) {
				t.Errorf("%s has another program than %s", name, program)
			}
			program = ""
		case !vscodeFiles.MatchString(f.Name):
			t.Errorf("%s has the file %s", name, f.Name)
		}
		if f.Mode()|0o020 != mode|0o020 { // vsce lets the group write what it made in memory
			t.Errorf("%s: %s has the mode %v, want %v", name, f.Name, f.Mode(), mode)
		}
		if *releaseDir == "" && !f.Modified.Equal(time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("%s: %s is of %v", name, f.Name, f.Modified)
		}
	}
	if program != "" {
		t.Errorf("%s has no program", name)
	}
	licences := texts["extension/THIRD-PARTY-LICENCES.txt"]
	for _, library := range []string{"vscode-languageclient", "dompurify", "markdown-it"} {
		if !strings.Contains(licences, "\n"+library+" ") {
			t.Errorf("%s does not have the licence of %s", name, library)
		}
	}
	if *releaseDir == "" && strings.HasSuffix(licences, programLicences) != (target != "") {
		t.Errorf("%s: the licences end in %q", name, licences[max(0, len(licences)-100):])
	}
	checkVSCodeManifests(t, name, version, target, texts)
}

// checkVSCodeManifests checks what a registry reads: it must be complete, and every address
// must be the owner's.
func checkVSCodeManifests(t *testing.T, name, version, target string, texts map[string]string) {
	t.Helper()
	var owner struct{ Publisher, Repository, Homepage, Licence string }
	if err := json.Unmarshal(mustRead(t, "project.json"), &owner); err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Metadata struct {
			Identity struct {
				ID             string `xml:"Id,attr"`
				Version        string `xml:",attr"`
				Publisher      string `xml:",attr"`
				TargetPlatform string `xml:",attr"`
			}
			License, Icon string
		}
	}
	if err := xml.Unmarshal([]byte(texts["extension.vsixmanifest"]), &manifest); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	id := manifest.Metadata.Identity
	if id.ID != "redline" || id.Version != version || id.Publisher != owner.Publisher || id.TargetPlatform != target {
		t.Errorf("%s is %+v", name, id)
	}
	for _, asset := range []string{manifest.Metadata.License, manifest.Metadata.Icon, "extension/readme.md", "extension/changelog.md"} {
		if texts[asset] == "" {
			t.Errorf("%s has no %q", name, asset)
		}
	}
	var p struct {
		Version, Publisher, License, Homepage string
		Repository, Bugs                      struct{ URL string }
		Private                               bool
		Scripts, DevDependencies              map[string]string
	}
	if err := json.Unmarshal([]byte(texts["extension/package.json"]), &p); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if p.Version != version || p.Publisher != owner.Publisher || p.License != owner.Licence || p.Homepage != owner.Homepage ||
		p.Repository.URL != owner.Repository || p.Bugs.URL != owner.Repository+"/issues" || p.Private || p.Scripts != nil || p.DevDependencies != nil {
		t.Errorf("%s: package.json has %+v, and the owner says %+v", name, p, owner)
	}
	for _, file := range []string{"extension.vsixmanifest", "extension/package.json"} {
		for _, address := range regexp.MustCompile(`https?://[^"\s<]+`).FindAllString(texts[file], -1) {
			if !strings.HasPrefix(address, owner.Repository) && !strings.HasPrefix(address, owner.Homepage) && !strings.HasPrefix(address, "http://schemas.microsoft.com/") {
				t.Errorf("%s: %s names %s", name, file, address)
			}
		}
	}
	if !strings.Contains(texts["extension/changelog.md"], "\n## "+version+"\n") {
		t.Errorf("%s: the changelog does not have %s", name, version)
	}
}

func unzipped(t *testing.T, f *zip.File) string {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return string(data)
}

func mustGlob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
