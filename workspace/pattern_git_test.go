package workspace

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// patternRounds is how many times 500 files of patterns are compared with Git.
var patternRounds = flag.Int("pattern-rounds", 2, "how many times 500 files of patterns are compared with Git")

// atoms are what generated patterns consist of, and characters what generated names do.
var (
	atoms = []string{
		"a", "b", "c", "ab", "pkg", "1", ".x", "a", "b", "/", "/", "/", "/", "*", "*", "**", "**", "/**", "**/", "/**/", "***", "?", "!", "#", " ", `\ `, "-", "^", "]", "[",
		"[ab]", "[!a]", "[^a]", "[a-c]", "[]a]", "[!]a]", "[a-]", "[-a]", `[\]]`, `[a\-c]`, `[\a-c]`, "[!", `\*`, `\\`, `\a`, `\!`, `\#`, `\/`, "[/]", "[!/]", "[.-0]",
		"[[:digit:]]", "[^[:digit:]]", "[[:alpha:]_]", "[[:upper:]]", "[[:punct:]]", "[[:space:]]", "[[:blank:]]", "[[:xdigit:]]", "[[:graph:]]", "[[:print:]]", "[[:alnum:]-c]",
		"[[:foo:]]", "[[:digit:", "[[:]", "[[::]]", "[[:digit]", "[[a]", "é", "[é]", "{a,b}", "\t",
	}
	characters = []string{"a", "b", "c", "a", "b", "ab", "pkg", "1", "9", ".x", "A", "/", "/", "/", "*", "[", "]", "!", "#", " ", "-", "^", ":", "_", "d", "é", "{a,b}", "\t", `\`}
)

func anyOf(r *rand.Rand, from []string, least, most int) string {
	var b strings.Builder
	for range least + r.IntN(most-least+1) {
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

// cleaned makes a path of parts that a folder can have.
func cleaned(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part != "" && part != "." && part != ".." {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// Files of generated patterns ignore the same generated names as for git check-ignore. Names are
// made from the patterns too, so that many match.
func TestPatternsAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed, so there is nothing to compare with")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the names of files cannot have these characters there: run this test on Linux or macOS")
	}
	for round := range *patternRounds {
		r := rand.New(rand.NewPCG(uint64(round), 32))
		dir := t.TempDir()
		var names []string
		files := map[string]string{}
		for k := range 500 {
			folder := fmt.Sprintf("d%d", k)
			var lines []string
			wanted := map[string]bool{}
			for range 1 + r.IntN(3) {
				line := anyOf(r, []string{"", "", "", "!", "/", "!/", "**/"}, 1, 1) + anyOf(r, atoms, 1, 5) + anyOf(r, []string{"", "", "/", "/**", "  ", "\r", `\`}, 1, 1)
				lines = append(lines, line)
				like := strings.NewReplacer("**/", "", "/**", "/c/1", "*", "b", "?", "1", "!", "").Replace(line)
				wanted[cleaned(like)], wanted[cleaned(like+"/"+anyOf(r, characters, 1, 3))] = true, true
			}
			for range 10 {
				wanted[cleaned(anyOf(r, characters, 1, 5))] = true
			}
			files[folder] = strings.Join(lines, "\n")
			if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, folder, ".gitignore"), []byte(files[folder]), 0o600); err != nil {
				t.Fatal(err)
			}
			for name := range wanted {
				if name != "" && name != ".gitignore" && len(name) < 100 {
					names = append(names, folder+"/"+name)
				}
			}
		}
		ask := func(stdin string, args ...string) string {
			cmd := exec.Command(git, args...)
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil && cmd.ProcessState.ExitCode() != 1 { // nothing is ignored
				t.Fatalf("git %v: %v %s", args, err, &stderr)
			}
			return string(out)
		}
		ask("", "init", "-q")
		ignored := map[string]bool{}
		for name := range strings.SplitSeq(ask(strings.Join(names, "\x00")+"\x00", "check-ignore", "--no-index", "--stdin", "-z"), "\x00") {
			ignored[name] = true
		}
		if len(ignored) < 150 {
			t.Fatalf("only %d of %d names are ignored: the patterns show little", len(ignored), len(names))
		}
		for _, name := range names {
			folder, rel, _ := strings.Cut(name, "/")
			patterns, got := parsePatterns(files[folder], false), false
			for i := 0; i <= len(rel) && !got; i++ {
				if i == len(rel) || rel[i] == '/' {
					got, _ = decide(patterns, rel[:i], i < len(rel))
				}
			}
			if got != ignored[name] {
				t.Errorf("%q: %q is ignored: %v, by Git: %v", files[folder], rel, got, ignored[name])
			}
		}
	}
}

// However a pattern is written, matching takes time in proportion to the lengths.
func TestHostilePatterns(t *testing.T) {
	for _, pattern := range []string{strings.Repeat("a*", 400) + "b", strings.Repeat("**/a*/", 150) + "b", "/" + strings.Repeat("?*", 400) + "b", strings.Repeat("[a-z]*", 140) + "B"} {
		patterns := parsePatterns(pattern, false)
		if len(patterns) != 1 {
			t.Fatalf("%.20q is no pattern", pattern)
		}
		for _, name := range []string{strings.Repeat("a", 250), strings.Repeat("a/", 2000) + "a"} {
			if ignored, _ := decide(patterns, name, false); ignored {
				t.Errorf("%.20q matches %.20q", pattern, name)
			}
		}
	}
}
