package workspace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func relative(dir string, names []string) (rel []string) {
	for _, name := range names {
		name, _ = filepath.Rel(dir, name)
		rel = append(rel, filepath.ToSlash(name))
	}
	return rel
}

// Secret files are found wherever they are, also after folders have changed.
func TestSecretFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := New([]Folder{{Dir: dir}}, Options{OffLimits: []string{filepath.Join(dir, "state")}})
	want := func(names ...string) {
		t.Helper()
		found, err := w.SecretFiles(context.Background(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := relative(dir, found.Names); !slices.Equal(got, names) {
			t.Errorf("found %q, want %q", got, names)
		}
	}
	for _, name := range []string{"a.go", ".env", ".env.example", "node_modules/x/id_rsa", "node_modules/x/a.js", ".git/config", ".ssh/a", ".ssh/b", "own/a.key", "own/b.txt", "state/x", "target/deep/er/token.json"} {
		write(name)
	}
	write(".gitignore")
	all := []string{".env", ".ssh", "node_modules/x/id_rsa", "own/a.key", "state", "target/deep/er/token.json"}
	want(all...)
	old := time.Now().Add(-time.Hour)
	_ = filepath.WalkDir(dir, func(name string, _ os.DirEntry, _ error) error { return os.Chtimes(name, old, old) })
	want(all...)
	want(all...) // what is known by now
	write("target/deep/er/again.pem")
	want(slices.Sorted(slices.Values(append(slices.Clone(all), "target/deep/er/again.pem")))...)
	if err := os.RemoveAll(filepath.Join(dir, "target")); err != nil {
		t.Fatal(err)
	}
	want(slices.DeleteFunc(slices.Clone(all), func(name string) bool { return strings.HasPrefix(name, "target") })...)
	if err := os.MkdirAll(filepath.Join(dir, ".redline"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".redline", "ignore"), []byte("own/b.txt\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want(".env", ".ssh", "node_modules/x/id_rsa", "own/a.key", "own/b.txt", "state")
}

// A token, assembled here so that no scanner takes it for a real one.
var aToken = "gh" + "p_" + strings.Join([]string{"pQ7x", "Lm2V", "k9Zt", "R4yB", "n8Cw", "J3sD", "f6Hg", "T5uE", "a1Xv"}, "")

// Files are secret by their text, apart from source code; a link to one that is secret is another
// name of it; certificates are public.
func TestSecretFilesByTheirText(t *testing.T) {
	dir := newTree(t, map[string]string{
		"app.ini": "aToken = " + aToken, "app.go": "// " + aToken, "b.ini": "aToken = ${TOKEN}", "notes": aToken, "README.md": "x " + aToken,
		"node_modules/x/package.json": aToken, "big.txt": strings.Repeat("x\n", 1<<20) + aToken, "program": "\x7fELF\x00" + aToken,
		"ca.pem": pem("CERTIFICATE"), "both.pem": pem("CERTIFICATE") + pem("PRIVATE KEY"), "key.pem": pem("RSA PRIVATE KEY"), "empty.pem": "",
		"sub/.env": "A=1\n", "sub/.git/config": "", "other/.git": "gitdir: ../sub/.git\n", "deep/er/.git/HEAD": "",
	})
	for name, to := range map[string]string{"other/settings.txt": "sub/.env", "deep/er/copy.go": "app.ini"} {
		if err := os.Link(filepath.Join(dir, to), filepath.Join(dir, name)); err != nil {
			t.Skipf("hard links cannot be made here: %v", err)
		}
	}
	w := New([]Folder{{Dir: dir}}, Options{MaxFile: 8 << 20})
	all := []string{"README.md", "app.ini", "big.txt", "both.pem", "empty.pem", "key.pem", "notes", "sub/.env"}
	links := []string{"deep/er/copy.go", "other/settings.txt"}
	if runtime.GOOS != "linux" {
		links = nil // which are for trials
	}
	for range 2 { // the second time from what is known
		found, err := w.SecretFiles(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := relative(dir, found.Names), slices.Sorted(slices.Values(slices.Concat(all, links))); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
		if got, want := relative(dir, found.Repositories), []string{"deep/er", "other", "sub"}; !slices.Equal(got, want) {
			t.Errorf("found the repositories %q, want %q", got, want)
		}
	}
	for name, text := range map[string]string{"app.ini": "changed", "b.ini": aToken} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := w.SecretFiles(t.Context(), nil)
	if got := relative(dir, found.Names); err != nil || slices.Contains(got, "app.ini") || !slices.Contains(got, "b.ini") {
		t.Errorf("after changes: %q %v", got, err)
	}
}

func pem(kind string) string {
	return "-----BEGIN " + kind + "-----\n" + strings.Repeat("MIIEowIBAAKCAQEA0Zx9vB3kqT7uL2mNpRsWfHjGdYcXaVbE5oI8tKzQ1nM4rJ6w\n", 5) + "-----END " + kind + "-----\n"
}

// In folders of tools what is secret by name is found at any depth, and by text in the first two.
func TestSecretFilesOfTools(t *testing.T) {
	ws := newTree(t, map[string]string{"a.txt": "", "tools/.env": ""})
	dir := newTree(t, map[string]string{
		"bin/.env": "A=1\n", "bin/deploy.sh": "curl -H 'token: " + aToken + "'\n", "bin/deploy": aToken, "bin/go": "\x7fELF", "bin/lib/x.conf": aToken,
		"pkg/mod/example.com/m@v1.0.0/.npmrc": "", "pkg/mod/example.com/m@v1.0.0/ca.pem": pem("CERTIFICATE"), "pkg/mod/example.com/m@v1.0.0/x.key": "",
		"pkg/mod/example.com/m@v1.0.0/tokens.txt": aToken, "pkg/mod/example.com/m@v1.0.0/.git/config": "", "pkg/.ssh/id": "", "build/0a/.env": "", "build/.netrc": "",
	})
	w := New([]Folder{{Dir: ws}}, Options{MaxFile: 8 << 20})
	tools := []string{filepath.Join(dir, "bin"), filepath.Join(dir, "pkg"), filepath.Join(dir, "build"), filepath.Join(dir, "missing"), filepath.Join(ws, "tools")}
	want := []string{"bin/.env", "bin/deploy", "bin/deploy.sh", "bin/lib/x.conf", "build/.netrc", "pkg/.ssh", "pkg/mod/example.com/m@v1.0.0/.npmrc", "pkg/mod/example.com/m@v1.0.0/x.key"}
	look := func() Hidden {
		t.Helper()
		found, err := w.SecretFiles(t.Context(), func(Ways) []string { return tools })
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(found.Names, filepath.Join(ws, "tools", ".env")) {
			t.Errorf("a tool in the workspace: %q", found.Names)
		}
		found.Names = slices.DeleteFunc(found.Names, func(name string) bool { return strings.HasPrefix(name, ws) })
		return found
	}
	for range 2 {
		found := look()
		if got := relative(dir, found.Names); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
		if got := relative(dir, found.Repositories); !slices.Equal(got, []string{"pkg/mod/example.com/m@v1.0.0"}) {
			t.Errorf("found the repositories %q", got)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "pkg", "mod", "auth.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := relative(dir, look().Names); !slices.Contains(got, "pkg/mod/auth.json") {
		t.Errorf("a new one is not found: %q", got)
	}
}

// The ways out of a workspace are its links to what is elsewhere, and its environments, also where
// ignore files leave them out; single files of tools are secret by name or text.
func TestSecretFilesAlongTheWays(t *testing.T) {
	dir := newTree(t, map[string]string{"ws/.gitignore": "/.venv\n/node_modules\n", "ws/.venv/pyvenv.cfg": "", "ws/a/env/pyvenv.cfg": "", "ws/x": "", "ws/.env/pyvenv.cfg": "", "bin/plain": "#!/bin/sh\n", "bin/deploy": "#!/bin/sh\n# " + aToken + "\n", "bin/id_rsa": ""})
	ws := filepath.Join(dir, "ws")
	for name, to := range map[string]string{
		".venv/bin/python": filepath.Join(dir, "bin/plain"), ".venv/bin/python3": "python", "out": "../bin", "in": "../ws/x", "a/deep/up": "../../../bin/plain", "a/deep/in": "../../x", "node_modules": "/gone", "same": ".",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(ws, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		link(t, to, filepath.Join(ws, name))
	}
	w := New([]Folder{{Dir: ws}}, Options{MaxFile: 8 << 20})
	for range 2 { // the second time from what is known
		var ways Ways
		found, err := w.SecretFiles(t.Context(), func(out Ways) []string {
			ways = out
			return []string{filepath.Join(dir, "bin/plain"), filepath.Join(dir, "bin/deploy"), filepath.Join(dir, "bin/id_rsa")}
		})
		if err != nil {
			t.Fatal(err)
		}
		links, environments := relative(ws, ways.Links), relative(ws, ways.Environments)
		slices.Sort(links)
		slices.Sort(environments)
		if want := []string{".venv/bin/python", "a/deep/up", "node_modules", "out"}; !slices.Equal(links, want) {
			t.Errorf("the links are %q, want %q", links, want)
		}
		if want := []string{".venv", "a/env"}; !slices.Equal(environments, want) {
			t.Errorf("the environments are %q, want %q", environments, want)
		}
		if got, want := relative(dir, found.Names), []string{"bin/deploy", "bin/id_rsa", "ws/.env"}; !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
}

// BenchmarkSecretFiles finds what a trial must not see, of which all is known but for what has changed
// since: in a workspace of source code, in one of data, and with the Go module cache of this user.
func BenchmarkSecretFiles(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		folder := filepath.Join(dir, fmt.Sprintf("d%d", i/20))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"f%d.go", "f%d.txt"} {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf(name, i%20)), []byte(strings.Repeat("text\n", 500)), 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
	old := time.Now().Add(-time.Hour)
	_ = filepath.WalkDir(dir, func(name string, _ os.DirEntry, _ error) error { return os.Chtimes(name, old, old) })
	var tools []string
	if home, err := os.UserHomeDir(); err == nil {
		tools = []string{filepath.Join(home, "go", "pkg"), filepath.Join(home, ".cache", "go-build")}
	}
	for name, tools := range map[string][]string{"alone": nil, "tools": tools} {
		w := New([]Folder{{Dir: dir}}, Options{MaxFile: 8 << 20})
		first := time.Now()
		if _, err := w.SecretFiles(b.Context(), func(Ways) []string { return tools }); err != nil {
			b.Fatal(err)
		}
		took := time.Since(first)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := w.SecretFiles(b.Context(), func(Ways) []string { return tools }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(took.Seconds()*1e3, "first-ms")
		})
	}
}
