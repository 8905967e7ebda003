package workspace

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	w := New([]Folder{{Dir: "/ws"}}, Options{})
	for name, want := range map[string]string{
		"a.go": "a.go", "./a/b.go": "a/b.go", "a//b/../c.go": "a/c.go", "a/": "a", ".": ".", "/ws": ".",
		`a\b.go`: "a/b.go", `.\a.go`: "a.go", "/ws/a.go": "a.go", "/ws/x/../a.go": "a.go",
		"file:///ws/a%20b.go": "a b.go", "..a": "..a", "a/...": "a/...", ".gitignore": ".gitignore", ".github/x": ".github/x",
		"git/config": "git/config", "redline": "redline", "a b/ä#%.go": "a b/ä#%.go", "~/x": "~/x", "a\nb": "a\nb",
	} {
		if got, err := w.Clean(name); err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for name, reason := range map[string]string{
		"": "no file was named", "a\x00b": "NUL", strings.Repeat("a/", 1<<20): "too long",
		"..": "outside", "../a": "outside", "a/../../b": "outside", `..\..\a`: "outside", "/etc/passwd": "outside", "/": "outside",
		"/wsx/a": "outside", "file:///etc/passwd": "outside", "file://host/ws/a": "outside",
		".git": ".git", ".git/config": ".git", "a/../.git/config": ".git", "sub/.git/hooks/pre-commit": ".git", ".GIT/config": ".git",
		`.git\config`: ".git", "file:///ws/%2egit/config": ".git", "/ws/.git": ".git", ".git.": ".git", ".git /x": ".git",
		".git::$INDEX_ALLOCATION/x": ".git", "git~1/config": ".git", ".g\u200cit/config": ".git",
		".redline": "Redline itself", ".redline/chat.md": "Redline itself", "a/../.redline/plans/0001-r1.md": "Redline itself",
		".Redline/config.toml": "Redline itself", "sub/.redline/x": "Redline itself",
	} {
		got, err := w.Clean(name)
		refusal, ok := err.(*Refusal)
		if !ok || !strings.Contains(refusal.Error(), reason) {
			t.Errorf("Clean(%q) = %q, %v; want a refusal with %q", name, got, err, reason)
		} else if strings.ContainsAny(refusal.Error(), "\n\x00") {
			t.Errorf("the refusal of %q is not one line: %q", name, refusal)
		}
	}
}

func TestCleanWithSeveralFolders(t *testing.T) {
	w := New([]Folder{{Dir: "/ws/api"}, {Dir: "/ws/web"}, {Dir: "/ws/web/lib", Name: "lib"}}, Options{})
	for name, want := range map[string]string{
		"api/a.go": "api/a.go", "/ws/web/b.ts": "web/b.ts", "web": "web", ".": ".",
		"web/lib/c.ts": "lib/c.ts", "/ws/web/lib/c.ts": "lib/c.ts", "api/../web/b.ts": "web/b.ts",
	} {
		if got, err := w.Clean(name); err != nil || got != want {
			t.Errorf("Clean(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"a.go", "other/a.go", "api/.git/x", "web/.redline/x", "/ws/a", "../api/a"} {
		if got, err := w.Clean(name); err == nil {
			t.Errorf("Clean(%q) = %q, want a refusal", name, got)
		}
	}
	if got, err := w.Abs("web/b.ts"); err != nil || got != filepath.FromSlash("/ws/web/b.ts") {
		t.Errorf("Abs = %q, %v", got, err)
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"a/../../b", `..\x`, "/ws/../etc", ".git", "file:///ws/../x", "a\x00", ". ", "./.git/", "//ws/a"} {
		f.Add(seed)
	}
	w := New([]Folder{{Dir: "/ws"}}, Options{})
	f.Fuzz(func(t *testing.T, name string) {
		p, err := w.Clean(name)
		if err != nil {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(p)) || inGit(p) != "" || inOwn(p) {
			t.Errorf("Clean(%q) = %q", name, p)
		}
		if again, err := w.Clean(p); err != nil || again != p {
			// A backslash can only come from an absolute name or a URI.
			if !strings.Contains(p, `\`) {
				t.Errorf("Clean(Clean(%q)) = %q, %v; Clean gave %q", name, again, err, p)
			}
		}
	})
}
