package gitremote_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/workspace/gitremote"
)

// put lets git write an object of the remote.
func (tm *team) put(in []byte, args ...string) string {
	tm.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = tm.remote, bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		tm.t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (tm *team) blob(text string) string { return tm.put([]byte(text), "hash-object", "-w", "--stdin") }
func (tm *team) tree(entries string) string {
	return tm.put([]byte(entries), "mktree", "--missing")
}
func (tm *team) commit(tree string) string { return tm.put(nil, "commit-tree", "-m", "plan", tree) }

func TestHostileRefs(t *testing.T) {
	tm := newTeam(t, "")
	dir := tm.clone("ada", tm.remote)
	blob := tm.blob("text\n")
	good := tm.commit(tm.tree("100644 blob " + blob + "\tplan.json\n"))
	tm.git(tm.remote, "tag", "-am", "x", "v1", good)
	tm.git(tm.remote, "update-ref", "refs/heads/main", tm.commit(tm.tree("100644 blob "+blob+"\ta.txt\n")))
	for what, object := range map[string]string{
		"it is a tree":                           tm.tree("100644 blob " + blob + "\tplan.json\n"),
		"it is a blob":                           blob,
		"it is a tag":                            tm.git(tm.remote, "rev-parse", "v1"),
		"its tree has something else than":       tm.commit(tm.tree("120000 blob " + blob + "\tplan.json\n")),
		"its tree has something else than the":   tm.commit(tm.tree("100755 blob " + blob + "\tplan.json\n")),
		"its tree has something else than the f": tm.commit(tm.tree("040000 tree " + tm.tree("") + "\tplan.json\n")),
		"something else than the file plan.json": tm.commit(tm.tree("160000 commit " + good + "\tplan.json\n")),
		"something else than the file":           tm.commit(tm.tree("100644 blob " + blob + "\tplan.json\n100644 blob " + blob + "\tz\n")),
		"something else":                         tm.commit(tm.tree("")),
		"else than the file plan.json":           "ref: refs/heads/main",
		"its tree is too large":                  tm.commit(tm.tree(strings.Repeat("100644 blob "+blob+"\t"+strings.Repeat("n", 200)+"%\n", 1) + many(blob))),
	} {
		if strings.HasPrefix(object, "ref: ") {
			tm.git(tm.remote, "symbolic-ref", "refs/redline/plans/"+planID, strings.TrimPrefix(object, "ref: "))
		} else {
			tm.git(tm.remote, "update-ref", "--no-deref", "refs/redline/plans/"+planID, object)
		}
		r := tm.open(dir)
		if d, err := r.Pull(t.Context(), planID); err == nil || !strings.Contains(err.Error(), "refs/redline/plans/"+planID+" at origin is no plan: ") || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: pull: %v %v", what, d, err)
		}
		if _, err := r.Push(t.Context(), planID, lines("Ada's\n")); err == nil || !strings.Contains(err.Error(), "is no plan: ") || !strings.Contains(err.Error(), "redline plans rm "+planID+" --remote origin removes it") {
			t.Errorf("%s: push: %v", what, err)
		}
		r.Close()
	}
	tm.git(tm.remote, "update-ref", "--no-deref", "refs/redline/plans/"+planID, blob)
	if err := tm.open(dir).Remove(t.Context(), planID); err != nil {
		t.Error(err)
	}
}

// many returns many entries of a tree.
func many(blob string) string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "100644 blob %s\tname-%d\n", blob, i)
	}
	return b.String()
}

// What is too large is refused before it is read: also if it is small on its way.
func TestLargeDocuments(t *testing.T) {
	const most = 1 << 20
	gitremote.SetLimits(t, most, most/2)
	tm := newTeam(t, "")
	dir := tm.clone("ada", tm.remote)
	random := make([]byte, 8*most)
	_, _ = rand.Read(random)
	for what, text := range map[string]string{
		"it is larger than 100 MB":          string(random),
		"its file is larger than 64 MB":     strings.Repeat("0", 4*most),
		"its file is larger than 64 MB, so": strings.Repeat("0", most/2+1),
	} {
		tm.git(tm.remote, "update-ref", "refs/redline/plans/"+planID, tm.commit(tm.tree("100644 blob "+tm.blob(text)+"\tplan.json\n")))
		r := tm.open(dir)
		if _, err := r.Pull(t.Context(), planID); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(what, ", so")) {
			t.Errorf("%s: %v", what, err)
		}
		r.Close()
	}
}

