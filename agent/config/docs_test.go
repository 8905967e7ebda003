package config

import (
	"os"
	"regexp"
	"testing"
)

// settingRow is a row of the settings page: | `table.key` | default | meaning |.
var settingRow = regexp.MustCompile("(?m)^\\| `([a-z]+\\.[a-z_]+)` \\| ([^|]+) \\| [^|]+ \\|$")

// The page that tells users about settings has every setting with its default,
// and no other.
func TestSettingsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]string{}
	for _, row := range settingRow.FindAllStringSubmatch(string(page), -1) {
		described[row[1]] = row[2]
	}
	s, _ := load(t, "", nil, nil)
	for _, k := range keys {
		if got, want := described[k.name], k.show(s); got != want {
			t.Errorf("docs/settings.md gives %s the default %q, want a row with %q", k.name, got, want)
		}
		delete(described, k.name)
	}
	for name := range described {
		t.Errorf("docs/settings.md describes %s, which is no setting", name)
	}
}

// tomlBlock is a configuration in a page.
var tomlBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")

// Every configuration on the page about providers is one.
func TestModelsPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := tomlBlock.FindAllStringSubmatch(string(page), -1)
	if len(blocks) < 10 {
		t.Fatalf("found only %d: does this test still look in the right place?", len(blocks))
	}
	for _, block := range blocks {
		s, warnings := load(t, block[1], map[string]string{"GATEWAY_TOKEN": "x"}, nil)
		if len(warnings) != 0 || s.ModelConfig().BaseURL == "" || s.ModelConfig().Name == "" {
			t.Errorf("%s\nwarnings %q", block[1], warnings)
		}
	}
}
