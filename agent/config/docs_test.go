package config

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"redline/internal/pagetest"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/settings.md")

// The settings page has every setting with its values, its default and its meaning.
func TestSettingsPage(t *testing.T) {
	s, _ := load(t, "", nil, nil)
	for _, table := range tablesInOrder() {
		var b strings.Builder
		b.WriteString("| setting | values | default | meaning |\n| --- | --- | --- | --- |\n")
		for _, k := range keysOf(table) {
			what := k.about
			if k.env != "" {
				what += "; the environment variable `" + k.env + "` overrides it"
			}
			if k.example != "" {
				what += "; for example `" + k.example + "`"
			}
			if k.see != "" {
				what += ". See [" + path.Base(strings.SplitN(k.see, "#", 2)[0]) + "](" + k.see + ")"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.name, k.values, k.show(s), what)
		}
		pagetest.Part(t, "docs/reference/settings.md", table, b.String(), *update)
	}
}

// The page has every environment variable that this package reads, and no other.
func TestSettingsPageOnTheEnvironment(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"((?:REDLINE|OPENAI|ANTHROPIC|OPENROUTER|AZURE)_[A-Z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			if !strings.HasSuffix(name, "_test.go") {
				asked[m[1]] = true
			}
		}
	}
	page, err := os.ReadFile("../../docs/reference/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|").FindAllStringSubmatch(string(page), -1) {
		told[row[1]] = true
	}
	if len(asked) < 8 || !maps.Equal(asked, told) {
		t.Errorf("docs/reference/settings.md has %v, want %v", told, asked)
	}
}

// The settings page has every key of the tables of tool servers.
func TestSettingsPageOnToolServers(t *testing.T) {
	var b strings.Builder
	b.WriteString("| key | meaning |\n| --- | --- |\n")
	for _, k := range serverKeys {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.name, k.about)
	}
	pagetest.Part(t, "docs/reference/settings.md", "mcp", b.String(), *update)
}

// The settings page has every key of the tables of language servers.
func TestSettingsPageOnLanguageServers(t *testing.T) {
	var b strings.Builder
	b.WriteString("| key | meaning |\n| --- | --- |\n")
	for _, k := range languageServerKeys {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.name, k.about)
	}
	pagetest.Part(t, "docs/reference/settings.md", "languages.NAME", b.String(), *update)
}

// The configuration on the page about tool servers is valid.
func TestToolServersPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/tool-servers.md")
	if err != nil {
		t.Fatal(err)
	}
	block := tomlBlock.FindStringSubmatch(string(page))
	if block == nil {
		t.Fatal("found no configuration: does this test still look in the right place?")
	}
	s, warnings := load(t, block[1], map[string]string{"DOCS_TOKEN": "x", "TRACKER_AUTHORIZATION": "x"}, nil)
	if len(warnings) != 0 || len(s.ToolServers) != 2 || len(s.FetchConfig().Hosts) != 2 {
		t.Errorf("warnings %q, servers %v, hosts %v", warnings, s.ToolServers, s.FetchConfig().Hosts)
	}
}

// tomlBlock is a configuration in a page.
var tomlBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")

// Every configuration on the page about providers is valid.
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
