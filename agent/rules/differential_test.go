package rules

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

var (
	differentialLines = flag.Int("lines", 1000, "how many generated command lines TestShellsAgree judges and runs")
	differentialSeed  = flag.Uint64("seed", 0, "what TestShellsAgree generates lines from, besides the seed that never changes; 0 for another one each time")
)

// What rules let pass runs nothing else than they read: lines of the shell's whole
// grammar, and lines that were changed at random, are judged, and what an allow rule
// allows or deny rules do not refuse is run by every shell there is. The programs are
// stubs that report what they were run as.
func TestShellsAgree(t *testing.T) {
	shells := findShells(t)
	seed := *differentialSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("the seed is %d: -seed %d repeats this run", seed, seed)
	w := newWorld(t)
	allow := parsed(t, append(slices.Clone(good), append(bad, "true", "echo", ":")...), nil)
	deny := parsed(t, nil, denied)

	judged := map[string]verdicts{}
	for i, seed := range []uint64{1, seed} {
		g := &generator{r: rand.New(rand.NewPCG(seed, 0))}
		for n := range *differentialLines / 2 {
			line := g.line()
			if i == 0 && n < len(attacks) {
				line = attacks[n]
			}
			v := verdicts{allowed: allow.Judge(line, "").Answer == Allow, passed: deny.Judge(line, "").Answer != Deny}
			if v.allowed || v.passed {
				judged[line] = v
			}
		}
	}
	lines := slices.Sorted(maps.Keys(judged))
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	started := time.Now()
	var ran atomic.Int64
	var tasks sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for _, s := range shells {
		for batch := range slices.Chunk(lines[:len(lines)/s.part], 200) {
			slots <- true
			tasks.Go(func() {
				defer func() { <-slots }()
				for i, one := range w.run(t, s, batch) {
					ran.Add(int64(len(one.commands)))
					v, line := judged[batch[i]], batch[i]
					why := v.broken(line, one)
					// What two programs of a pipe complain of at once can be mixed up.
					for n := 0; n < 5 && why != "" && len(one.missing) > 0; n++ {
						why = v.broken(line, w.run(t, s, []string{line})[0])
					}
					if why != "" {
						t.Errorf("%s, in %s: %q", why, s, line)
					}
				}
			})
		}
	}
	tasks.Wait()
	allowed, passed := 0, 0
	for _, v := range judged {
		if v.allowed {
			allowed++
		}
		if v.passed {
			passed++
		}
	}
	t.Logf("judged %d lines; %d of them are allowed and %d are not refused; %d shells ran %d programs for them in %.1f s",
		*differentialLines, allowed, passed, len(shells), ran.Load(), time.Since(started).Seconds())
	if allowed < *differentialLines/50 || passed < *differentialLines/20 {
		t.Errorf("of %d lines only %d are allowed and %d are not refused: the generator shows little", *differentialLines, allowed, passed)
	}
}

// verdicts are what rules that allow and rules that deny say of a line.
type verdicts struct{ allowed, passed bool }

// broken says what a shell ran of a line that the verdicts do not stand for, "" for
// nothing.
func (v verdicts) broken(line string, one run) string {
	var why []string
	if v.passed {
		why = append(why, brokenDeny(one))
	}
	if v.allowed {
		why = append(why, brokenAllow(line, one))
	}
	return strings.Join(slices.DeleteFunc(why, func(s string) bool { return s == "" }), " and ")
}

func brokenDeny(one run) string {
	for _, c := range one.commands {
		if slices.Contains(denied, c[0]) {
			return fmt.Sprintf("deny rules let %q run", c)
		}
	}
	for _, name := range one.missing {
		if slices.Contains(denied, name) {
			return fmt.Sprintf("deny rules let %q be looked for", name)
		}
	}
	return ""
}

func brokenAllow(line string, one run) string {
	read := wordsRead(line)
	for _, c := range one.commands {
		if !slices.ContainsFunc(read, func(r []string) bool { return slices.Equal(r, c) || len(c) == 2 && c[1] == "?" && r[0] == c[0] }) {
			return fmt.Sprintf("an allow rule lets %q run, which it has not read", c)
		}
	}
	for _, name := range one.missing {
		if !slices.ContainsFunc(read, func(r []string) bool { return len(r) > 0 && r[0] == name }) {
			return fmt.Sprintf("an allow rule lets %q be looked for, which it has not read", name)
		}
	}
	return ""
}

// wordsRead returns the simple commands of a line as the rules' parser reads them.
func wordsRead(line string) (all [][]string) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			var words []string
			for _, w := range c.Args {
				word, _ := literal(w)
				words = append(words, word)
			}
			all = append(all, words)
		}
		return true
	})
	return all
}

