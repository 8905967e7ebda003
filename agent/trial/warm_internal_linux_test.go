package trial

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Settings of which the text is not known may name another target. A repository can have anything in
// their place: none of it is waited for, or read as a whole.
func TestCargoTargetOfOddSettings(t *testing.T) {
	t.Setenv("CARGO_TARGET_DIR", "")
	for name, put := range map[string]func(at string) error{
		"a device":            func(at string) error { return os.Symlink("/dev/zero", at) },
		"a pipe":              func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"a folder":            func(at string) error { return os.Mkdir(at, 0o700) },
		"a link to nothing":   func(at string) error { return os.Symlink("nothing", at) },
		"larger than any are": func(at string) error { return os.WriteFile(at, make([]byte, maxSettings+1), 0o600) },
	} {
		for _, file := range []string{".cargo/config", ".cargo/config.toml", "Cargo.toml"} {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, ".cargo"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte("[package]\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			file = filepath.Join(dir, file)
			_ = os.Remove(file)
			if err := put(file); err != nil {
				t.Fatal(err)
			}
			if got := cargoTarget(dir, []string{dir}); got != "" {
				t.Errorf("%s is %s, and it is %q", file, name, got)
			}
		}
	}
}
