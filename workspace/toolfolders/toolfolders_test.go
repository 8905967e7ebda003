package toolfolders

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// house makes an empty home folder, and a folder for programs that is the whole PATH. No variable of
// the table is set.
func house(t *testing.T, installed ...string) (home string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("commands do not run on Windows")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, programs := filepath.Join(dir, "u"), filepath.Join(dir, "programs")
	for _, name := range []string{home, programs} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range installed {
		if err := os.WriteFile(filepath.Join(programs, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", programs)
	t.Setenv("GOENV", "")
	for name := range names() {
		t.Setenv(name, "")
	}
	return home
}

// Caches of tools that were never installed are not there: Redline would create them for nothing.
func TestCaches(t *testing.T) {
	home := house(t, "go", "pnpm")
	if err := os.MkdirAll(filepath.Join(home, ".m2", "repository"), 0o700); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{".cache", "go/pkg", ".local/share/pnpm/store", ".local/state/pnpm", ".m2/repository"} {
		want = append(want, filepath.Join(home, name))
	}
	if got := Caches(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where a variable moves a cache, approved commands may write it, trials see it, and both get the
// variable: else their tools would use the usual place.
func TestVariables(t *testing.T) {
	for _, c := range []struct{ variable, value, cache, seen string }{ // @ is a folder elsewhere
		{"GOPATH", "@", "@/pkg", ""},
		{"GOMODCACHE", "@", "@", ""},
		{"GOCACHE", "@", "@", ""},
		{"CARGO_HOME", "@", "@/registry", ""},
		{"CARGO_HOME", "@", "@/git", ""},
		{"npm_config_cache", "@", "@", "@/_cacache"},
		{"NPM_CONFIG_CACHE", "@", "@", "@/_cacache"},
		{"npm_config_store_dir", "@", "@", ""},
		{"PNPM_HOME", "@", "@/store", ""},
		{"XDG_DATA_HOME", "@", "@/pnpm/store", ""},
		{"XDG_STATE_HOME", "@", "@/pnpm", ""},
		{"XDG_CACHE_HOME", "@", "@", "@/go-build"},
		{"PIP_CACHE_DIR", "@", "@", ""},
		{"UV_CACHE_DIR", "@", "@", ""},
		{"POETRY_CACHE_DIR", "@", "@", ""},
		{"POETRY_VIRTUALENVS_PATH", "@", "@", ""},
		{"GRADLE_USER_HOME", "@", "@", "@/caches"},
		{"MAVEN_OPTS", "-Xmx1g -Dmaven.repo.local=@ -Dx=y", "@", ""},
		{"MAVEN_ARGS", "-Dmaven.repo.local=@", "@", ""},
		{"YARN_CACHE_FOLDER", "@", "@", ""},
		{"YARN_GLOBAL_FOLDER", "@", "@", "@/cache"},
		{"DENO_DIR", "@", "@", ""},
		{"BUN_INSTALL", "@", "@/install/cache", ""},
		{"NUGET_PACKAGES", "@", "@", ""},
	} {
		t.Run(c.variable, func(t *testing.T) {
			house(t, "go", "cargo", "npm", "pnpm", "pip", "uv", "poetry", "java", "yarn", "deno", "bun", "dotnet")
			other := filepath.Join(t.TempDir(), "other")
			at := func(text string) string { return strings.ReplaceAll(text, "@", other) }
			t.Setenv(c.variable, at(c.value))
			if caches := Caches(); !slices.Contains(caches, at(c.cache)) {
				t.Errorf("%s is not among the caches %q", at(c.cache), caches)
			}
			if c.seen == "" {
				c.seen = c.cache
			}
			if seen := Seen(); !slices.Contains(seen, at(c.seen)) {
				t.Errorf("%s is not seen", at(c.seen))
			}
			if passed, ok := Passed(c.variable, at(c.value)); !ok || !strings.HasSuffix(passed, other) {
				t.Errorf("passed: %q", passed)
			}
		})
	}
}

// A tool uses the usual place only where no variable moves it.
func TestUsualPlaces(t *testing.T) {
	home := house(t, "npm", "go")
	t.Setenv("npm_config_cache", filepath.Join(home, "npm"))
	t.Setenv("GOPATH", "relative")
	caches := Caches()
	for name, want := range map[string]bool{"npm": true, ".npm": false, "go/pkg": true} {
		if slices.Contains(caches, filepath.Join(home, name)) != want {
			t.Errorf("%s is among the caches, or not: %q", name, caches)
		}
	}
}

// Each program that makes conda's environments has folders of its own.
func TestCondaIsSeen(t *testing.T) {
	home := house(t)
	for _, name := range []string{"miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".local/share/mamba", "opt/miniconda3", "opt/anaconda3", ".conda/envs"} {
		if !slices.Contains(Seen(), filepath.Join(home, name)) {
			t.Errorf("~/%s is not seen", name)
		}
	}
}

// Of Maven's options nothing but the repository reaches a command.
func TestPassed(t *testing.T) {
	for value, want := range map[string]string{
		"-Dpassword=x -Dmaven.repo.local=/r -Xmx1g": "-Dmaven.repo.local=/r", "-Dpassword=x": "", "": "",
	} {
		if got, ok := Passed("MAVEN_OPTS", value); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v", value, got, ok)
		}
	}
	if _, ok := Passed("OPENAI_API_KEY", "x"); ok {
		t.Error("a key is passed")
	}
}

// No variable makes the home folder, one that holds or leads to it, one for settings, or one for keys
// a cache, or shows the home folder or keys to a trial.
func TestVariablesNameNoHome(t *testing.T) {
	home := house(t, "go", "cargo", "npm", "pnpm", "pip", "uv", "poetry", "pdm", "hatch", "pipenv", "java", "mvn", "yarn", "deno", "bun", "dotnet", "composer", "cabal", "dart", "conda")
	link := filepath.Join(filepath.Dir(home), "link")
	if err := os.Symlink("u", link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".config", ".ssh", ".local/bin", ".local/share", ".cargo/bin", ".nvm"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	reaches := func(dir, to string) bool {
		real, err := filepath.EvalSymlinks(dir)
		rel, errRel := filepath.Rel(real, to)
		return err == nil && errRel == nil && filepath.IsLocal(rel)
	}
	others := map[string]bool{}
	groups := []map[string]bool{others} // all at once, but for those that move many folders
	for name := range names() {
		if strings.HasPrefix(name, "XDG_") {
			groups = append(groups, map[string]bool{name: true})
		} else {
			others[name] = true
		}
	}
	for _, group := range groups {
		for _, value := range []string{home, home + "/", link, link + "/.", filepath.Dir(home), "/", home + "/.ssh", home + "/.config", home + "/.local", home + "/.local/share", home + "/.local/bin", home + "/.cargo", home + "/.nvm"} {
			for name := range group {
				if name == "MAVEN_OPTS" || name == "MAVEN_ARGS" {
					t.Setenv(name, repository+value)
				} else {
					t.Setenv(name, value)
				}
			}
			for _, dir := range Caches() {
				for _, no := range []string{home, home + "/.config", home + "/.ssh", home + "/.local/bin", home + "/.local/share", home + "/.cargo/bin", home + "/.nvm"} {
					if reaches(dir, no) {
						t.Errorf("%d variables, %s: commands may write %s", len(group), value, dir)
					}
				}
			}
			for _, dir := range Seen() {
				if reaches(dir, home) || reaches(dir, home+"/.ssh") {
					t.Errorf("%d variables, %s: trials see %s", len(group), value, dir)
				}
			}
		}
		for name := range group {
			t.Setenv(name, "")
		}
	}
}

// Programs stay read-only: no usual cache is or holds a folder of them, or lies in one that has only
// programs.
func TestToolsAreNoCaches(t *testing.T) {
	home := house(t)
	var tools []string
	for _, r := range table {
		for _, dir := range r.places(home, true) {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if r.use == Tools {
				tools = append(tools, dir)
			}
		}
	}
	caches := Caches()
	if len(caches) < 20 || len(tools) < 20 {
		t.Fatalf("%d caches and %d tools", len(caches), len(tools))
	}
	for _, cache := range caches {
		for _, dir := range tools {
			if rel, err := filepath.Rel(cache, dir); err == nil && filepath.IsLocal(rel) {
				t.Errorf("the cache %s holds the tools %s", cache, dir)
			}
		}
	}
}

// What the user has set by "go env -w" moves folders as variables do, and less than these.
func TestGoSettings(t *testing.T) {
	home := house(t, "go")
	other := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "settings"))
	file := filepath.Join(home, "settings", "go", "env")
	if runtime.GOOS == "darwin" {
		file = filepath.Join(home, "Library", "Application Support", "go", "env")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "# mine\nGOPATH=" + other + "\nGOCACHE=" + filepath.Join(other, "no") + "\nGOFLAGS=-modcacherw\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", filepath.Join(other, "cache"))
	for _, want := range []string{filepath.Join(other, "pkg"), filepath.Join(other, "cache")} {
		if got := Caches(); !slices.Contains(got, want) || slices.Contains(got, filepath.Join(other, "no")) || slices.Contains(got, filepath.Join(home, "go", "pkg")) {
			t.Errorf("%q, want %s", got, want)
		}
	}
	if got := Seen(); !slices.Contains(got, filepath.Join(other, "bin")) {
		t.Errorf("trials see %q", got)
	}
	if got := GoSettings()["GOFLAGS"]; got != "-modcacherw" {
		t.Errorf("GOFLAGS is %q", got)
	}
	t.Setenv("GOENV", "off")
	if got := GoSettings(); len(got) != 0 {
		t.Errorf("switched off, they are %q", got)
	}
	t.Setenv("GOENV", "")
	if err := os.WriteFile(file, []byte("GOPATH="+home+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(Seen(), Caches()...) {
		if dir == home || dir == filepath.Join(home, "..") {
			t.Errorf("%s is open", dir)
		}
	}
}

// Trials read Cargo's settings, unless they may have credentials, and none outside a folder of Cargo's.
func TestSettings(t *testing.T) {
	home := house(t, "cargo")
	other := t.TempDir()
	write := func(dir, name, text string) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cargo := filepath.Join(home, ".cargo")
	write(cargo, "config.toml", "# see the key features\n[build]\nrustflags = [\"-Copt-level=1\"]\n[source.crates-io]\nreplace-with = \"mine\"\n[source.mine]\nregistry = \"sparse+http://127.0.0.1:8080/index/\"\n[http]\nproxy = \"proxy:3128\"\n")
	write(cargo, "credentials.toml", "[registry]\n")
	write(other, "config.toml", "[net]\noffline = true\n")
	write(home, "config.toml", "")
	for _, c := range []struct{ set, want string }{{"", cargo}, {other, other}, {home, ""}} {
		t.Setenv("CARGO_HOME", c.set)
		var want []string
		if c.want != "" {
			want = []string{filepath.Join(c.want, "config.toml")}
		}
		if got := Settings(); !slices.Equal(got, want) {
			t.Errorf("with CARGO_HOME=%s they are %q, want %q", c.set, got, want)
		}
	}
	t.Setenv("CARGO_HOME", "")
	for _, text := range []string{"[registries.x]\ntoken = \"x\"\n", "[http]\nproxy = \"http://me:pw@proxy:1\"\n", "[registry]\nglobal-credential-providers = []\n", strings.Repeat("# long\n", maxSettings),
		"[http]\nproxy = \"bob:hunter2x@proxy:3128\"\n", "[env]\nAPI_KEY = \"x1\"\n", "[env]\nDATABASE_KEY=\"zx81\"\n", "[env]\n\"API_KEY\" = { value = \"x1\" }\n", "[env.ApiKey]\nvalue = \"x1\"\n", "env.API_KEY.value = \"x1\"\n", "[env]\nACCESS_KEY_ID = \"x1\"\n", "[env]\nDB_PASS = \"x1\"\n",
	} {
		write(cargo, "config.toml", text)
		if got := Settings(); len(got) != 0 {
			t.Errorf("%.40q is shown", text)
		}
	}
}
