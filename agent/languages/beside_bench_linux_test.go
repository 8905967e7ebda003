package languages_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/agent"
	"redline/agent/agenttest"
	"redline/agent/languages"
	"redline/agent/model"
	"redline/agent/session/sessiontest"
	"redline/agent/store"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace"
	"redline/workspace/language"
	"redline/workspace/runner"
	"redline/workspace/toolfolders"
)

// callers is how many files use what a plan of a benchmark changes: each gets an error that names the plan.
const callers = 20

// asking is how a benchmark asks one server: a project in which files call a function, and plans that change what it
// returns to a type T1, T2, …
type asking struct {
	adapter *language.Adapter
	id      string // of the language
	files   map[string]string
	defines []string                        // files with such a function
	text    func(file string, n int) string // what plan n makes of one
	caller  func(i int) (name, text string)

	opens  bool     // asked directly, it reports about open documents only: callers are open
	saves  bool     // asked directly, it checks what was saved
	builds bool     // asked directly, it does not see that files change which an open document includes
	waits  bool     // it says when it has loaded the workspace
	set    []string // changes of the adapter's settings when it is asked directly
}

func (a *asking) project() map[string]string {
	files := maps.Clone(a.files)
	for i := range callers {
		name, text := a.caller(i)
		files[name] = text
	}
	for _, name := range a.defines {
		files[name] = a.text(name, 0)
	}
	return files
}

func askings() []*asking {
	c := language.Clangd()
	return []*asking{{
		adapter: language.Gopls(), id: "go", files: map[string]string{"go.mod": "module m\n\ngo 1.26\n"}, defines: []string{"a/a.go", "z/z.go"},
		text: func(_ string, n int) string {
			return fmt.Sprintf("package a\n\ntype T%d int\n\nfunc One() %s { return 1 }\n", n, named(n, "int"))
		},
		caller: func(i int) (string, string) {
			return fmt.Sprintf("b%d/b%[1]d.go", i), fmt.Sprintf("package b\n\nimport (\n\t\"m/a\"\n\tz \"m/z\"\n)\n\nvar B%d int = a.One()\n\nvar Z int = z.One()\n", i)
		},
	}, {
		adapter: language.Pyright(), id: "python", files: map[string]string{"pyproject.toml": "[project]\nname = \"p\"\n"}, defines: []string{"a.py", "z.py"},
		text: func(_ string, n int) string {
			return fmt.Sprintf("class T%d:\n    pass\n\n\ndef one() -> %s: ...  # type: ignore\n", n, named(n, "int"))
		},
		caller: func(i int) (string, string) {
			return fmt.Sprintf("b%d.py", i), "import a\nimport z\n\nB: int = a.one()\nZ: int = z.one()\n"
		},
	}, {
		adapter: language.TypeScript(), id: "typescript", files: map[string]string{"tsconfig.json": `{"compilerOptions": {"strict": true, "types": []}}`}, defines: []string{"a.ts", "z.ts"},
		text: func(_ string, n int) string {
			return fmt.Sprintf("export class T%d { x = 1 }\nexport declare function one(): %s\n", n, named(n, "number"))
		},
		caller: func(i int) (string, string) {
			return fmt.Sprintf("b%d.ts", i), "import * as a from \"./a\"\nimport * as z from \"./z\"\n\nexport const b: number = a.one()\nexport const c: number = z.one()\n"
		},
		opens: true,
	}, {
		adapter: c, id: "cpp", files: map[string]string{"compile_flags.txt": "-DX\n"}, defines: []string{"a.h", "z.h"},
		text: func(file string, n int) string {
			return fmt.Sprintf("#pragma once\nnamespace %c {\nstruct T%d {};\n%s one();\n}\n", file[0], n, named(n, "int"))
		},
		caller: func(i int) (string, string) {
			return fmt.Sprintf("b%d.cc", i), "#include \"a.h\"\n#include \"z.h\"\nint b() { return a::one(); }\nint c() { return z::one(); }\n"
		},
		opens: true, builds: true,
	}, {
		adapter: language.RustAnalyzer(), id: "rust", files: map[string]string{
			"Cargo.toml": "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": modules(),
		}, defines: []string{"src/a.rs", "src/z.rs"},
		text: func(_ string, n int) string {
			return fmt.Sprintf("pub struct T%d;\npub fn one() -> %s { todo!() }\n", n, named(n, "i32"))
		},
		caller: func(i int) (string, string) {
			return fmt.Sprintf("src/b%d.rs", i), "pub fn b() -> i32 { crate::a::one() }\npub fn z() -> i32 { crate::z::one() }\n"
		},
		saves: true, waits: true, set: []string{`"checkOnSave": false`, `"checkOnSave": true`},
	}}
}

// named returns the type that a function returns after plan n.
func named(n int, usual string) string {
	if n == 0 {
		return usual
	}
	return fmt.Sprintf("T%d", n)
}

func modules() string {
	text := "pub mod a;\npub mod z;\n"
	for i := range callers {
		text += fmt.Sprintf("pub mod b%d;\n", i)
	}
	return text
}

// besides calls bench for each server that is installed.
func besides(b *testing.B, bench func(b *testing.B, a *asking)) {
	if err := runner.Worlds(); err != nil {
		b.Skip("it needs an isolated environment, and `redline doctor` says how to get one: " + err.Error())
	}
	for _, a := range askings() {
		b.Run(a.adapter.Name, func(b *testing.B) {
			if _, err := find(a.adapter.Command[0]); err != nil {
				b.Skipf("it needs %s: .ci/install-languages installs it", a.adapter.Command[0])
			}
			bench(b, a)
		})
	}
}