// shell is a shell of this system.
type shell struct {
	name string
	argv []string // what runs a script that follows
	part int      // it runs one of so many lines
}

func (s shell) String() string { return s.name }

func findShells(t *testing.T) (found []shell) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	for i, argv := range [][]string{{"dash", "-c"}, {"bash", "-c"}, {"busybox", "sh", "-c"}, {"bash", "--posix", "-c"}} {
		path, err := exec.LookPath(argv[0])
		if err != nil {
			t.Logf("there is no %s here: it is left out", argv[0])
			continue
		}
		found = append(found, shell{name: strings.Join(argv[:len(argv)-1], " "), argv: append([]string{path}, argv[1:]...), part: 1 + i/3*4})
	}
	if len(found) == 0 {
		t.Skip("needs dash, bash or busybox")
	}
	return found
}

// world is where lines are run: a folder of stubs, which is all that they find, and a
// folder for their files.
type world struct{ dir, stubs string }

func newWorld(t *testing.T) *world {
	w := &world{dir: t.TempDir()}
	w.stubs = filepath.Join(w.dir, "stubs")
	if err := os.Mkdir(w.stubs, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{good[:1], bad[:1], denied, {"cat"}} {
		for _, name := range names {
			// What a stub was run as goes to descriptor 9 at once, so that two do not mix.
			status := 0
			if slices.Contains(bad, name) {
				status = 1
			}
			text := fmt.Sprintf("#!/bin/sh\nIFS='\x1f'\nprintf '%%s\x1e' \"%s\x1f$*\" >&9\nexit %d\n", name, status)
			if err := os.WriteFile(filepath.Join(w.stubs, name), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, real := range map[string]string{"env": "env", "xargs": "xargs", "find": "find", "nohup": "nohup", "nice": "nice", "timeout": "timeout", "sh": "sh", "bash": "bash"} {
		if path, err := exec.LookPath(real); err == nil {
			if err := os.Symlink(path, filepath.Join(w.stubs, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w
}

// run is what a shell did with a line.
type run struct {
	commands [][]string // the stubs that were run, with their arguments
	missing  []string   // the names of programs that it did not find
}

// driver runs each of its arguments as a line, in a shell of its own. What is run as
// "sh -c" is read in the same way as what eval is given.
const driver = `for line_; do number_=$((${number_:-0}+1))
( set --; eval "$line_" ) 9>"$number_.ran" >"$number_.out" 2>"$number_.err" </dev/null
done`

// maxBatch is how long the lines of one batch may take together. A line that goes on
// for ever is left out, and the batch continues behind it.
const maxBatch = 20 * time.Second

func (w *world) run(t *testing.T, s shell, lines []string) []run {
	runs := make([]run, len(lines))
	for at := 0; at < len(lines); {
		dir, err := os.MkdirTemp(w.dir, "")
		if err != nil {
			t.Error(err)
			return runs
		}
		w.batch(t, s, dir, lines[at:])
		done := 0
		for done < len(lines)-at {
			name := filepath.Join(dir, strconv.Itoa(done+1))
			reported, err := os.ReadFile(name + ".ran")
			if err != nil {
				break
			}
			said, _ := os.ReadFile(name + ".err")
			runs[at+done].commands, runs[at+done].missing = reportedIn(string(reported)), missingIn(string(said))
			done++
		}
		_ = os.RemoveAll(dir)
		if done == 0 {
			t.Errorf("%s has run nothing of %q", s, lines[at])
			return runs
		}
		at += done
	}
	return runs
}

func (w *world) batch(t *testing.T, s shell, dir string, lines []string) {
	ctx, cancel := context.WithTimeout(context.Background(), maxBatch)
	defer cancel()
	argv := append(append(slices.Clone(s.argv), driver, "x"), lines...)
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Dir = dir
	c.Env = []string{"PATH=" + w.stubs, "HOME=" + dir, "BASH_FUNC_command_not_found_handle%%=() { printf '%s\x1e' \"$1\x1f?\" >&9; return 127; }"}
	ownGroup(c)
	if out, err := c.CombinedOutput(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			t.Errorf("%s: %v\n%.300s", s, err, out)
		}
	}
}

func reportedIn(text string) (commands [][]string) {
	for one := range strings.SplitSeq(text, "\x1e") {
		words := strings.Split(one, "\x1f")
		if one == "" {
			continue
		}
		if len(words) == 2 && words[1] == "" { // no arguments
			words = words[:1]
		}
		commands = append(commands, words)
	}
	return commands
}

var notFound = regexp.MustCompile(`(?m)^(?:x: |eval: |line \d+: |\d+: )+(.*): (?:command )?not found$`)

func missingIn(text string) (names []string) {
	for _, found := range notFound.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	return names
}
