package workspace

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no []string
	}{
		{"a.go", []string{"a.go", "d/a.go"}, []string{"ba.go", "a.go2"}},
		{"*.log", []string{"x.log", "d/.log"}, []string{"x.logs", "log"}},
		{"/a", []string{"a"}, []string{"d/a"}},
		{"d/a", []string{"d/a"}, []string{"x/d/a", "a"}},
		{"**/a/b", []string{"a/b", "x/y/a/b"}, []string{"b"}},
		{"a/**", []string{"a/b", "a/b/c"}, []string{"a", "b/a/c"}},
		{"a/**/b", []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"a/x"}},
		{"a?c", []string{"abc"}, []string{"ac", "a/c"}},
		{"[ab].x", []string{"a.x", "b.x"}, []string{"c.x"}},
		{"[!ab].x", []string{"c.x"}, []string{"a.x"}},
		{`\#x`, []string{"#x"}, []string{"x"}},
		{`\!x`, []string{"!x"}, []string{"x"}},
		{`x\ `, []string{"x "}, []string{"x"}},
		{"x  ", []string{"x"}, []string{"x "}},
		{"{a,b}", []string{"{a,b}"}, []string{"a", "b"}},
		{"*{x}", []string{"1{x}"}, []string{"1x"}},
		{"d/", []string{}, []string{"d", "x/d"}},
		{"# x", []string{}, []string{"x", "# x"}},
		{"[", []string{}, []string{"[", "a"}},
		{"/", []string{}, []string{"a"}},
	} {
		patterns := parsePatterns(c.pattern+"\r\n", false)
		for _, name := range c.yes {
			if ok, _ := decide(patterns, name, false); !ok {
				t.Errorf("%q does not match %q", c.pattern, name)
			}
		}
		for _, name := range c.no {
			if ok, _ := decide(patterns, name, false); ok {
				t.Errorf("%q matches %q", c.pattern, name)
			}
		}
	}
	if ok, _ := decide(parsePatterns("d/", false), "x/d", true); !ok {
		t.Error("d/ does not match the folder x/d")
	}
}

func TestIgnoreRules(t *testing.T) {
	dir := newTree(t, map[string]string{
		".git/info/exclude": "excluded\n", ".gitignore": "*.log\n/top\nsub/ws/fromtop\n!keep.log\nout/\n",
		"sub/.gitignore":         "fromsub\n",
		"sub/ws/.gitignore":      "!important.log\n/here\n",
		"sub/ws/.redline/ignore": "private/\n*.secret\n", "sub/ws/.redline/chat.md": "",
		"sub/ws/a.go": "", "sub/ws/x.log": "", "sub/ws/keep.log": "", "sub/ws/important.log": "", "sub/ws/here": "",
		"sub/ws/d/here": "", "sub/ws/d/.gitignore": "*.go\n!b.go\n", "sub/ws/d/a.go": "", "sub/ws/d/b.go": "",
		"sub/ws/fromtop": "", "sub/ws/d/fromsub": "", "sub/ws/excluded": "", "sub/ws/top": "",
		"sub/ws/out/keep.log": "", "sub/ws/private/x": "", "sub/ws/d/k.secret": "", "sub/ws/.env.local": "",
		"sub/ws/inner/.git": "gitdir: x", "sub/ws/inner/c.go": "",
	})
	w := New([]Folder{{Dir: filepath.Join(dir, "sub", "ws")}}, Options{})
	got, left, err := w.List(t.Context(), "", "", nil, 0)
	must(t, err)
	want := []string{".gitignore", "a.go", "d/.gitignore", "d/b.go", "d/here", "important.log", "inner/c.go", "keep.log", "top"}
	if diff := cmp.Diff(want, got); diff != "" || left != 0 {
		t.Errorf("%d left, (-want +got):\n%s", left, diff)
	}
}

// TestIgnoreAsGit compares with git itself, on random rules and files.
func TestIgnoreAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, so there is nothing to compare with")
	}
	run := func(t rapid.TB, dir, stdin string, args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v %s", args, err, &stderr)
		}
		return string(out)
	}
	outer := t
	names := rapid.SampledFrom([]string{"a", "b", "c.x", "d.x", "ab"})
	line := rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab", "c.x", "*.x", "*", "**", "?", "[ab]", "[!a]", "a*", "*b"}), 1, 3).Draw(t, "parts")
		return rapid.SampledFrom([]string{"", "", "!", "/", "!/"}).Draw(t, "before") + strings.Join(parts, "/") + rapid.SampledFrom([]string{"", "", "/"}).Draw(t, "after")
	})
	file := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 4).Draw(t, "lines"), "\n")
	})
	rapid.Check(t, func(t *rapid.T) {
		dir := newTree(outer, nil)
		run(t, dir, "", "init", "-q")
		for _, p := range rapid.SliceOfN(rapid.SliceOfN(names, 1, 3), 1, 8).Draw(t, "files") {
			full := filepath.Join(append([]string{dir}, p...)...)
			if os.MkdirAll(filepath.Dir(full), 0o755) == nil {
				os.WriteFile(full, nil, 0o644) // what is a folder already stays one
			}
		}
		for _, in := range []string{"", "a", "ab", "a/b"} {
			if info, err := os.Stat(filepath.Join(dir, in)); err == nil && info.IsDir() {
				must(outer, os.WriteFile(filepath.Join(dir, in, ".gitignore"), []byte(file.Draw(t, "rules in "+in)), 0o644))
			}
		}
		want := strings.Split(strings.TrimSuffix(run(t, dir, "", "ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
		if want[0] == "" {
			want = nil
		}
		w := New([]Folder{{Dir: dir}}, Options{})
		got, _, err := w.List(outer.Context(), "", "", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-git +ours):\n%s", diff)
		}
	})
}

func TestSecret(t *testing.T) {
	w, dir := newWorkspace(t, map[string]string{".redline/ignore": "private/\n*.secret\n!ok.secret\n", ".env": "K=1", "a.go": ""})
	for path, want := range map[string]bool{
		".env": true, ".env.local": true, "deploy/.envrc": true, "certs/server.pem": true, "x/ID_RSA": true, "id_rsa.pub": false,
		"k.key": true, ".aws/config": true, "aws/credentials": true, "credentials/tls.go": false, ".npmrc": true,
		"private/x/y.go": true, "a.secret": true, "d/ok.secret": false,
		"a.go": false, "environment.go": false, "monkey.go": false, "none": false, "../x": false,
	} {
		if got := w.Secret(path); got != want {
			t.Errorf("Secret(%q) = %v", path, got)
		}
	}
	link(t, ".env", filepath.Join(dir, "notes.txt"))
	if !w.Secret("notes.txt") {
		t.Error("a link to .env is not secret")
	}
}
