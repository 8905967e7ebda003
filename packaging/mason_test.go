package packaging

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// masonPackage is a package of mason's registry, as far as Redline needs it.
type masonPackage struct {
	Name        string   `yaml:"name" json:"name"`
	Description string   `yaml:"description" json:"description"`
	Homepage    string   `yaml:"homepage" json:"homepage"`
	Licenses    []string `yaml:"licenses" json:"licenses"`
	Languages   []string `yaml:"languages" json:"languages"`
	Categories  []string `yaml:"categories" json:"categories"`
	Source      struct {
		ID       string        `yaml:"id" json:"id"`
		Asset    []masonTarget `yaml:"asset,omitempty" json:"asset,omitempty"`
		Download []masonTarget `yaml:"download,omitempty" json:"download,omitempty"`
	} `yaml:"source" json:"source"`
	Bin    map[string]string `yaml:"bin" json:"bin"`
	Neovim struct {
		Lspconfig string `yaml:"lspconfig" json:"lspconfig"`
	} `yaml:"neovim" json:"neovim"`
}

type masonTarget struct {
	Target string            `yaml:"target" json:"target"`
	File   string            `yaml:"file,omitempty" json:"file,omitempty"`
	Files  map[string]string `yaml:"files,omitempty" json:"files,omitempty"`
	Bin    string            `yaml:"bin" json:"bin"`
}

// readMason reads the package as a release fills it in. A field that the registry does not know is
// an error.
func readMason(t *testing.T, project map[string]string) masonPackage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filledIn(t, "mason", project), "package.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if len(line) > 121 && !strings.Contains(line, "://") || strings.TrimRight(line, " \n")+"\n" != line {
			t.Errorf("the registry wants at most 120 columns, and no spaces at the end, unlike %q", line)
		}
	}
	var p masonPackage
	if err := yaml.Load(text, &p, yaml.WithKnownFields()); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

// The package follows the rules of the registry, whether the owner publishes on GitHub or
// elsewhere, and names just the archives that a release has.
func TestMasonPackage(t *testing.T) {
	t.Parallel()
	evaluate := strings.NewReplacer("{{version}}", "v"+testVersion, `{{ version | strip_prefix "v" }}`, testVersion)
	archives := []string{}
	for _, system := range []string{"darwin", "linux", "windows"} {
		for _, processor := range []string{"arm64", "amd64"} {
			ending := map[bool]string{true: ".zip", false: ".tar.gz"}[system == "windows"]
			archives = append(archives, fmt.Sprintf("redline_%s_%s_%s%s", testVersion, system, processor, ending))
		}
	}
	targets := []string{"darwin_arm64", "darwin_x64", "linux_arm64", "linux_x64", "win_arm64", "win_x64"}
	for _, c := range []struct{ repository, id, bin string }{
		{"https://github.com/owner/redline", "pkg:github/owner/redline@v" + testVersion, "{{source.asset.bin}}"},
		{"https://example.org/redline", "pkg:generic/redline/redline@v" + testVersion, "{{source.download.bin}}"},
		{"https://a.b/c", "pkg:generic/redline/redline@v" + testVersion, "{{source.download.bin}}"},
	} {
		t.Run(c.repository, func(t *testing.T) {
			p := readMason(t, projectWith(t, map[string]string{"repository": c.repository}))
			if p.Name != "redline-lsp" || p.Description == "" || !regexp.MustCompile(`^https?://`).MatchString(p.Homepage) ||
				!slices.Equal(p.Licenses, []string{"Apache-2.0"}) || p.Languages == nil || !slices.Equal(p.Categories, []string{"LSP"}) || p.Neovim.Lspconfig != "redline" {
				t.Errorf("the package is %+v", p)
			}
			if p.Source.ID != c.id || len(p.Bin) != 1 || p.Bin["redline"] != c.bin {
				t.Errorf("the source is %s, the programs are %v", p.Source.ID, p.Bin)
			}
			var gotTargets, gotArchives []string
			for _, target := range append(p.Source.Asset, p.Source.Download...) {
				gotTargets = append(gotTargets, target.Target)
				file := target.File
				for name, url := range target.Files {
					rest, ok := strings.CutPrefix(url, c.repository+"/releases/download/{{version}}/")
					if !ok || !strings.HasSuffix(url, strings.TrimPrefix(name, "redline")) {
						t.Errorf("%s comes from %s", name, url)
					}
					file = rest
				}
				gotArchives = append(gotArchives, evaluate.Replace(file))
				if want := map[bool]string{true: "redline.exe", false: "redline"}[strings.HasPrefix(target.Target, "win")]; target.Bin != want {
					t.Errorf("the program for %s is %s", target.Target, target.Bin)
				}
			}
			if !slices.Equal(gotTargets, targets) || !slices.Equal(gotArchives, archives) {
				t.Errorf("the targets are %q, the archives %q", gotTargets, gotArchives)
			}
		})
	}
}