// A server may list whatever names it likes.
func TestHostileNames(t *testing.T) {
	tm := newTeam(t, "")
	object := strings.Repeat("a", 40)
	var body bytes.Buffer
	line := func(text string) { fmt.Fprintf(&body, "%04x%s", len(text)+4, text) }
	line("# service=git-upload-pack\n")
	body.WriteString("0000")
	line(object + " HEAD\x00 agent=hostile object-format=sha1\n")
	for _, name := range []string{"\x1b[31mred", "a\tb", "../../heads/main", "a/b", "UPPER", "-x", strings.Repeat("a", 65), planID, "ünder", ""} {
		line(object + " refs/redline/plans/" + name + "\n")
	}
	line(object + " refs/heads/main\n")
	body.WriteString("0000")
	address := tm.web(func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		_, _ = w.Write(body.Bytes())
		return true
	})
	r := tm.open(tm.clone("ada", address+"/remote.git"))
	list, others, err := r.List(t.Context())
	if err != nil || len(list) != 1 || list[0].ID != planID || others == 0 {
		t.Errorf("%v, %d others, %v", list, others, err)
	}
	if _, err := r.Pull(t.Context(), "../../heads/main"); err == nil {
		t.Error("pulled a branch")
	}
}

func TestErrors(t *testing.T) {
	tm := newTeam(t, "")
	dir := tm.clone("ada", tm.remote)
	bare := tm.web(nil) + "/remote.git"
	tm.script("remote.git/hooks/pre-receive", "echo 'plans are not welcome here' >&2; exit 1")
	tm.git(tm.dir, "init", "-q", "lonely")
	tm.git(tm.dir, "init", "-q", "two")
	tm.git(filepath.Join(tm.dir, "two"), "remote", "add", "a", "x")
	tm.git(filepath.Join(tm.dir, "two"), "remote", "add", "b", "x")
	if err := os.Mkdir(filepath.Join(tm.dir, "plain"), 0o700); err != nil {
		t.Fatal(err)
	}
	tm.git(tm.dir, "init", "-q", "--bare", "--object-format=sha256", "long.git")
	locked := tm.web(locked)
	for _, test := range []struct{ folder, name, want string }{
		{"plain", "", "this folder is in no Git repository: plans are shared through the remote of one"},
		{"lonely", "", "the repository has no remote: git remote add origin ADDRESS names one"},
		{"two", "", "the repository has the remotes a, b: say which"},
		{"two", "c", "the repository has no remote c: it has a, b"},
		{"ada", "ext::sh -c true", "the remote ext::sh -c true is ext::sh -c true, which needs a helper program: Redline uses only files, ssh, git and http"},
		{"ada", filepath.Join(tm.dir, "plain"), "there is no repository at " + tm.dir + "/plain: check the address of " + tm.dir + "/plain"},
		{"ada", "http://ada:sesame@127.0.0.1:1/x", "http://127.0.0.1:1/x cannot be reached (unable to access 'http://127.0.0.1:1/x/': Failed to connect"},
		{"ada", locked + "/remote.git", locked + "/remote.git does not let you in (could not read Username for '" + locked + "': terminal prompts disabled): check that git fetch " + locked + "/remote.git works without asking, by a credential helper or an ssh agent"},
		{"ada", filepath.Join(tm.dir, "long.git"), "long.git uses other hashes (SHA-1, SHA-256) than the repository here: Git cannot exchange objects between them"},
		{"ada", bare, bare + " refuses refs in refs/redline/plans ([remote rejected] (pre-receive hook declined): plans are not welcome here): if it only takes branches, set share.branch = \"redline/plans\""},
	} {
		r, err := gitremote.Open(t.Context(), filepath.Join(tm.dir, test.folder), test.name, gitremote.Options{})
		if err == nil {
			_, err = r.Push(t.Context(), planID, lines("Ada's\n"))
			r.Close()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s %s: %v", test.folder, test.name, err)
		}
	}
	tm.write("home/.gitconfig", "")
	if _, err := tm.open(dir).Push(t.Context(), planID, lines("x\n")); err == nil || err.Error() != "git does not know who you are: set user.name and user.email with git config --global" {
		t.Error(err)
	}
}
