package plan

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"redline/edits"
)

// gitCase is a change of a file. Names are "" where there is no file.
type gitCase struct {
	from, to, before, after string
	oldMode, mode           uint32 // 0644 if 0
}

func gitCases() map[string]gitCase {
	many := ""
	for i := range 40 {
		many += fmt.Sprintf("line %d\n", i)
	}
	changed := strings.Replace(many, "line 7\n", "line seven\n", 1)
	cases := map[string]gitCase{
		"new":                  {to: "sub/n.txt", after: "one\n"},
		"new and empty":        {to: "n.txt"},
		"new program":          {to: "n.sh", after: "#!\n", mode: 0o755},
		"new, empty program":   {to: "n.sh", mode: 0o755},
		"removed":              {from: "r.txt", before: "one\ntwo"},
		"removed and empty":    {from: "r.txt"},
		"removed program":      {from: "r.sh", before: "#!\n", oldMode: 0o755},
		"changed":              {from: "c.txt", to: "c.txt", before: many, after: changed},
		"changed, without \\n": {from: "c.txt", to: "c.txt", before: "a\nb", after: "a\nc"},
		"changed \\r\\n":       {from: "c.txt", to: "c.txt", before: "a\r\nb\r\n", after: "a\r\nc\r\n"},
		"emptied":              {from: "c.txt", to: "c.txt", before: "a\n"},
		"moved":                {from: "m.txt", to: "there/m.txt", before: many, after: many},
		"moved and empty":      {from: "m.txt", to: "there/m.txt"},
		"moved and changed":    {from: "deep/m.txt", to: "deeper/still/m.txt", before: many, after: changed},
		"moved and rewritten":  {from: "m.txt", to: "n.txt", before: "a\n", after: "b\n"},
	}
	for _, name := range []string{"a b.txt", " a  b ", `quo"te.txt`, `back\slash`, `"quoted"`, "tab\there", "ünïcödé 🛒", "-dash", "a b 2020-01-01 10:00:00"} {
		cases["changed "+name] = gitCase{from: name, to: name, before: many, after: changed}
		cases["new "+name] = gitCase{to: name, after: "one\n"}
		cases["new and empty "+name] = gitCase{to: name}
		cases["removed "+name] = gitCase{from: name, before: "one\n"}
		cases["moved "+name] = gitCase{from: "d/" + name, to: "e/" + name + ".new", before: many, after: many}
		cases["moved and changed "+name] = gitCase{from: name, to: "e/" + name, before: many, after: changed}
	}
	return cases
}

func gitIn(t *testing.T) string {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("it needs git: install it")
	}
	if runtime.GOOS == "windows" {
		t.Skip("it makes files with names and modes that Windows has not: run it elsewhere")
	}
	return git
}

// applied returns the files that git makes of those of a case with a diff, with their modes.
func (c gitCase) applied(t *testing.T, git, diff string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if c.from != "" {
		putFile(t, filepath.Join(dir, c.from), c.before, c.oldMode)
	}
	for _, args := range [][]string{{"apply", "--check", "-"}, {"apply", "-"}} {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v %s\n%s", strings.Join(args, " "), err, out, diff)
		}
	}
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if rel, _ := filepath.Rel(dir, name); err == nil {
			files[rel] = fmt.Sprintf("%v %s", info.Mode()&0o100 != 0, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func putFile(t *testing.T, name, text string, mode uint32) {
	t.Helper()
	if mode == 0 {
		mode = 0o644
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), os.FileMode(mode)); err != nil {
		t.Fatal(err)
	}
}

// wants checks that a diff makes of the files of a case what it has to.
func (c gitCase) wants(t *testing.T, git, diff string) {
	t.Helper()
	files := c.applied(t, git, diff)
	if c.to == "" {
		if len(files) > 0 {
			t.Errorf("git leaves %q\n%s", files, diff)
		}
		return
	}
	want := fmt.Sprintf("%v %s", c.mode&0o100 != 0, c.after)
	if files[c.to] != want || len(files) != 1 {
		t.Errorf("git makes %q, want %q: %q\n%s", files, c.to, want, diff)
	}
}

// Git makes of the files what the diff of a plan says.
func TestGitAppliesTheDiffOfAPlan(t *testing.T) {
	git := gitIn(t)
	for name, c := range gitCases() {
		t.Run(name, func(t *testing.T) {
			k := Change{Path: c.from, Action: Update, Mode: c.oldMode}
			switch {
			case c.from == "":
				k.Path, k.Action, k.Mode = c.to, Create, c.mode
			case c.to == "":
				k.Action = Delete
			case c.from != c.to:
				k.Action, k.NewPath = Rename, c.to
			}
			k.Hunks = Hunks(k.Action, c.before, c.after, nil)
			c.wants(t, git, k.Diff(c.before, c.after))
		})
	}
}

// Git makes of what one revision leaves what the other one leaves, by the diff of the two.
func TestGitAppliesTheDiffOfRevisions(t *testing.T) {
	git := gitIn(t)
	cases := gitCases()
	cases["to a program"] = gitCase{from: "p", to: "p", before: "#!\n", after: "#!\n", mode: 0o755}
	cases["from a program"] = gitCase{from: "p", to: "p", before: "#!\n", after: "#!\nx\n", oldMode: 0o755}
	cases["moved to a program"] = gitCase{from: "p", to: "q r", before: "#!\na\nb\n", after: "#!\na\nc\n", mode: 0o700}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			side := func(path, text string, mode uint32) Side {
				if mode == 0 {
					mode = 0o644
				}
				return Side{Exists: path != "", Path: path, Text: text, Mode: mode}
			}
			c.wants(t, git, diff(side(c.from, c.before, c.oldMode), side(c.to, c.after, c.mode)))
		})
	}
}

var similarityLine = regexp.MustCompile(`similarity index (\d+)%`)

// A moved file has the similarity index that git gives it.
func TestSimilarityIsThatOfGit(t *testing.T) {
	git := gitIn(t)
	long := strings.Repeat("0123456789", 30)
	text := long + "\n" + strings.Repeat("a line of some length\n", 9) + "other\r\n" + long + long + "\n\n\n"
	for _, after := range []string{
		text + "more\n", strings.Replace(text, "other", "another", 1), strings.Replace(text, "01234", "01x34", 1),
		strings.Replace(text, "a line", "the line", 5), text[:len(text)/2] + "\n", strings.ReplaceAll(text, "\r", ""),
	} {
		dir := t.TempDir()
		putFile(t, filepath.Join(dir, "a", "old"), text, 0)
		putFile(t, filepath.Join(dir, "b", "new"), after, 0)
		cmd := exec.Command(git, "diff", "--no-index", "-M1%", "a", "b")
		cmd.Dir = dir
		out, _ := cmd.Output() // it exits with 1 since they differ
		m := similarityLine.FindStringSubmatch(string(out))
		if m == nil {
			t.Fatalf("git finds no move:\n%s", out)
		}
		k := Change{Path: "a/old", NewPath: "b/new", Action: Rename, Hunks: Hunks(Rename, text, after, nil)}
		if !strings.Contains(k.Diff(text, after), "\n"+m[0]+"\n") {
			t.Errorf("git says %s, Redline %q", m[0], similarityLine.FindString(k.Diff(text, after)))
		}
	}
	if edits.Similarity("", "") != 100 || edits.Similarity("a\n", "b\n") != 0 {
		t.Error("of nothing, or nothing in common")
	}
}
