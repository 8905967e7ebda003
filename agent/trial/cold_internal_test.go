package trial

import "testing"

// TestBuildOf holds what builds what a command would build.
func TestBuildOf(t *testing.T) {
	for line, want := range map[string]string{
		"cargo test": "cargo test --no-run",
		"cargo +nightly test -p core sum -- --nocapture":    "cargo +nightly test --no-run -p core sum",
		"cargo nextest run --workspace":                     "cargo nextest run --workspace --no-run",
		"cargo run --release -- --help":                     "cargo build --release",
		"cargo -- test":                                     "cargo",
		"cargo clippy --all-targets":                        "cargo clippy --all-targets",
		"RUST_LOG=debug cargo test --features \"a b\" 2>&1": "cargo test --no-run --features \"a b\"",
		"cd crates/a && cargo test | tail -5":               "cargo test --no-run",
		"go test -race -run TestSum -count=1 -v ./...":      "go test -run=^$ -race ./...",
		"go test ./... -args -x":                            "go test -run=^$ ./...",
		"go vet ./...":                                      "go vet ./...",
		"mvn -o test":                                       "mvn test-compile",
		"./mvnw -q test":                                    "./mvnw test-compile",
		"./gradlew --offline test":                          "./gradlew testClasses",
		"make -C lib check":                                 "make -C lib check",
		"ctest --test-dir build -V":                         "cmake --build build",
		"npm test":                                          "",
		"pnpm run build && pnpm run test":                   "",
		"python -m pytest":                                  "",
		"./run.sh":                                          "",
		"cargo 'test":                                       "",
	} {
		if got := buildOf(line); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