// mason.nvim installs the package, from a host other than GitHub; the program that it has installed
// is where Redline's plugin looks for it.
func TestMasonInstalls(t *testing.T) {
	t.Parallel()
	nvim, mason := neovim(t), neovimPlugin(t, "mason.nvim")
	need(t, "curl", "install curl")
	if runtime.GOOS == "windows" {
		t.Skip("the archive of this test is a .tar.gz")
	}
	name := fmt.Sprintf("/redline/releases/download/v%s/redline_%[1]s_%s_%s.tar.gz", testVersion, runtime.GOOS, runtime.GOARCH)
	program, err := os.ReadFile(filepath.Join(programs(t), runtime.GOOS+"_"+runtime.GOARCH, "redline"))
	if err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != name {
			http.NotFound(w, r)
			return
		}
		zipped := gzip.NewWriter(w)
		archive := tar.NewWriter(zipped)
		_ = archive.WriteHeader(&tar.Header{Name: "redline", Mode: 0o755, Size: int64(len(program))})
		_, _ = archive.Write(program)
		_, _ = archive.Close(), zipped.Close()
	}))
	t.Cleanup(host.Close)

	home := t.TempDir()
	spec, err := json.Marshal(readMason(t, projectWith(t, map[string]string{"repository": host.URL + "/redline"})))
	if err == nil {
		err = os.MkdirAll(filepath.Join(home, "lua"), 0o755)
	}
	for file, text := range map[string]string{
		"package.json":             string(spec),
		"lua/registry.lua":         "return { ['redline-lsp'] = 'registry_package' }\n",
		"lua/registry_package.lua": "local p = vim.json.decode(table.concat(vim.fn.readfile(vim.env.HOME .. '/package.json')))\np.schema = 'registry+v1'\nreturn p\n",
	} {
		if err == nil {
			err = os.WriteFile(filepath.Join(home, file), []byte(text), 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := filepath.Abs("../editors/nvim")
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(nvim, "--clean", "--headless", "--cmd", "set rtp+="+mason+","+home+","+plugin,
		"-c", "lua require('mason').setup({ registries = { 'lua:registry' }, PATH = 'skip' })",
		"-c", "MasonInstall redline-lsp",
		"-c", "lua io.stdout:write('found ', require('redline.program').command({ 'redline', 'serve' })[1], '\\n')",
		"-c", "quit")
	run.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	installed := filepath.Join(home, ".local/share/nvim/mason/bin/redline")
	if !strings.Contains(string(out), "found "+installed) {
		t.Errorf("Neovim said:\n%s", out)
	}
	want := command(t, filepath.Join(programs(t), runtime.GOOS+"_"+runtime.GOARCH, "redline"), "version")
	if version := command(t, installed, "version"); version != want {
		t.Errorf("mason has installed %s, want %s", version, want)
	}
}
