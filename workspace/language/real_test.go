package language

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"redline/workspace/world"
)

// folderDisk writes what a server is to see into a folder of the test's own.
type folderDisk struct{}

func (folderDisk) Change(_ context.Context, changes []world.Change) error {
	for _, c := range changes {
		if c.Gone {
			if err := os.Remove(c.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(c.Path), 0o755), os.WriteFile(c.Path, c.Text, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// pipes is the standard output and input of a process.
type pipes struct {
	*os.File
	in *os.File
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error                { return errors.Join(p.File.Close(), p.in.Close()) }

// real is a real server on a folder.
type real struct {
	*Client
	t        *testing.T
	dir      string
	original map[string]Text
	base     []Problem // without a plan, once that is known
	known    bool
}

var all = flag.Bool("language.all", false, "try everything with each server, which takes minutes")

// long skips a test that takes long, unless everything is tried.
func long(t *testing.T) {
	t.Helper()
	if !*all {
		t.Skip("it takes long: go test ./workspace/language -language.all runs it")
	}
}

// plansInARow is how many plans a server checks one after the other, to show that it does not grow.
func plansInARow() int {
	if *all {
		return 20
	}
	return 4
}

// installed returns the absolute name of a server's program. It skips the test if it is not installed.
func installed(t *testing.T, program string) string {
	t.Helper()
	if cache, err := os.UserCacheDir(); err == nil {
		if name, err := exec.LookPath(filepath.Join(cache, "redline-languages", "bin", program)); err == nil {
			return name
		}
	}
	name, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("it needs %s: .ci/install-languages installs it", program)
	}
	return name
}

// startReal starts a real server on files, by their names in a new folder, after what is done there besides. It skips
// the test if the server is not installed.
func startReal(t *testing.T, a *Adapter, files map[string]string, besides ...func(dir string)) *real {
	t.Helper()
	program := installed(t, a.Command[0])
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &real{t: t, dir: dir, original: map[string]Text{}}
	for name, text := range files {
		path := filepath.Join(dir, name)
		r.original[path] = Text{Text: text}
		if err := (folderDisk{}).Change(t.Context(), []world.Change{{Path: path, Text: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, do := range besides {
		do(dir)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, a.Command[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout = dir, theirIn, theirOut
	cmd.Env = append(os.Environ(), "GOPLSCACHE="+t.TempDir(), "GOTOOLCHAIN=local", "GOPROXY=off", "GOWORK=off")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	t.Cleanup(func() {
		ended := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		defer ended.Stop()
		_ = cmd.Wait()
	})
	if r.Client, err = Connect(t.Context(), pipes{ourIn, ourOut}, Options{Adapter: a, Folder: dir, Disk: folderDisk{}, Read: r.read}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Client.Close)
	return r
}

func (r *real) read(path string) (Text, error) {
	if text, ok := r.original[path]; ok {
		return text, nil
	}
	return Text{Gone: true}, nil
}

// problems shows texts, by names in the folder, and returns the problems that they add and how many they fix,
// a line each: "a/a.go:3:6 error UndeclaredName: undefined: A".
func (r *real) problems(texts map[string]Text) (added []string, fixed int) {
	r.t.Helper()
	if !r.known || r.Adapter.openOnly || *all {
		base := map[string]Text{}
		for name := range texts {
			if r.Adapter.openOnly { // it reports about what is shown
				base[name], _ = r.read(filepath.Join(r.dir, name))
			}
		}
		r.base, r.known = r.look(base), true
	}
	found, fixed := Compare(r.base, r.look(texts))
	for _, p := range found {
		rel, _ := filepath.Rel(r.dir, p.Path)
		added = append(added, fmt.Sprintf("%s:%d:%d %s %s: %s", filepath.ToSlash(rel), p.Start.Line+1, p.Start.Column+1, p.Severity, p.Code, p.Message))
	}
	return added, fixed
}

// problemCase is a plan, and the problems that it adds and fixes.
type problemCase struct {
	name  string
	texts map[string]Text
	added []string
	fixed int
}

// try shows a plan, twice if everything is tried.
func (r *real) try(t *testing.T, c problemCase) {
	t.Helper()
	times := 1
	if *all {
		times = 2
	}
	for range times {
		added, fixed := r.problems(c.texts)
		if !slices.Equal(added, c.added) || fixed != c.fixed {
			t.Errorf("%s: %q and %d fixed, want %q and %d", c.name, added, fixed, c.added, c.fixed)
		}
	}
}

// look returns all problems while the server sees these texts.
func (r *real) look(texts map[string]Text) []Problem {
	r.t.Helper()
	found, err := r.tryProblems(texts)
	if err != nil {
		r.t.Logf("sent %+v; ended %v; runs %v", r.told, r.heard.done, slices.Collect(maps.Values(r.heard.works)))
		for path, doc := range r.open {
			r.t.Logf("%s has version %d, reported %d", path, doc.version, r.heard.versions[path])
		}
		r.t.Fatal(err)
	}
	return found
}

// tryProblems returns all problems while the server sees these texts, or why they are not known.
func (r *real) tryProblems(texts map[string]Text) ([]Problem, error) {
	r.t.Helper()
	absolute := map[string]Text{}
	for name, text := range texts {
		absolute[filepath.Join(r.dir, name)] = text
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	if err := r.Show(ctx, absolute, nil); err != nil {
		r.t.Fatal(err)
	}
	return r.Problems(ctx)
}

// places returns places in the folder: "a/a.go:4:6-11".
func (r *real) places(all []Location, err error) (said []string) {
	r.t.Helper()
	if err != nil {
		r.t.Error(err)
	}
	for _, l := range all {
		name, _ := filepath.Rel(r.dir, l.Path)
		said = append(said, fmt.Sprintf("%s:%d:%d-%d", filepath.ToSlash(name), l.Start.Line+1, l.Start.Column+1, l.End.Column+1))
	}
	return said
}

// symbols asks where the symbol at a place is used and defined, a word each: "a/a.go:4:6-11".
func (r *real) symbols(ctx context.Context, name string, at Place, references []string, definition string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if got := r.places(r.References(ctx, path, at)); !slices.Equal(got, references) {
		r.t.Errorf("references: %q, want %q", got, references)
	}
	if got := r.places(r.Definition(ctx, path, at)); !slices.Equal(got, []string{definition}) {
		r.t.Errorf("definition: %q, want %q", got, definition)
	}
}

// A plan's problems are known as soon as gopls has reported them all: those in files that the plan does not touch,
// with files created, deleted and renamed, again and again.
func TestGopls(t *testing.T) {
	r := startReal(t, Gopls(), map[string]string{
		"go.mod":     "module m\n\ngo 1.26\n",
		"a/a.go":     "package a\n\n// A is « one ».\nfunc A() int { return 1 }\n",
		"b/b.go":     "package b\n\nimport \"m/a\"\n\nvar B = a.A()\n",
		"c/c.go":     "package c\n\nvar C int = \"old\"\n",
		"readme.txt": "text\n",
	})
	for _, c := range []problemCase{
		{"nothing", nil, nil, 0},
		{"a caller in another file breaks", map[string]Text{"a/a.go": {Text: "package a\n\nfunc A2() int { return 1 }\n"}}, []string{"b/b.go:5:11 error UndeclaredImportedName: undefined: a.A"}, 0},
		{"a problem is fixed, another made after a wide character", map[string]Text{"c/c.go": {Text: "package c\n\nvar C, _ = \"« 🛒\", D\n"}}, []string{"c/c.go:3:23 error UndeclaredName: undefined: D"}, 1},
		{"lines move", map[string]Text{"c/c.go": {Text: "package c\n\n// C is old.\nvar C int = \"old\"\n"}}, nil, 0},
		{"a new file imports another new one", map[string]Text{"d/d.go": {Text: "package d\n\nvar D = 1\n"}, "e/e.go": {Text: "package e\n\nimport \"m/d\"\n\nvar E = d.D + d.F\n"}}, []string{"e/e.go:5:17 error UndeclaredImportedName: undefined: d.F"}, 0},
		{"a file is gone", map[string]Text{"a/a.go": {Gone: true}}, []string{`b/b.go:3:8 error BrokenImport: could not import m/a (no required module provides package "m/a")`}, 0},
		{"a file moves with its caller", map[string]Text{"a/a.go": {Gone: true}, "z/a.go": {Text: "package a\n\nfunc A() int { return 1 }\n"}, "b/b.go": {Text: "package b\n\nimport a \"m/z\"\n\nvar B = a.A()\n"}}, nil, 0},
		{"another kind of file", map[string]Text{"readme.txt": {Text: "other\n"}}, nil, 0},
		{"the module's own file", map[string]Text{"go.mod": {Text: "module n\n\ngo 1.26\n"}}, []string{`b/b.go:3:8 error BrokenImport: could not import m/a (no required module provides package "m/a")`}, 0},
	} {
		r.try(t, c)
	}
}

// A symbol is found and renamed by who knows what a symbol is: over files, not in a shadowed name, over text that is
// not on the disk.
func TestGoplsSymbols(t *testing.T) {
	r := startReal(t, Gopls(), map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a/a.go": "package a\n\n// « 🛒 »\nfunc Total() int { return 1 }\n",
		"b/b.go": "package b\n\nimport \"m/a\"\n\nvar B = a.Total()\n\nfunc f() int { Total := 2; return Total }\n",
		"c/c.go": "package c\n\nimport \"m/a\"\n\nvar C = a.Total() + a.Total()\n",
	})
	at := func(name string) string { return filepath.Join(r.dir, name) }
	unsaved := map[string]Text{at("c/c.go"): {Text: "package c\n\nimport \"m/a\"\n\nvar C = /* 🛒 */ a.Total()\n"}}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := r.Show(ctx, unsaved, nil); err != nil {
		t.Fatal(err)
	}
	r.symbols(ctx, "a/a.go", Place{3, 5}, []string{"a/a.go:4:6-11", "b/b.go:5:11-16", "c/c.go:5:22-27"}, "a/a.go:4:6-11")
	r.symbols(ctx, "c/c.go", Place{4, 22}, []string{"a/a.go:4:6-11", "b/b.go:5:11-16", "c/c.go:5:22-27"}, "a/a.go:4:6-11")
	symbols, err := r.Symbols(ctx, at("b/b.go"))
	if want := []Symbol{{"B", "variable", Place{4, 4}, Place{4, 17}, 0}, {"f", "function", Place{6, 0}, Place{6, 41}, 0}}; err != nil || !slices.Equal(symbols, want) {
		t.Errorf("symbols: %v, %v", symbols, err)
	}
	texts, err := r.Rename(ctx, at("b/b.go"), Place{4, 10}, "Sum")
	want := map[string]Text{
		at("a/a.go"): {Text: "package a\n\n// « 🛒 »\nfunc Sum() int { return 1 }\n"},
		at("b/b.go"): {Text: "package b\n\nimport \"m/a\"\n\nvar B = a.Sum()\n\nfunc f() int { Total := 2; return Total }\n"},
		at("c/c.go"): {Text: "package c\n\nimport \"m/a\"\n\nvar C = /* 🛒 */ a.Sum()\n"},
	}
	if err != nil || !maps.Equal(texts, want) {
		t.Errorf("rename: %v, %v", texts, err)
	}
	for name, at := range map[string]Place{"1bad": {4, 10}, "Sum": {0, 0}, "Sum2": {400, 0}, "Sum3": {4, 400}} {
		if texts, err := r.Rename(ctx, filepath.Join(r.dir, "b/b.go"), at, name); err == nil {
			t.Errorf("%s: %v", name, texts)
		}
	}
	if _, err := r.References(ctx, filepath.Join(r.dir, "no.go"), Place{}); err == nil {
		t.Error("a file that is not there has references")
	}
}
