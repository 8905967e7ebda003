package commands

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
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

// Lines that the rules let pass run only what the rules have read. Lines of the whole shell
// grammar, and randomly changed ones, are judged; every available shell runs those that an
// allow rule allows or deny rules do not refuse. The programs are stubs that report how
// they were called.
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

// verdicts are the verdicts of rules that allow and of rules that deny on a line.
type verdicts struct{ allowed, passed bool }

// broken returns what a shell ran of a line in violation of the verdicts, "" for nothing.
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
