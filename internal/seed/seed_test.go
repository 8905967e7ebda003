package seed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each package with properties begins them from the number.
func TestEveryPropertyCanBeRepeated(t *testing.T) {
	root := filepath.Join("..", "..")
	rapid, seeded := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "\t\"pgregory.net/rapid\"\n") {
			rapid[filepath.Dir(path)] = true
		}
		if strings.Contains(string(text), "\t_ \"redline/internal/seed\"\n") {
			seeded[filepath.Dir(path)] = true
		}
		return err
	})
	if err != nil || len(rapid) < 30 {
		t.Fatalf("%d packages with properties: %v", len(rapid), err)
	}
	for dir := range rapid {
		if !seeded[dir] {
			t.Errorf("%s has properties that cannot be repeated: import redline/internal/seed in one of its tests", dir)
		}
	}
}
