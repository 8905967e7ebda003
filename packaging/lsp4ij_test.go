package packaging

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"redline/agent/config"
)

// lsp4ijTemplate has the members of template.json that LSP4IJ reads from ours.
type lsp4ijTemplate struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	ProgramArgs      map[string]string `json:"programArgs"` // by system; LSP4IJ fails without a default
	FileTypeMappings []struct {
		FileType struct {
			Patterns []string `json:"patterns"`
		} `json:"fileType"`
		LanguageID string `json:"languageId"`
	} `json:"fileTypeMappings"`
}

func readStrictly(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// LSP4IJ ignores a mapping without patterns or without a language, and fails without a name or
// a default command.
func TestLSP4IJTemplate(t *testing.T) {
	var template lsp4ijTemplate
	readStrictly(t, "lsp4ij/template.json", &template)
	if template.ID != project(t)["package"] || template.Name != "Redline" || template.ProgramArgs["default"] == "" {
		t.Errorf("the template is %+v", template)
	}
	seen := map[string]bool{}
	for _, m := range template.FileTypeMappings {
		if len(m.FileType.Patterns) == 0 || m.LanguageID == "" {
			t.Errorf("LSP4IJ ignores the mapping %+v", m)
		}
		for _, name := range append(m.FileType.Patterns, "language "+m.LanguageID) {
			if seen[name] {
				t.Errorf("%s is mapped twice", name)
			}
			seen[name] = true
		}
	}
	for _, name := range []string{"*.md", "*.go", "*.java", "*.kt", "*.py"} { // *.md is for the chat file and the previews
		if !seen[name] {
			t.Errorf("nothing is mapped for %s", name)
		}
	}
}

// The command lines of the template start the server.
func TestLSP4IJCommandLine(t *testing.T) {
	var template lsp4ijTemplate
	readStrictly(t, "lsp4ij/template.json", &template)
	for system, line := range template.ProgramArgs {
		words := strings.Fields(line)
		if name := strings.TrimSuffix(words[0], ".exe"); name != "redline" || strings.ContainsAny(line, `"'$`) {
			t.Fatalf("%s: this test cannot run %q", system, line)
		}
		if (system == "windows") != (runtime.GOOS == "windows") {
			continue
		}
		words[0] = filepath.Join(programs(t), runtime.GOOS+"_"+runtime.GOARCH, words[0])
		initializes(t, words...)
	}
}

// lsp4ijSchema has what our schema says of a setting, and of the settings in it.
type lsp4ijSchema struct {
	Schema      string                  `json:"$schema"`
	ID          string                  `json:"$id"`
	Title       string                  `json:"title"`
	Description string                  `json:"description"`
	Type        string                  `json:"type"`
	Default     any                     `json:"default"`
	Enum        []any                   `json:"enum"`
	Additional  *bool                   `json:"additionalProperties"`
	Properties  map[string]lsp4ijSchema `json:"properties"`
}

// The schema offers the settings that Redline takes from an editor, and no others.
func TestLSP4IJSettings(t *testing.T) {
	var schema lsp4ijSchema
	readStrictly(t, "lsp4ij/settings.schema.json", &schema)
	ui := schema.Properties["redline"].Properties["ui"].Properties
	for name, s := range ui {
		values := s.Enum
		if s.Type == "boolean" {
			values = []any{true, false}
		}
		if len(values) == 0 || s.Description == "" {
			t.Errorf("%s: the schema offers no value, or does not describe it", name)
		}
		for _, value := range values {
			if warnings := fromEditor(map[string]any{"ui": map[string]any{name: value}}); len(warnings) > 0 {
				t.Errorf("Redline does not take ui.%s = %v: %v", name, value, warnings)
			}
		}
	}
	page, err := os.ReadFile("../docs/reference/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `ui\\.([a-z_]+)`").FindAllSubmatch(page, -1) {
		if _, ok := ui[string(row[1])]; !ok {
			t.Errorf("the schema lacks ui.%s", row[1])
		}
	}
	// What is there from the start changes nothing in the user's own settings.
	var settings struct {
		Redline map[string]map[string]any `json:"redline"`
	}
	readStrictly(t, "lsp4ij/settings.json", &settings)
	var options map[string]any
	readStrictly(t, "lsp4ij/initializationOptions.json", &options)
	if len(settings.Redline) != 1 || len(settings.Redline["ui"]) != 0 || len(options) != 0 {
		t.Errorf("the template sets %v and %v", settings, options)
	}
}

func fromEditor(tables map[string]any) []string {
	_, warnings := config.Default().WithEditor(tables)
	var said []string
	for _, w := range warnings {
		said = append(said, string(w))
	}
	return said
}
