//go:build unix

package git_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/workspace/git"
)

// attack is a way in which the author of a repository makes Git run a program: the marker script,
// which writes its first argument as the name of a file.
type attack struct {
	settings   []string // keys and values, in which MARK is the script
	attributes string
	setup      func(r repository, mark string) // nil: nothing more
	plain      []string                        // the arguments with which plain git runs it; nil: it does so only on other occasions
}

var attacks = map[string]attack{
	"a file system monitor":         {settings: []string{"core.fsmonitor", "MARK"}, plain: []string{"status"}},
	"a clean filter":                {settings: []string{"filter.x.clean", "MARK"}, attributes: "* filter=x\n", plain: []string{"diff", "HEAD"}},
	"a filter process":              {settings: []string{"filter.x.process", "MARK", "filter.x.required", "true"}, attributes: "* filter=x\n", plain: []string{"status"}},
	"a smudge filter":               {settings: []string{"filter.x.smudge", "MARK"}, attributes: "* filter=x\n", plain: []string{"checkout", "-f", "HEAD", "."}},
	"a diff program":                {settings: []string{"diff.external", "MARK"}, plain: []string{"diff", "HEAD"}},
	"a diff driver":                 {settings: []string{"diff.x.command", "MARK"}, attributes: "* diff=x\n", plain: []string{"diff", "HEAD"}},
	"a text converter":              {settings: []string{"diff.x.textconv", "MARK"}, attributes: "* diff=x\n", plain: []string{"log", "-p"}},
	"a text converter, for blame":   {settings: []string{"diff.x.textconv", "MARK"}, attributes: "* diff=x\n", plain: []string{"blame", "a.txt"}},
	"a pager":                       {settings: []string{"core.pager", "MARK"}}, // only at a terminal
	"a pager of a command":          {settings: []string{"pager.status", "MARK", "pager.config", "MARK"}},
	"an alias":                      {settings: []string{"alias.status", "!MARK", "alias.mine", "!MARK"}, plain: []string{"mine"}},
	"a program that checks signers": {settings: []string{"gpg.program", "MARK", "log.showSignature", "true"}, setup: signed, plain: []string{"log"}},
	"another such program":          {settings: []string{"gpg.openpgp.program", "MARK", "log.showSignature", "true"}, setup: signed, plain: []string{"log"}},
	"a promised object": {settings: []string{"remote.origin.promisor", "true", "remote.origin.url", "ext::MARK", "protocol.ext.allow", "always", "extensions.partialClone", "origin", "core.repositoryFormatVersion", "1"},
		setup: missing, plain: []string{"diff", "HEAD"}},
	"a server reached by ssh": {settings: []string{"remote.origin.promisor", "true", "remote.origin.url", "ssh://host.invalid/x", "core.sshCommand", "MARK", "extensions.partialClone", "origin", "core.repositoryFormatVersion", "1"},
		setup: missing, plain: []string{"diff", "HEAD"}},
	"programs for credentials":  {settings: []string{"credential.helper", "!MARK", "core.askPass", "MARK", "core.editor", "MARK", "sequence.editor", "MARK"}},
	"refs of other object sets": {settings: []string{"core.alternateRefsCommand", "MARK"}},
	"an included file": {setup: func(r repository, mark string) {
		r.write("more", "[core]\n\tfsmonitor = "+mark+"\n[diff]\n\texternal = "+mark+"\n")
		r.git("config", "include.path", "../more")
	}, plain: []string{"status"}},
	"an included file, on a condition": {setup: func(r repository, mark string) {
		r.write("more", "[core]\n\tfsmonitor = "+mark+"\n")
		r.git("config", "includeIf.gitdir:**.path", "../more")
	}, plain: []string{"status"}},
	"settings of a worktree": {setup: func(r repository, mark string) {
		r.git("config", "extensions.worktreeConfig", "true")
		r.git("config", "--worktree", "core.fsmonitor", mark)
	}, plain: []string{"status"}},
	"a hook": {setup: func(r repository, mark string) {
		for _, name := range []string{"post-index-change", "post-checkout", "pre-commit", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"} {
			r.write(".git/hooks/"+name, "#!/bin/sh\nexec "+mark+"\n")
			if err := os.Chmod(filepath.Join(r.dir, ".git/hooks", name), 0o755); err != nil {
				r.t.Fatal(err)
			}
		}
	}, plain: []string{"update-index", "--refresh", "--again", "--chmod=+x", "sub/b.txt"}},
	"a folder of hooks": {setup: func(r repository, mark string) {
		r.write("hooks/post-index-change", "#!/bin/sh\nexec "+mark+"\n")
		if err := os.Chmod(filepath.Join(r.dir, "hooks/post-index-change"), 0o755); err != nil {
			r.t.Fatal(err)
		}
		r.git("config", "core.hooksPath", "hooks")
	}, plain: []string{"update-index", "--chmod=+x", "sub/b.txt"}},
	"a repository inside": {setup: func(r repository, mark string) {
		inner := repository{r.t, filepath.Join(r.dir, "sub/inner")}
		inner.write("a.txt", "a\n")
		inner.git("init", "-q")
		inner.commit("inner")
		r.git("-c", "advice.addEmbeddedRepo=false", "add", "sub/inner")
		r.git("commit", "-qm", "a submodule")
		inner.git("config", "core.fsmonitor", mark)
		inner.write("a.txt", "changed\n")
	}, plain: []string{"status"}},
	"a git in the workspace": {setup: func(r repository, mark string) {
		for _, at := range []string{"git", "sub/git", "bin/git"} {
			r.write(at, "#!/bin/sh\nexec "+mark+"\n")
			if err := os.Chmod(filepath.Join(r.dir, at), 0o755); err != nil {
				r.t.Fatal(err)
			}
		}
		r.t.Setenv("PATH", strings.Join([]string{"", ".", "sub", filepath.Join(r.dir, "bin"), os.Getenv("PATH")}, ":"))
		r.t.Chdir(r.dir)
	}},
	"variables of Git": {setup: func(r repository, mark string) {
		for _, entry := range []string{"GIT_EXTERNAL_DIFF=" + mark, "GIT_PAGER=" + mark, "GIT_SSH_COMMAND=" + mark, "PAGER=" + mark,
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=" + mark, "GIT_CONFIG_PARAMETERS='diff.external'='" + mark + "'"} {
			name, value, _ := strings.Cut(entry, "=")
			r.t.Setenv(name, value)
		}
	}, plain: []string{"diff", "HEAD"}},
}

