package packaging

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// npm and publint find nothing to correct in packages that are about to be published.
func TestNPMPackagesAreClean(t *testing.T) {
	need(t, "npm", howNode)
	dir := packages(t, "npm")
	files := []string{only(t, dir, npmMain)}
	if *roots { // npm takes seconds to read a program
		files = append(files, only(t, dir, "redline-lsp-"+npmPlatform()+"-*.tgz"))
	}
	t.Run("npm", func(t *testing.T) {
		empty := newRegistry(t) // another one would refuse a version that it has
		for _, file := range files {
			out, err := npm(t, empty, t.TempDir(), "npm", "publish", "--dry-run", file)
			if err != nil || strings.Contains(strings.ReplaceAll(out, "npm warn publish This command requires you to be logged in", ""), "npm warn") {
				t.Errorf("npm publish: %v\n%s", err, out)
			}
		}
	})
	t.Run("publint", func(t *testing.T) {
		publint := npmTool(t, "publint")
		for _, file := range files {
			if out := command(t, publint, "run", "--strict", file); !strings.Contains(out, "All good!") {
				t.Errorf("publint:\n%s", out)
			}
		}
	})
}

// A machine that has Node and nothing else runs Redline, installs it, upgrades it and
// removes it.
func TestNPMInRoot(t *testing.T) {
	r := newRoot(t, "npm", "nodejs", "npm")
	current := packages(t, "npm")
	server := newRegistry(t, current)
	r.run("npm config --global set registry " + server.URL)
	r.run("mkdir -p /usr/local/lib/node_modules") // npm makes it and keeps it
	before := r.listing("/home/me/.npm")

	if out := r.run("npx --yes redline-lsp demo"); !strings.Contains(out, "approved") {
		t.Errorf("npx redline-lsp demo printed:\n%s", out)
	}
	if got := r.listing("/home/me/.npm"); !slices.Equal(got, before) {
		t.Errorf("npx left more than its cache: %v", difference(got, before))
	}

	r.run("npm install -g redline-lsp")
	for _, name := range []string{"redline", "redline-lsp"} {
		if out := r.run(name + " demo"); !strings.Contains(out, "approved") {
			t.Errorf("%s demo printed:\n%s", name, out)
		}
	}

	newer := newRegistry(t, current, newerPackages(t, "npm"))
	r.run("npm config --global set registry " + newer.URL)
	r.run("npm install -g redline-lsp@latest")
	if out := r.run("redline version"); out != "redline "+newerVersion+"\n" {
		t.Errorf("after the upgrade, redline version printed %q", out)
	}

	r.run("npm uninstall -g redline-lsp")
	if got := r.listing("/home/me/.npm"); !slices.Equal(got, before) {
		t.Errorf("the removal left %v", difference(got, before))
	}
}

// Where npm left the program out, the launcher says what to do. npm leaves out nothing that it
// installs with -g.
func TestNPMWithoutOptionalInRoot(t *testing.T) {
	r := newRoot(t, "npm", "nodejs", "npm")
	install := "cd /home/me/project && npm install --registry " + newRegistry(t, packages(t, "npm")).URL
	for _, option := range []string{"--omit=optional", "--no-optional"} {
		r.run("rm -rf /home/me/project && mkdir /home/me/project")
		r.run(install + " " + option + " redline-lsp")
		out, err := r.try("cd /home/me/project && npx redline demo")
		if err == nil || !strings.Contains(out, "install redline-lsp again with --include=optional") {
			t.Errorf("with %s: %v\n%s", option, err, out)
		}
		r.run(install + " --include=optional redline-lsp")
		if out := r.run("cd /home/me/project && npx redline demo"); !strings.Contains(out, "approved") {
			t.Errorf("after the advice, redline demo printed:\n%s", out)
		}
	}
}

// listing returns all files and folders of a root, without those below some folders.
func (r root) listing(except ...string) []string {
	r.t.Helper()
	shell := "find / -xdev"
	for _, dir := range append(except, "/proc", "/tmp") {
		shell += " -path " + filepath.Clean(dir) + " -prune -o"
	}
	lines := strings.Split(strings.TrimSpace(r.run(shell+" -print")), "\n")
	slices.Sort(lines)
	return lines
}

// difference returns the names that only one of two lists has.
func difference(a, b []string) []string {
	var only []string
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, name := range pair[0] {
			if _, found := slices.BinarySearch(pair[1], name); !found {
				only = append(only, name)
			}
		}
	}
	return only
}
