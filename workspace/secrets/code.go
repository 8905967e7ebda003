package secrets

import (
	"path"
	"slices"
	"strings"
)

// code are the extensions of source files.
var code = set(
	".go", ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".m", ".mm", ".rs", ".zig", ".swift", ".java", ".kt", ".kts", ".scala", ".groovy", ".clj", ".cljs",
	".cs", ".fs", ".vb", ".py", ".pyi", ".rb", ".php", ".pl", ".pm", ".lua", ".r", ".jl", ".ex", ".exs", ".erl", ".hs", ".ml", ".mli", ".elm", ".dart",
	".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".sql", ".nim", ".cr", ".d",
	".s", ".asm", ".el", ".lisp", ".scm", ".rkt", ".vim", ".proto", ".sol", ".tf", ".nix", ".txtar",
)

// Code reports whether a file is source code, by its name.
func Code(file string) bool { return code[strings.ToLower(path.Ext(file))] }

// testFolders are the names of test folders.
var testFolders = set("test", "tests", "testdata", "__tests__", "spec", "specs", "fixtures", "testing", "e2e", "testutil", "testutils")

// isTest reports whether a file is the source code of a test. Tests, above all those of
// secret scanners, are full of keys and tokens that open nothing.
func isTest(file string) bool {
	file = strings.ToLower(file)
	name := path.Base(file)
	ext := path.Ext(name)
	if !code[ext] {
		return false
	}
	stem := strings.TrimSuffix(name, ext)
	if parts := split(stem); slices.ContainsFunc(parts, func(w string) bool { return w == "test" || w == "tests" || w == "spec" }) {
		return true
	}
	if strings.HasSuffix(stem, "test") || strings.HasSuffix(stem, "tests") || strings.HasSuffix(stem, "spec") { // FooTest.java
		return true
	}
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if testFolders[path.Base(dir)] {
			return true
		}
	}
	return false
}