// folder writes the project into a new folder.
func (a *asking) folder(b *testing.B) string {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	writeAll(b, dir, a.project())
	return dir
}

func writeAll(b *testing.B, dir string, files map[string]string) {
	b.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// sessionOn begins a session on a folder in which language servers run. It ends before the benchmark does.
func sessionOn(b *testing.B, dir string) *agent.Agent {
	b.Helper()
	return sessionWith(b, dir, &agenttest.Script{})
}

// sessionWith begins such a session with a model.
func sessionWith(b *testing.B, dir string, m model.Provider) *agent.Agent {
	b.Helper()
	state := b.TempDir()
	ws := workspace.New([]workspace.Folder{{Name: "ws", Dir: dir}}, workspace.Options{StateDir: state})
	st := store.New(state)
	home, err := os.UserHomeDir()
	if err != nil {
		b.Fatal(err)
	}
	a := agent.New(agent.Options{
		Workspace: ws, Store: st, Model: m,
		Trials:    trial.Options{Mode: trial.On, Home: home, Tools: toolfolders.Seen()},
		Languages: languages.Options{Mode: trial.Ask, Adapters: language.Adapters(), Find: find},
	})
	a.Session.Attach(&sessiontest.Editor{Disk: workspace.NewDisk(ws)})
	b.Cleanup(func() { a.Close(); st.Close() })
	return a
}

// check lets the servers of a session check plan n, which changes one file.
func (a *asking) check(b *testing.B, s *agent.Agent, name string, n int) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute) // without a deadline no request waits for more than 10 s
	defer cancel()
	p, err := s.Languages.Check(ctx, view.TriedTexts{name: {Text: a.text(name, n)}}, nil)
	if err != nil || p == nil || len(p.Added) != callers || !strings.Contains(p.Added[0].Message, fmt.Sprintf("T%d", n)) {
		b.Fatalf("plan %d: %s, %v", n, say(p), err)
	}
}

// begin makes a server that is asked directly ready for plan 1.
func (a *asking) begin(d *direct) {
	d.b.Helper()
	d.open(a.defines[0], a.id, a.text(a.defines[0], 0))
	if a.opens {
		for i := range callers {
			name, text := a.caller(i)
			d.open(name, a.id, text)
		}
	}
	if a.waits {
		d.until(func() bool { return d.quiet })
	}
}

// ask shows plan n to a server directly, and waits until it has reported each caller.
func (a *asking) ask(d *direct, n int) {
	d.b.Helper()
	d.change(a.defines[0], a.text(a.defines[0], n))
	if a.saves {
		d.save(a.defines[0], a.text(a.defines[0], n))
	}
	if a.builds {
		for i := range callers {
			name, text := a.caller(i)
			d.build(name, text)
		}
	}
	t := fmt.Sprintf("T%d", n)
	d.until(func() bool {
		for i := range callers {
			name, _ := a.caller(i)
			if !strings.Contains(d.reports[filepath.Base(name)], t) {
				return false
			}
		}
		return true
	})
}

// BenchmarkWarmAnswer checks plans by a server that runs, in turns with the same server that is asked directly: with the
// same didChange, until it has reported each error. "next" is a plan that changes another file than the last
// one: what the server reports without it has to be found out too.
func BenchmarkWarmAnswer(b *testing.B) {
	besides(b, func(b *testing.B, a *asking) {
		s, d := sessionOn(b, a.folder(b)), startDirect(b, a.adapter, a.folder(b), a.set...)
		defer d.close()
		a.begin(d)
		a.ask(d, 1)
		a.check(b, s, a.defines[1], 1)
		a.check(b, s, a.defines[0], 1)
		var ours, next, theirs []time.Duration
		n := 1
		direct := func() { took(&theirs, func() { a.ask(d, n) }) }
		check := func() { took(&ours, func() { a.check(b, s, a.defines[0], n) }) }
		for b.Loop() {
			direct, check = check, direct // who is the first one may matter
			for _, one := range []func(){direct, check} {
				n++
				time.Sleep(100 * time.Millisecond) // what the last one has left to do
				one()
			}
			took(&next, func() { a.check(b, s, a.defines[1], n) })
			a.check(b, s, a.defines[0], n)
		}
		b.ReportMetric(0, "ns/op") // of all together
		b.ReportMetric(middle(ours), "ours-ms")
		b.ReportMetric(middle(theirs), "direct-ms")
		b.ReportMetric(middle(next), "next-ms")
		b.ReportMetric(middle(ours)/middle(theirs), "ours/direct")
	})
}

// BenchmarkFirstAnswer checks the first plan of a session, in turns with a server that is started and asked directly.
func BenchmarkFirstAnswer(b *testing.B) {
	besides(b, func(b *testing.B, a *asking) {
		var ours, theirs []time.Duration
		first := func() {
			d, dir := (*direct)(nil), a.folder(b)
			took(&theirs, func() {
				d = startDirect(b, a.adapter, dir, a.set...)
				a.begin(d)
				a.ask(d, 1)
			})
			d.close()
			s := sessionOn(b, a.folder(b))
			took(&ours, func() { a.check(b, s, a.defines[0], 1) })
			s.Close()
		}
		first() // what servers keep on the disk is there
		ours, theirs = nil, nil
		for b.Loop() {
			first()
		}
		b.ReportMetric(0, "ns/op") // of all together
		b.ReportMetric(middle(ours), "ours-ms")
		b.ReportMetric(middle(theirs), "direct-ms")
		b.ReportMetric(middle(ours)/middle(theirs), "ours/direct")
	})
}

func took(all *[]time.Duration, do func()) {
	began := time.Now()
	do()
	*all = append(*all, time.Since(began))
}

// middle returns the median in ms.
func middle(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds() * 1e3
}
