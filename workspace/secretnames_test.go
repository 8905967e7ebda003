package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// SecretNames judges many paths as SecretByName and OffLimits judge each of them.
func TestSecretNames(t *testing.T) {
	for _, hard := range []bool{false, true} {
		t.Run(fmt.Sprintf("hard=%v", hard), func(t *testing.T) {
			w, dir := newHome(t)
			writeTree(t, dir, map[string]string{
				"src/deep/b.txt": "", "src/.env": "", ".redline/ignore": "mine/\n*.mine\n", "mine/x": "", "src/y.mine": "", "keys/.ssh/id": "", "mounted": "", "plain/": "",
			})
			link(t, "../keys/.ssh", filepath.Join(dir, "src", "linked"))
			link(t, "../.env", filepath.Join(dir, "src", "deep", "env.txt"))
			link(t, "src", filepath.Join(dir, "also"))
			link(t, ".config", filepath.Join(dir, "config"))
			link(t, "nowhere", filepath.Join(dir, "loose"))
			if hard {
				must(t, os.Link(filepath.Join(dir, ".config/redline/config.toml"), filepath.Join(dir, "src", "hard.toml")))
			}
			paths := []string{
				".", "a.txt", "gone.txt", "gone/a.txt", "gone/.env", "gone/.ssh/id", "src", "src/deep/b.txt", "src/.env", "src/deep/gone", "mine/x", "mine/gone", "gone/y.mine", "src/y.mine",
				"src/linked", "src/linked/id", "src/linked/gone", "src/deep/env.txt", "also/.env", "also/deep/b.txt", "also/deep/env.txt", "also/linked/id", "also/gone",
				".config/redline/config.toml", ".config/redline/other.txt", ".config/redline/agents/one.md", ".config/redline/agents/gone.md", ".config/redline/prompts/x", ".config/redlined",
				"config/redline/config.toml", "config/redline/other.txt", ".Config/Redline/config.toml", "dot/redline.toml", "DOT/redline.toml", "dot/x", ".state/redline/redline.db", ".state/redline/gone/x", ".state/x",
				"real/one.md", "real/settings.toml", "src/hard.toml", "loose", "loose/x", "a.txt/x", "mounted", "plain/x", "../x", "", "/x", "a//b", ".git/config",
			}
			for _, mounts := range []map[string]bool{nil, {}, {filepath.Join(dir, "mounted"): true}} {
				secret := w.SecretNames(mounts)
				var found []string
				for range 2 {
					for _, path := range paths {
						got, want := secret(path), w.SecretByName(path) || w.OffLimits(path) != nil
						if got != want {
							t.Errorf("%s with mounts %v: %v, but by itself %v", path, mounts, got, want)
						}
						if got {
							found = append(found, path)
						}
					}
				}
				for _, path := range []string{"gone/.env", "gone/.ssh/id", "src/linked/id", "also/.env", "src/deep/env.txt", "mine/gone", "config/redline/config.toml", "real/one.md"} {
					if !slices.Contains(found, path) {
						t.Errorf("%s is secret, and the test shows nothing", path)
					}
				}
				if slices.Contains(found, "src/hard.toml") != hard {
					t.Errorf("the other name of the settings: %v", found)
				}
			}
		})
	}
}
