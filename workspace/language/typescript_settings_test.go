package language

import (
	"runtime/debug"
	"strings"
	"testing"
)

// settings is a client whose files all have a text.
func settings(text string) typeScript {
	return typeScript{&Client{Options: Options{Folder: "/w", Read: func(string) (Text, error) { return Text{Text: text}, nil }}}}
}

// Files with settings that extend each other many times, or nest deeply, cost neither much time nor the process.
func TestHostileSettingsOfTypeScript(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	around := `{"extends": ["./tsconfig.json", "./tsconfig.json", "./tsconfig.json"]}`
	if err := settings(around).brokenSettings("/w/tsconfig.json", map[string]bool{}); err != nil {
		t.Errorf("extending itself: %v", err)
	}
	deep := strings.Repeat("[", 1<<19)
	if err := settings(deep).brokenSettings("/w/tsconfig.json", map[string]bool{}); err == nil || !strings.Contains(err.Error(), "brackets") {
		t.Errorf("deep: %v", err)
	}
}
