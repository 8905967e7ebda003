package secrets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTokensIn(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"auth.json":  `{"access_token": "a", "mine": [{"type": "oauth", "refresh": "b", "expires": 7}], "account": "c", "keys": {"x": "d"}, "apiKeys": ["e", {"y": "f"}]}`,
		"bad.json":   `{"token": "g"`,
		"config.ini": `{"token": "h"}`,
		"big.json":   `{"token": "i", "x": "` + strings.Repeat("x", maxTokens) + `"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var files []string
	for _, name := range []string{"auth.json", "bad.json", "config.ini", "big.json", "none.json", ""} {
		files = append(files, filepath.Join(dir, name))
	}
	got := TokensIn(files)
	slices.Sort(got)
	if want := []string{"a", "b", "e"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
