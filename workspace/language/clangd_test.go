package language

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/workspace/world"
)

// clangds calls test for each clangd that is installed; only for the usual one unless everything is tried.
func clangds(t *testing.T, test func(t *testing.T, a *Adapter)) {
	for _, program := range []string{"clangd", "clangd-19"} {
		t.Run(program, func(t *testing.T) {
			if program != "clangd" {
				long(t)
			}
			a := Clangd()
			a.Command = append([]string{program}, a.Command[1:]...)
			test(t, a)
		})
	}
}

// clangProject is a project with a compilation database in the folder "build".
var clangProject = map[string]string{
	"a.h":        "#pragma once\n// « one »\nint total(int x);\n",
	"a.cc":       "#include \"a.h\"\nint total(int x) { return x; }\n",
	"in/b.h":     "#pragma once\n#include \"../a.h\"\ninline int b() { return 1; }\n",
	"c.cc":       "#include \"in/b.h\"\nint c() { return b() + total(2); }\n",
	"d.cc":       "#include \"a.h\"\nint d() { return total(3) }\n",
	"e.c":        "int e(void) { return 1; }\n",
	"readme.txt": "text\n",
}

// compileWith writes a compilation database for a project.
func compileWith(t *testing.T, r *real, files ...string) {
	t.Helper()
	var entries []map[string]string
	for _, name := range files {
		entries = append(entries, map[string]string{"directory": filepath.Join(r.dir, "build"), "file": "../" + name, "command": "c++ -c ../" + name})
	}
	text, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.dir, "build", "compile_commands.json")
	r.original[path] = Text{Text: string(text)}
	if err := (folderDisk{}).Change(t.Context(), []world.Change{{Path: path, Text: text}}); err != nil {
		t.Fatal(err)
	}
}

// A plan's problems are known as soon as clangd has published what it has found in all files that include what the plan
// touches, again and again.
func TestClangd(t *testing.T) {
	clangds(t, func(t *testing.T, a *Adapter) {
		r := startReal(t, a, clangProject)
		compileWith(t, r, "a.cc", "c.cc", "d.cc", "e.c")
		for _, c := range []problemCase{
			{"nothing", nil, nil, 0},
			{"a function has another parameter", map[string]Text{"a.h": {Text: "#pragma once\nint total(int x, int y);\n"}}, []string{
				"c.cc:2:24 error ovl_no_viable_function_in_call: No matching function for call to 'total'", "d.cc:2:18 error ovl_no_viable_function_in_call: No matching function for call to 'total'",
			}, 0},
			{"callers in other files break", map[string]Text{"a.h": {Text: "#pragma once\nint sum(int x);\n"}}, []string{
				"c.cc:2:24 error undeclared_var_use: Use of undeclared identifier 'total'", "d.cc:2:18 error undeclared_var_use: Use of undeclared identifier 'total'",
			}, 0},
			{"they are fixed", map[string]Text{
				"a.h": {Text: "#pragma once\nint sum(int x);\n"}, "a.cc": {Text: "#include \"a.h\"\nint sum(int x) { return x; }\n"},
				"c.cc": {Text: "#include \"in/b.h\"\nint c() { return b() + sum(2); }\n"}, "d.cc": {Text: "#include \"a.h\"\nint d() { return sum(3) }\n"},
			}, nil, 0},
			{"a problem is fixed, another made after a wide character", map[string]Text{"d.cc": {Text: "#include \"a.h\"\nint d() { return /* « 🛒 */ other(3); }\n"}}, []string{"d.cc:2:32 error undeclared_var_use: Use of undeclared identifier 'other'"}, 1},
			{"lines move", map[string]Text{"d.cc": {Text: "\n\n#include \"a.h\"\nint d() { return total(3) }\n"}}, nil, 0},
			{"a new file includes another new one", map[string]Text{"n.h": {Text: "int n();\n"}, "n.cc": {Text: "#include \"n.h\"\nint m() { return n() + no(); }\n"}}, []string{"n.cc:2:24 error undeclared_var_use: Use of undeclared identifier 'no'"}, 0},
			{"a file includes one that is created later", map[string]Text{"d.cc": {Text: "#include \"late.h\"\nint d() { return late(); }\n"}}, []string{
				"d.cc:1:10 error pp_file_not_found: 'late.h' file not found", "d.cc:2:18 error undeclared_var_use: Use of undeclared identifier 'late'",
			}, 1},
			{"and it is created", map[string]Text{"d.cc": {Text: "#include \"late.h\"\nint d() { return late(); }\n"}, "late.h": {Text: "int late();\n"}}, nil, 1},
			{"a file is gone", map[string]Text{"in/b.h": {Gone: true}}, []string{
				"c.cc:1:10 error pp_file_not_found: 'in/b.h' file not found", "c.cc:2:18 error undeclared_var_use: Use of undeclared identifier 'b'", "c.cc:2:24 error undeclared_var_use: Use of undeclared identifier 'total'",
			}, 0},
			{"a file moves", map[string]Text{"in/b.h": {Gone: true}, "out/b.h": {Text: clangProject["in/b.h"]}, "c.cc": {Text: strings.Replace(clangProject["c.cc"], "in/", "out/", 1)}}, nil, 0},
			{"another kind of file", map[string]Text{"readme.txt": {Text: "other\n"}}, nil, 0},
		} {
			r.try(t, c)
		}
	})
}

