package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// moduleLine finds the module's path in go.mod.
var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

// renameModule gives the module in the working directory another path: in go.mod, which is the
// one place that says it, and in the imports and package names of all Go files.
func renameModule(out io.Writer, args []string) error {
	to := args[0]
	gomod, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	line := moduleLine.FindSubmatchIndex(gomod)
	if line == nil {
		return fmt.Errorf("go.mod names no module")
	}
	from := string(gomod[line[2]:line[3]])
	changed := 0
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		renamed, err := renameImports(path, source, from, to)
		if err != nil || bytes.Equal(renamed, source) {
			return err
		}
		changed++
		return os.WriteFile(path, renamed, 0o644)
	})
	if err != nil {
		return err
	}
	gomod = slices.Concat(gomod[:line[2]], []byte(to), gomod[line[3]:])
	if err := os.WriteFile("go.mod", gomod, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "release: %s is %s now, in go.mod and %d files\n", from, to, changed)
	return nil
}

// renameImports returns the source of a Go file with the paths of the module's packages
// renamed: those that it imports, and other strings that are the path of a folder with a
// package, as tests have them.
func renameImports(path string, source []byte, from, to string) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var renamed []byte
	done := 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		value, err := strconv.Unquote(literal.Value)
		inside, ok := strings.CutPrefix(value, from+"/")
		if err != nil || !ok || !isFolder(inside) {
			return true
		}
		start := files.Position(literal.Pos()).Offset
		renamed = append(renamed, source[done:start]...)
		renamed = append(renamed, strconv.Quote(to+"/"+inside)...)
		done = start + len(literal.Value)
		return true
	})
	return append(renamed, source[done:]...), nil
}

func isFolder(path string) bool {
	info, err := os.Stat(filepath.FromSlash(path))
	return err == nil && info.IsDir()
}
