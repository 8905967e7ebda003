package language

import (
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const rustPackage = "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"

// needsRust skips the test if rust-analyzer is not installed: rustup has a program of that name anyway.
func needsRust(t *testing.T) {
	t.Helper()
	if out, err := exec.Command(installed(t, "rust-analyzer"), "--version").CombinedOutput(); err != nil {
		t.Skipf("it needs rust-analyzer, and .ci/install-languages installs it: %s", out)
	}
}

// A plan's problems are those of cargo check, once that has ended: those in files that the plan does not touch, with
// files created, deleted and moved, again and again; and symbols.
func TestRustAnalyzer(t *testing.T) {
	needsRust(t)
	const a = "// « one »\npub fn total() -> i32 { 1 }\n"
	unknown := func(name, where, of string) string {
		return "cannot find function `" + name + "` in " + where + "\nnot found in " + of
	}
	r := startReal(t, RustAnalyzer(), map[string]string{
		"Cargo.toml": rustPackage, "src/lib.rs": "pub mod a;\npub mod b;\npub mod c;\n", "src/a.rs": a,
		"src/b.rs": "pub fn b() -> i32 { let total = 2; total + crate::a::total() }\n",
		"src/c.rs": "pub fn c() {\n    let old = 1;\n    println!(\"{}\", crate::a::total());\n}\n", "readme.txt": "text\n",
	})
	rustSymbols(t, r)
	const onlyB = "pub fn c() {\n    let old = 1;\n}\n"
	cases := []problemCase{
		{"a caller in another file breaks", map[string]Text{"src/a.rs": {Text: "pub fn sum() -> i32 { 1 }\n"}, "src/c.rs": {Text: onlyB}}, []string{"src/b.rs:1:54 error E0425: " + unknown("total", "module `crate::a`", "`crate::a`")}, 0},
		{"it is fixed", map[string]Text{"src/a.rs": {Text: "pub fn sum() -> i32 { 1 }\n"}, "src/b.rs": {Text: "pub fn b() -> i32 { crate::a::sum() }\n"}, "src/c.rs": {Text: onlyB}}, nil, 0},
		{"a problem is fixed, another made after a wide character", map[string]Text{"src/c.rs": {Text: "pub fn c() {\n    let _ = \"« 🛒\"; unknown();\n}\n"}}, []string{"src/c.rs:2:24 error E0425: " + unknown("unknown", "this scope", "this scope")}, 1},
	}
	more := []problemCase{
		{"a new file is a module", map[string]Text{"src/lib.rs": {Text: "pub mod a;\npub mod b;\npub mod c;\npub mod d;\n"}, "src/d.rs": {Text: "pub fn d() -> i32 { crate::a::total() + no() }\n"}}, []string{"src/d.rs:1:41 error E0425: " + unknown("no", "this scope", "this scope")}, 0},
		{"a file moves", map[string]Text{"src/a.rs": {Gone: true}, "src/a/mod.rs": {Text: a}}, nil, 0},
	}
	if *all {
		cases = append(append(cases, more...), []problemCase{
			{"nothing", nil, nil, 0},
			{"lines move", map[string]Text{"src/c.rs": {Text: "\n\n" + onlyB}}, nil, 0},
			{"a new target", map[string]Text{"tests/t.rs": {Text: "#[test]\nfn t() { m::b::none() }\n"}}, []string{"tests/t.rs:2:16 error E0425: " + unknown("none", "module `m::b`", "`m::b`")}, 0},
			{"another kind of file", map[string]Text{"readme.txt": {Text: "other\n"}}, nil, 0},
			{"another edition", map[string]Text{"Cargo.toml": {Text: strings.Replace(rustPackage, "2021", "2015", 1)}, "src/b.rs": {Text: "pub fn b() -> i32 { let async = ::a::total(); async }\n"}}, nil, 0},
		}...)
	}
	for _, c := range cases {
		r.try(t, c)
	}
	gone := map[string]Text{filepath.Join(r.dir, "src/a.rs"): {Gone: true}}
	broken := map[string]Text{filepath.Join(r.dir, "Cargo.toml"): {Text: "[package\n"}}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := r.Show(ctx, gone, nil); err != nil {
		t.Fatal(err)
	}
	found, err := r.Problems(ctx)
	if err != nil || !slices.ContainsFunc(found, func(p Problem) bool { return strings.HasPrefix(p.Message, "file not found for module `a`") }) || Hidden(found) == nil {
		t.Errorf("without a file: %v, %v", found, err)
	}
	if !*all {
		return
	}
	for range 2 {
		if err := r.Show(ctx, broken, nil); err != nil {
			t.Fatal(err)
		}
		if found, err := r.Problems(ctx); err == nil || !strings.Contains(err.Error(), "ould not load the workspace") {
			t.Errorf("with a broken Cargo.toml: %v, %v", found, err)
		}
		if found, err := r.References(ctx, filepath.Join(r.dir, "src/a.rs"), Place{1, 8}); err == nil {
			t.Errorf("references with a broken Cargo.toml: %v", found)
		}
		r.try(t, cases[0])
	}
}

// rustSymbols shows that a symbol is found and renamed over files that nobody has opened, as soon as the workspace
// is loaded; not in a shadowed name, over text that is not on the disk, and not in a file that is gone.
func rustSymbols(t *testing.T, r *real) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	at := func(name string) string { return filepath.Join(r.dir, name) }
	r.symbols(ctx, "src/a.rs", Place{1, 8}, []string{"src/a.rs:2:8-13", "src/b.rs:1:54-59", "src/c.rs:3:30-35"}, "src/a.rs:2:8-13")
	if err := r.Show(ctx, map[string]Text{
		at("src/lib.rs"): {Text: "pub mod a;\npub mod b;\npub mod d;\n"}, at("src/c.rs"): {Gone: true},
		at("src/d.rs"): {Text: "// 🛒\npub fn d() -> i32 { crate::a::total() }\n"},
	}, nil); err != nil {
		t.Fatal(err)
	}
	r.symbols(ctx, "src/d.rs", Place{1, 30}, []string{"src/a.rs:2:8-13", "src/b.rs:1:54-59", "src/d.rs:2:31-36"}, "src/a.rs:2:8-13")
	texts, err := r.Rename(ctx, at("src/b.rs"), Place{0, 53}, "sum")
	want := map[string]Text{
		at("src/a.rs"): {Text: "// « one »\npub fn sum() -> i32 { 1 }\n"},
		at("src/b.rs"): {Text: "pub fn b() -> i32 { let total = 2; total + crate::a::sum() }\n"},
		at("src/d.rs"): {Text: "// 🛒\npub fn d() -> i32 { crate::a::sum() }\n"},
	}
	if err != nil || !maps.Equal(texts, want) {
		t.Errorf("rename: %v, %v", texts, err)
	}
	for name, place := range map[string]Place{"1bad": {0, 53}, "sum": {0, 0}} {
		if texts, err := r.Rename(ctx, at("src/b.rs"), place, name); err == nil {
			t.Errorf("%s: %v", name, texts)
		}
	}
}
