package editors

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// exported is a function of a module, with the comment before it.
var exported = regexp.MustCompile(`(?m)((?:^---.*\n)*)^function M\.(\w+)\(([^)]*)\)((?:\n.*)*?)\nend`)

// Each function of a module says the type of each parameter, and of its result, to a language
// server for Lua.
func TestLuaFunctionsAreTyped(t *testing.T) {
	names, err := fs.Glob(files, "nvim/lua/redline/*.lua")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range exported.FindAllStringSubmatch(string(text), -1) {
			comment, function, body := f[1], f[2], f[4]
			seen++
			for parameter := range strings.SplitSeq(f[3], ",") {
				parameter = strings.TrimSpace(parameter)
				if parameter != "" && !strings.HasPrefix(parameter, "_") && !regexp.MustCompile(`---@param `+regexp.QuoteMeta(parameter)+`\b`).MatchString(comment) {
					t.Errorf("%s: %s does not say the type of %s", name, function, parameter)
				}
			}
			returns := slices.ContainsFunc(strings.Split(body, "\n"), func(line string) bool {
				return regexp.MustCompile(`^  return [^(]`).MatchString(line) && !strings.HasSuffix(line, "return nil")
			})
			if returns && !strings.Contains(comment, "---@return ") {
				t.Errorf("%s: %s does not say the type of its result", name, function)
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d functions were looked at", seen)
	}
}
