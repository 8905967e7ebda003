package packaging

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const rubyHow = "install Debian's package ruby"

// brewed are the platforms that Homebrew has.
var brewed = platforms[:4]

// brew runs a command of the stand-in for Homebrew in a folder and returns what it printed.
func (p published) brew(t *testing.T, dir, what string, at platform, args ...string) (string, error) {
	t.Helper()
	standIn, err := filepath.Abs("testdata/brew.rb")
	if err != nil {
		t.Fatal(err)
	}
	formula := filepath.Join(p.manifests, "redline.rb")
	cmd := exec.Command("ruby", append([]string{standIn, what, formula, at.system, at.processor}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The formula has for each platform the archive of that platform, with its checksum.
func TestFormulaNamesTheArchives(t *testing.T) {
	t.Parallel()
	need(t, "ruby", rubyHow)
	p := publishThis(t, "homebrew")
	for _, at := range brewed {
		out, err := p.brew(t, "", "facts", at)
		var facts struct{ Desc, Homepage, URL, Version, License, SHA256 string }
		if err := json.Unmarshal([]byte(out), &facts); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err != nil || facts.URL != p.url(at) || facts.SHA256 != p.sumOf(t, archiveName(p.version, at)) || facts.Version != p.version {
			t.Errorf("%v: the formula has %+v, %v", at, facts, err)
		}
		if facts.Homepage == "" || facts.License != "Apache-2.0" {
			t.Errorf("the formula has %+v", facts)
		}
		// What brew audit says about descriptions.
		if d := facts.Desc; len(d) == 0 || len(d) > 80 || strings.HasSuffix(d, ".") || regexp.MustCompile(`^(?i:an?|the|redline)\b|^[a-z ]`).MatchString(d) {
			t.Errorf("brew audit refuses the description %q", d)
		}
	}
}

// The formula installs each file of each archive where Homebrew wants it, and passes its own
// test with the program of this machine.
func TestFormulaInstalls(t *testing.T) {
	t.Parallel()
	need(t, "ruby", rubyHow)
	p := publishThis(t, "homebrew")
	for _, at := range brewed {
		unpacked, prefix := t.TempDir(), t.TempDir()
		command(t, "tar", "-xzf", filepath.Join(p.archives, archiveName(p.version, at)), "-C", unpacked)
		if out, err := p.brew(t, unpacked, "install", at, prefix); err != nil {
			t.Fatalf("%v: %v\n%s", at, err, out)
		}
		got := files(t, prefix)
		for _, want := range []string{
			"bin/redline", "etc/bash_completion.d/redline", "share/zsh/site-functions/_redline", "share/doc/redline/THIRD-PARTY-LICENCES.txt",
			"share/fish/vendor_completions.d/redline.fish", "share/man/man1/redline.1", "share/man/man1/redline-demo.1",
		} {
			if !slices.Contains(got, want) {
				t.Errorf("%v: no %s is installed, only %q", at, want, got)
			}
		}
		// Homebrew itself installs these, and not the completions of PowerShell.
		if left := files(t, unpacked); !slices.Equal(left, []string{"CHANGELOG.md", "LICENSE", "README.md", "completions/redline.ps1"}) {
			t.Errorf("%v: not installed are %q", at, left)
		}
		if at == here {
			if out, err := p.brew(t, "", "test", at, prefix); err != nil {
				t.Errorf("the formula's test: %v\n%s", err, out)
			}
		}
	}
}

// The formula's livecheck finds the newest release among the tags of the repository.
func TestFormulaLivecheck(t *testing.T) {
	t.Parallel()
	need(t, "ruby", rubyHow)
	p := publishThis(t, "homebrew")
	out, err := p.brew(t, "", "livecheck", here, "v1.2.3", "v1.10.0", "v1.9.1", "v2.0.0-rc.1", "nightly", "plan-3.0")
	if want := `{"url":"` + p.repository + `.git","newest":"1.10.0"}`; err != nil || strings.TrimSpace(out) != want {
		t.Errorf("got %s, %v, want %s", out, err, want)
	}
}

func TestFormulaStyle(t *testing.T) {
	t.Parallel()
	need(t, "rubocop", "install Debian's package rubocop")
	p := publishThis(t, "homebrew")
	formula := filepath.Join(p.manifests, "redline.rb")
	command(t, "ruby", "-wc", formula)
	command(t, "rubocop", "--cache", "false", "--config", "testdata/rubocop.yml", formula, "testdata/brew.rb")
}

// files returns the names of the files below a folder, in order.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}
