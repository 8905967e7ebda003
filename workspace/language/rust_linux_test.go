//go:build amd64 || arm64

package language

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// In its world rust-analyzer needs no network and leaves nothing, and what it runs for the project, such as a
// build script, changes nothing outside.
func TestRustAnalyzerInItsWorld(t *testing.T) {
	needsRust(t)
	long(t)
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	rustup, cargo := filepath.Join(home, ".rustup"), filepath.Join(home, ".cargo")
	for name, dir := range map[string]*string{"RUSTUP_HOME": &rustup, "CARGO_HOME": &cargo} {
		if value := os.Getenv(name); value != "" {
			*dir = value
		}
		t.Setenv(name, *dir)
	}
	left := filepath.Join(t.TempDir(), "left")
	s, dir := inWorld(t, RustAnalyzer(), map[string]string{
		"Cargo.toml": rustPackage, "src/lib.rs": "pub mod a;\npub mod b;\n",
		"build.rs": fmt.Sprintf("fn main() { let _ = std::fs::write(%q, \"x\"); }\n", left),
		"src/a.rs": "pub fn total() -> i32 { 1 }\n", "src/b.rs": "pub fn b() -> i32 { crate::a::total() }\n",
	}, rustup, cargo)
	at := func(name string) string { return filepath.Join(dir, name) }
	for i := range plansInARow() {
		name := fmt.Sprintf("other%d", i)
		plan := map[string]Text{at("src/a.rs"): {Text: "pub fn " + name + "() -> i32 { 1 }\n"}}
		if i%2 == 1 {
			plan[at("src/c.rs")] = Text{Text: "pub fn c() -> i32 { crate::a::" + name + "() }\n"}
			plan[at("src/lib.rs")] = Text{Text: "pub mod a;\npub mod b;\npub mod c;\n"}
		}
		if got, want := lookInWorld(t, s, plan, nil), "b.rs:1 cannot find function `total` in module `crate::a`\nnot found in `crate::a`"; got != want {
			t.Fatalf("plan %d: %q", i, got)
		}
	}
	if got := lookInWorld(t, s, nil, nil); got != "" {
		t.Errorf("without a plan: %q", got)
	}
	if err := os.WriteFile(at("src/b.rs"), []byte("pub fn b() -> i32 { crate::a::total(2) }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := lookInWorld(t, s, nil, []string{at("src/b.rs")}); got != "b.rs:1 this function takes 0 arguments but 1 argument was supplied" {
		t.Errorf("after a change on the host: %q", got)
	}
	if got := lookInWorld(t, s, map[string]Text{at("src/a.rs"): {Text: "pub fn total(n: i32) -> i32 { n }\n"}}, nil); got != "" {
		t.Errorf("the plan that fixes it: %q", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if found, err := s.References(ctx, at("src/a.rs"), Place{0, 7}); err != nil || len(found) != 2 {
		t.Errorf("references: %v, %v", found, err)
	}
	s.Close()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"Cargo.toml", "build.rs", "src"}; !slices.Equal(names, want) {
		t.Errorf("the host has %q", names)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("its build script has written outside: %v", err)
	}
}