// A symbol is found and renamed over files that nobody has opened, once clangd has indexed them.
func TestClangdSymbols(t *testing.T) {
	clangds(t, func(t *testing.T, a *Adapter) {
		r := startReal(t, a, clangProject)
		compileWith(t, r, "a.cc", "c.cc", "d.cc", "e.c")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		at := func(name string) string { return filepath.Join(r.dir, name) }
		all := []string{"a.cc:2:5-10", "a.h:3:5-10", "c.cc:2:24-29", "d.cc:2:18-23"}
		r.symbols(ctx, "d.cc", Place{1, 17}, all, "a.cc:2:5-10")
		if err := r.Show(ctx, map[string]Text{at("c.cc"): {Gone: true}, at("n.cc"): {Text: "#include \"a.h\"\nint n() { /* 🛒 */ int c = total(2); { int total = 1; return total; } }\n"}}, nil); err != nil {
			t.Fatal(err)
		}
		r.symbols(ctx, "a.h", Place{2, 4}, []string{"a.cc:2:5-10", "a.h:3:5-10", "d.cc:2:18-23", "n.cc:2:30-35"}, "a.cc:2:5-10")
		texts, err := r.Rename(ctx, at("a.h"), Place{2, 4}, "sum")
		want := map[string]Text{
			at("a.h"):  {Text: "#pragma once\n// « one »\nint sum(int x);\n"},
			at("a.cc"): {Text: "#include \"a.h\"\nint sum(int x) { return x; }\n"},
			at("d.cc"): {Text: "#include \"a.h\"\nint d() { return sum(3) }\n"},
			at("n.cc"): {Text: "#include \"a.h\"\nint n() { /* 🛒 */ int c = sum(2); { int total = 1; return total; } }\n"},
		}
		if err != nil || !maps.Equal(texts, want) {
			t.Errorf("rename: %v, %v", texts, err)
		}
		if err := r.Show(ctx, nil, nil); err != nil {
			t.Fatal(err)
		}
		r.symbols(ctx, "d.cc", Place{1, 17}, all, "a.cc:2:5-10")
	})
}

// Without a compilation database that can be read nothing is known.
func TestClangdWithoutADatabase(t *testing.T) {
	for want, text := range map[string]string{
		"there is no compilation database (compile_commands.json or compile_flags.txt)":                   "",
		"the compilation database build/compile_commands.json cannot be read: ":                           "[{",
		"the compilation database build/compile_commands.json cannot be read: it lists no file of this f": "[]",
	} {
		r := startReal(t, Clangd(), clangProject)
		if text != "" {
			r.original[filepath.Join(r.dir, "build/compile_commands.json")] = Text{Text: text}
			if err := os.MkdirAll(filepath.Join(r.dir, "build"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(r.dir, "build/compile_commands.json"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		if err := r.Show(ctx, map[string]Text{filepath.Join(r.dir, "a.h"): {Text: "int other();\n"}}, nil); err != nil {
			t.Fatal(err)
		}
		if found, err := r.Problems(ctx); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, %v", text, found, err)
		}
		if found, err := r.References(ctx, filepath.Join(r.dir, "a.cc"), Place{1, 4}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: references: %v, %v", text, found, err)
		}
	}
}

// A database of flags is for all files of its folder, and clangd indexes none. More than a bounded number of files is not checked, and a new database needs a new server.
func TestClangdWithFlags(t *testing.T) {
	files := map[string]string{"compile_flags.txt": "-DONE=1\n", "a.h": "#pragma once\nint total(int x);\n", "only.hpp": "#include \"a.h\"\nint only() { return total(1); }\n"}
	for i := range 2 {
		files[fmt.Sprintf("src/s%d.cc", i)] = fmt.Sprintf("#include \"../a.h\"\nint s%d() { return total(ONE); }\n", i)
	}
	r := startReal(t, Clangd(), files)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	at := func(name string) string { return filepath.Join(r.dir, name) }
	if found, err := r.References(ctx, at("src/s0.cc"), Place{1, 20}); err == nil || !strings.Contains(err.Error(), "compile_flags.txt does not list") {
		t.Errorf("references: %v, %v", found, err)
	}
	r.try(t, problemCase{"callers break", map[string]Text{"a.h": {Text: "#pragma once\n"}}, []string{
		"only.hpp:2:21 error undeclared_var_use: Use of undeclared identifier 'total'",
		"src/s0.cc:2:19 error undeclared_var_use: Use of undeclared identifier 'total'",
		"src/s1.cc:2:19 error undeclared_var_use: Use of undeclared identifier 'total'",
	}, 0})
	many := map[string]Text{}
	for i := range maxIncluders {
		many[at(fmt.Sprintf("src/t%d.cc", i))] = Text{Text: "#include \"../a.h\"\n"}
	}
	many[at("a.h")] = Text{Text: "#pragma once\n"}
	if err := r.Show(ctx, many, nil); err != nil {
		t.Fatal(err)
	}
	if found, err := r.Problems(ctx); err == nil || err.Error() != "63 files would have to be checked, and it checks 60 at most" {
		t.Errorf("with many files: %v, %v", found, err)
	}
	r.try(t, problemCase{"nothing", map[string]Text{"a.h": {Text: "#pragma once\nint total(int y);\n"}}, nil, 0})
	if err := r.Show(ctx, map[string]Text{at("compile_flags.txt"): {Text: "-DONE=two\n"}, at("a.h"): {Text: "#pragma once\n"}}, nil); err != nil {
		t.Fatal(err)
	}
	found, err := r.Problems(ctx)
	if _, again := errors.AsType[*StartAgainError](err); !again || !strings.Contains(err.Error(), "must start again") {
		t.Errorf("with another database: %v, %v", found, err)
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
		t.Error("the server with an old database stays")
	}
}
