package secrets

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxTokens is the size limit of a file in which tokens are looked for, in bytes.
const maxTokens = 1 << 20

// TokensIn returns the tokens in those of the files that are JSON, as far as their names there say that they are
// some. A program that has such files may print them, and its output is shown and stored.
//
//	{"tokens": {"access_token": "…"}}    {"provider": {"type": "oauth", "refresh": "…"}}
func TokensIn(files []string) (tokens []string) {
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxTokens || filepath.Ext(name) != ".json" {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		var content any
		err = json.NewDecoder(io.LimitReader(f, maxTokens)).Decode(&content)
		f.Close()
		if err == nil {
			tokens = append(tokens, tokensOf("", content)...)
		}
	}
	return tokens
}

// tokensOf returns the tokens in a value of JSON, which has a name in an object.
func tokensOf(name string, value any) (tokens []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, value := range v {
			tokens = append(tokens, tokensOf(name, value)...)
		}
	case []any:
		for _, value := range v {
			tokens = append(tokens, tokensOf(name, value)...)
		}
	case string:
		if Named(name) || slices.Contains([]string{"access", "refresh"}, strings.ToLower(name)) {
			tokens = append(tokens, v)
		}
	}
	return tokens
}
