package language

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A caller that breaks is found, or it is not known: never nothing, however the header is included.
func TestClangdNeverMissesACaller(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		edit   string // of the header
		with   string // more arguments
		link   [2]string
		unread string
	}{
		"extensionless":  {map[string]string{"m.h": "int total(int x);\n", "All": "#include \"m.h\"\n", "c.cc": "#include \"All\"\nint c() { return total(2); }\n"}, "m.h", "", [2]string{}, ""},
		"forced include": {map[string]string{"m.h": "int total(int x);\n", "c.cc": "int c() { return total(2); }\n"}, "m.h", "-include ../m.h ", [2]string{}, ""},
		"macro":          {map[string]string{"m.h": "int total(int x);\n", "c.cc": "#define H \"m.h\"\n#include H\nint c() { return total(2); }\n"}, "m.h", "", [2]string{}, ""},
		"linked folder":  {map[string]string{"src/m.h": "int total(int x);\n", "c.cc": "#include \"proj/m.h\"\nint c() { return total(2); }\n"}, "src/m.h", "", [2]string{"src", "proj"}, ""},
		"latin 1":        {map[string]string{"m.h": "int total(int x);\n", "c.cc": "// caf\xe9\n#include \"m.h\"\nint c() { return total(2); }\n"}, "m.h", "", [2]string{}, "c.cc"},
	} {
		t.Run(strings.ReplaceAll(name, " ", ""), func(t *testing.T) {
			r := startReal(t, Clangd(), c.files, func(dir string) {
				if c.link[0] != "" {
					if err := os.Symlink(c.link[0], filepath.Join(dir, c.link[1])); err != nil {
						t.Fatal(err)
					}
				}
			})
			compileWith(t, r, "c.cc")
			path := filepath.Join(r.dir, "build", "compile_commands.json")
			text := strings.Replace(r.original[path].Text, "c++ -c ", "c++ "+c.with+"-c ", 1)
			r.original[path] = Text{Text: text}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if c.unread != "" { // as workspace.ReadSaved refuses what is not UTF-8
				read, bad := r.Client.Read, filepath.Join(r.dir, c.unread)
				r.Client.Read = func(name string) (Text, error) {
					if name == bad {
						return Text{}, errors.New("it is not valid UTF-8")
					}
					return read(name)
				}
			}
			found, err := r.tryProblems(map[string]Text{c.edit: {Text: "int sum(int x);\n"}})
			if err == nil && len(found) == 0 {
				t.Error("checked, and nothing is found: c.cc no longer compiles")
			}
		})
	}
}
