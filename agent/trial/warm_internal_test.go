package trial

import (
	"os"
	"path/filepath"
	"testing"
)

// Only what cargo itself does is kept: another program could write what a later trial takes for
// cargo's.
func TestOnlyCargo(t *testing.T) {
	for line, want := range map[string]bool{
		"cargo test": true, "cargo +nightly test -p core -- --nocapture": true, "cargo build && cargo test 2>&1 | tail -20": true,
		"cd crates/a && cargo clippy --all-targets": true, "RUST_BACKTRACE=1 cargo test >/dev/null": true, "/usr/bin/cargo check": true,
		"cargo test; echo done": true, "cargo nextest run": true, "if cargo check; then cargo test; fi": true,
		"cargo clean": false, "cargo test && rm -r target": false, "cp x target/debug/deps/x; cargo test": false, "cargo fmt": false,
		"cargo test > target/out": false, "cargo test --target-dir=/tmp/x": false, "CARGO_TARGET_DIR=x cargo test": false,
		"cargo $(cat cmd)": false, "cargo": false, "cargo --version": false, "make test": false, "echo cargo test": false, "f() { cargo test; }; f": false,
		"cargo test 'x": false, "cargo run > ../x": false, "cargo --manifest-path a/Cargo.toml test": false, "$CARGO test": false, "PATH=x cargo test": false,
	} {
		if got := onlyCargo(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// Cargo builds in the target of the workspace that a package is in, unless settings name another.
func TestCargoTarget(t *testing.T) {
	t.Setenv("CARGO_TARGET_DIR", "")
	top := t.TempDir()
	for name, text := range map[string]string{
		"all/Cargo.toml": "[workspace]\nmembers = [\"one\"]\n", "all/one/Cargo.toml": "[package]\n", "all/one/src/lib.rs": "",
		"alone/Cargo.toml": "[package]\n", "none/a.txt": "",
		"moved/Cargo.toml": "[package]\n", "moved/.cargo/config.toml": "[build]\ntarget-dir = \"out\"\n",
		"own/Cargo.toml": "[package]\n", "own/target/notes.txt": "mine\n", "built/Cargo.toml": "[package]\n", "built/target/CACHEDIR.TAG": "",
	} {
		name = filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]string{
		"all": "all/target", "all/one": "all/target", "all/one/src": "all/target", "alone": "alone/target", "none": "", "moved": "", "own": "", "built": "built/target",
	} {
		got := cargoTarget(filepath.Join(top, dir), []string{top})
		if want != "" {
			want = filepath.Join(top, want)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	t.Setenv("CARGO_TARGET_DIR", "/elsewhere")
	if got := cargoTarget(filepath.Join(top, "alone"), []string{top}); got != "" {
		t.Errorf("a variable names another, and it is %q", got)
	}
}
