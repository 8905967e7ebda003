package placeholder

import "testing"

func TestScriptsWithoutAnEndingAreNoProse(t *testing.T) {
	for name, want := range map[string]bool{
		"bin/deploy": false, "Makefile": false, "Containerfile": false, "CMakeLists.txt": false, "requirements-dev.txt": false,
		".bashrc": false, ".gitignore": false, "a.py": false, "go.mod": false,
		"README": true, "LICENSE": true, "notes/a.md": true, "notes.txt": true, "CHANGES": true,
	} {
		if got := languageOf(name).prose; got != want {
			t.Errorf("%s: prose %v, want %v", name, got, want)
		}
	}
}
