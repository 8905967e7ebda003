package wordstest

import (
	"encoding/json"
	"slices"
)

// names are the members of the manifest with conditions and names of things.
var names = []string{"when", "enablement", "key", "mac", "pattern", "command", "completionEvents", "id"}

// inManifest returns the texts of the manifest of the extension for VS Code: what it
// contributes, and how it describes itself. Left out are conditions and names of things.
func inManifest(name string, source []byte) ([]Text, error) {
	var manifest struct {
		DisplayName, Description string
		Contributes              any
	}
	if err := json.Unmarshal(source, &manifest); err != nil {
		return nil, err
	}
	found := []Text{{name, "displayName", manifest.DisplayName}, {name, "description", manifest.Description}}
	var collect func(v any, kind string)
	collect = func(v any, kind string) {
		switch v := v.(type) {
		case string:
			if !slices.Contains(names, kind) {
				found = append(found, Text{name, kind, v})
			}
		case []any:
			for _, element := range v {
				collect(element, kind)
			}
		case map[string]any:
			for key, element := range v {
				collect(element, key)
			}
		}
	}
	collect(manifest.Contributes, "contributes")
	return found, nil
}
