package language

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tailscale/hujson"
)

// Bounds of files with settings: how many may extend each other, and how many brackets may open in one. Its parser
// is recursive, and a stack overflow would end the process.
const (
	maxExtends  = 200
	maxBrackets = 50_000
)

// brokenSettings returns why a file with settings, or one in the folder that it extends, cannot be read. seen has those
// that were looked at.
func (c typeScript) brokenSettings(path string, seen map[string]bool) error {
	if seen[path] {
		return nil
	}
	if seen[path] = true; len(seen) > maxExtends {
		return fmt.Errorf("%s extends more than %d others", c.inside(path), maxExtends)
	}
	text, err := c.text(path)
	if err != nil || text.Gone {
		return fmt.Errorf("%s cannot be read", c.inside(path))
	}
	if strings.Count(text.Text, "{")+strings.Count(text.Text, "[") > maxBrackets {
		return fmt.Errorf("%s has more than %d brackets", c.inside(path), maxBrackets)
	}
	settings, err := hujson.Standardize([]byte(text.Text))
	if err != nil {
		return fmt.Errorf("%s is no valid JSON", c.inside(path))
	}
	var of struct{ Extends json.RawMessage }
	var one string
	var all []string
	if err := json.Unmarshal(settings, &of); err != nil || len(of.Extends) == 0 {
		return nil // what else is wrong, TypeScript says
	}
	if json.Unmarshal(of.Extends, &one) == nil {
		all = []string{one}
	} else if json.Unmarshal(of.Extends, &all) != nil {
		return nil
	}
	for _, name := range all {
		if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
			continue // a package: TypeScript says if it is not there
		}
		base := filepath.Join(filepath.Dir(path), filepath.FromSlash(name))
		if filepath.Ext(base) != ".json" {
			base += ".json"
		}
		if !inFolder(base, c.Folder) {
			continue
		}
		if err := c.brokenSettings(base, seen); err != nil {
			return err
		}
	}
	return nil
}
