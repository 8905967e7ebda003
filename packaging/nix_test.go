package packaging

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nixed are the systems of the flake.
var nixed = map[string]platform{
	"x86_64-linux": {"linux", "amd64"}, "aarch64-linux": {"linux", "arm64"},
	"x86_64-darwin": {"darwin", "amd64"}, "aarch64-darwin": {"darwin", "arm64"},
}

// flake is a published flake, and a Nix with an empty store. A stand-in takes the place of
// nixpkgs.
type flake struct {
	published
	t   *testing.T
	dir string
}

func newFlake(t *testing.T) flake {
	t.Helper()
	need(t, "nix", "install Debian's package nix-bin, or Nix 2.8 or later")
	f := flake{publishThis(t, "nix"), t, t.TempDir()}
	t.Cleanup(func() { command(t, "chmod", "-R", "u+w", f.dir) }) // what is in a store is read-only
	return f
}

// nix runs a command on something of the flake and returns what it printed.
func (f flake) nix(what, attribute string, args ...string) string {
	f.t.Helper()
	standIn, err := filepath.Abs("testdata/nixpkgs")
	if err != nil {
		f.t.Fatal(err)
	}
	args = append([]string{what, "path:" + f.manifests + "#" + attribute, "--override-input", "nixpkgs", "path:" + standIn, "--no-write-lock-file"}, args...)
	cmd := exec.Command("nix", args...)
	cmd.Dir = f.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.dir,
		"NIX_CONFIG=experimental-features = nix-command flakes\nsandbox = false\nbuild-users-group =\nsubstituters =\nflake-registry ="}
	for name, folder := range map[string]string{"NIX_STORE_DIR": "store", "NIX_STATE_DIR": "state", "NIX_LOG_DIR": "log", "NIX_CONF_DIR": "conf", "NIX_REMOTE": ""} {
		if folder != "" {
			folder = filepath.Join(f.dir, folder)
		}
		cmd.Env = append(cmd.Env, name+"="+folder)
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("nix %s: %v\n%s", strings.Join(args, " "), err, problems.String())
	}
	return string(out)
}

// The flake has for each system the archive of that system, with its hash.
func TestFlakeNamesTheArchives(t *testing.T) {
	t.Parallel()
	f := newFlake(t)
	printed := f.nix("eval", "packages", "--json", "--apply", "builtins.mapAttrs (_: p: { inherit (p.redline) name meta; inherit (p.redline.src) url hash; })")
	var got map[string]struct {
		Name, URL, Hash string
		Meta            struct {
			Description, Homepage, MainProgram string
			License                            struct{ SpdxID string }
			Platforms                          []string
		}
	}
	if err := json.Unmarshal([]byte(printed), &got); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	if len(got) != len(nixed) {
		t.Errorf("the flake has packages for %d systems, want %d", len(got), len(nixed))
	}
	for system, at := range nixed {
		p := got[system]
		digest, err := hex.DecodeString(f.sumOf(t, archiveName(f.version, at)))
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != "redline-lsp-"+f.version || p.URL != f.url(at) || p.Hash != "sha256-"+base64.StdEncoding.EncodeToString(digest) {
			t.Errorf("%s: the package is %+v", system, p)
		}
		if m := p.Meta; m.MainProgram != "redline" || m.Homepage == "" || m.Description == "" || m.License.SpdxID != "Apache-2.0" || len(m.Platforms) != len(nixed) {
			t.Errorf("%s: the package's meta is %+v", system, m)
		}
	}
}

// Nix downloads the archive, checks it, and installs what a user needs; the program runs.
func TestFlakeBuilds(t *testing.T) {
	t.Parallel()
	f := newFlake(t)
	var system string
	for name, at := range nixed {
		if at == here {
			system = name
		}
	}
	if system == "" {
		t.Skipf("the flake has no package for %s %s", here.system, here.processor)
	}
	f.nix("build", "packages."+system+".default", "--out-link", "result")
	result, err := filepath.EvalSymlinks(filepath.Join(f.dir, "result"))
	if err != nil {
		t.Fatal(err)
	}
	got := files(t, result)
	for _, want := range []string{
		"bin/redline", "share/bash-completion/completions/redline.bash", "share/zsh/site-functions/_redline",
		"share/fish/vendor_completions.d/redline.fish", "share/man/man1/redline.1", "share/doc/redline-lsp/THIRD-PARTY-LICENCES.txt",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s is installed, only %q", want, got)
		}
	}
	if out := command(t, filepath.Join(result, "bin/redline"), "demo"); !strings.Contains(out, "approved") {
		t.Errorf("the demo printed:\n%s", out)
	}
}

func TestStandInShellcheck(t *testing.T) {
	t.Parallel()
	need(t, "shellcheck", "install Debian's package shellcheck")
	command(t, "shellcheck", "--shell=bash", "testdata/nixpkgs/build.sh", "testdata/nixpkgs/install-shell-files.sh")
}