// signed gives the last commit a signature, which Git hands to a program.
func signed(r repository, _ string) {
	head := r.git("cat-file", "commit", "HEAD")
	headers, message, _ := strings.Cut(head, "\n\n")
	r.write(".git/signed", headers+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n"+message)
	r.git("update-ref", "HEAD", strings.TrimSpace(r.git("hash-object", "-t", "commit", "-w", ".git/signed")))
}

// missing removes the object of a file that was changed.
func missing(r repository, _ string) {
	object := strings.TrimSpace(r.git("rev-parse", "HEAD:a.txt"))
	if err := os.Remove(filepath.Join(r.dir, ".git/objects", object[:2], object[2:])); err != nil {
		r.t.Fatal(err)
	}
}

// everything calls each function that reads a repository. What it returns does not matter.
func everything(t *testing.T, r repository) {
	t.Helper()
	for _, folder := range []string{"", "sub"} {
		repo, err := git.At(filepath.Join(r.dir, folder), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = repo.Status(t.Context())
		_, _ = repo.Log(t.Context(), git.Query{Limit: 10})
		_, _ = repo.Log(t.Context(), git.Query{Path: "a.txt", Revision: "main", Grep: "first", Limit: 10})
		in, _, _ := repo.In(t.Context(), "HEAD", "")
		_, _, _ = repo.Between(t.Context(), "HEAD", "main", "")
		_, _ = repo.Objects(t.Context(), []string{"a.txt"})
		for _, c := range in {
			_, _ = repo.Texts(t.Context(), []string{c.Old, c.New})
		}
		_, _ = repo.Blame(t.Context(), "a.txt", "one\nTWO\nthree\n", 1, 3)
	}
}

// snapshot returns the texts of the files of a repository, by name.
func snapshot(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			text, err := os.ReadFile(name)
			files = append(files, name+"\n"+string(text))
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAttacks(t *testing.T) {
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			marker := filepath.Join(filepath.Dir(r.dir), "marker")
			outside := repository{t, filepath.Dir(r.dir)}
			outside.write("mark", "#!/bin/sh\ntouch '"+marker+"'\n")
			mark := filepath.Join(outside.dir, "mark")
			if err := os.Chmod(mark, 0o755); err != nil {
				t.Fatal(err)
			}
			r.write(".gitattributes", a.attributes)
			r.git("add", ".gitattributes")
			r.write("sub/b.txt", "changed\n")
			if a.setup != nil {
				a.setup(r, mark)
			}
			for pair := range slices.Chunk(a.settings, 2) {
				r.git("config", pair[0], strings.ReplaceAll(pair[1], "MARK", mark))
			}
			r.write("a.txt", "one\nTWO\nthree\n")
			if err := os.Remove(marker); err != nil && !os.IsNotExist(err) { // setting it up may have run it
				t.Fatal(err)
			}
			before := snapshot(t, r.dir)

			everything(t, r)
			if _, err := os.Stat(marker); err == nil {
				t.Error("the program was run")
			}
			if after := snapshot(t, r.dir); !slices.Equal(before, after) {
				t.Error("the repository was changed")
			}

			if a.plain == nil {
				return
			}
			out, _ := r.try(a.plain...) // it often fails because of the marker
			if _, err := os.Stat(marker); err != nil {
				t.Errorf("the attack does nothing: plain git does not run the program either\n%s", out)
			}
		})
	}
}
