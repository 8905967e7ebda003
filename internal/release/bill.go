package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill writes the bill of materials of a program: the modules that its linker noted, in
// CycloneDX 1.6 as JSON.
//
// Source: https://cyclonedx.org/docs/1.6/json
func bill(_ io.Writer, args []string) error {
	version, program, out := args[0], args[1], args[2]
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	e := cyclonedx.NewBOMEncoder(f, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	if err := e.EncodeVersion(billOf(version, info), cyclonedx.SpecVersion1_6); err != nil {
		return err
	}
	return f.Close()
}

// billOf returns the bill of materials. It has no serial number and no time, so that the same
// program has the same bill.
func billOf(version string, info *debug.BuildInfo) *cyclonedx.BOM {
	program := cyclonedx.Component{
		BOMRef:     purl(info.Main.Path, version),
		Type:       cyclonedx.ComponentTypeApplication,
		Name:       "redline",
		Version:    version,
		PackageURL: purl(info.Main.Path, version),
	}
	std := component("std", info.GoVersion)
	components := []cyclonedx.Component{std}
	refs := []string{std.BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(m.Path, m.Version)
		components = append(components, c)
		refs = append(refs, c.BOMRef)
	}
	b := cyclonedx.NewBOM()
	b.Metadata = &cyclonedx.Metadata{Component: &program}
	b.Components = &components
	b.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &refs}}
	return b
}

func component(path, version string) cyclonedx.Component {
	return cyclonedx.Component{
		BOMRef:     purl(path, version),
		Type:       cyclonedx.ComponentTypeLibrary,
		Name:       path,
		Version:    version,
		PackageURL: purl(path, version),
	}
}

// purl returns the package URL of a Go module.
//
// Source: https://github.com/package-url/purl-spec/blob/main/types-doc/golang-definition.md
func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }

// module is a module whose code is in a released program.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// thirdParty writes the licences of all that is in a released program for any platform, Go's own
// included. It fails if it does not find a module's licence.
func thirdParty(_ io.Writer, args []string) error {
	modules, err := linkedModules("./cmd/redline")
	if err != nil {
		return err
	}
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	modules = append([]module{{Path: "The Go programming language", Dir: strings.TrimSpace(string(goRoot))}}, modules...)
	var text bytes.Buffer
	text.WriteString("Redline's own licence is in LICENSE. The program contains the following software.\n")
	for _, m := range modules {
		if err := writeLicence(&text, m); err != nil {
			return err
		}
	}
	return os.WriteFile(args[0], text.Bytes(), 0o644)
}

// linkedModules returns the modules, but for Redline's own, that a package is linked from on
// any platform, by path.
func linkedModules(pkg string) ([]module, error) {
	found := map[string]module{}
	for _, p := range platforms {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", pkg)
		cmd.Env = append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.processor, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var listed struct{ Module *module }
			if err := d.Decode(&listed); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", cmd, err)
			}
			if m := listed.Module; m != nil && !m.Main {
				found[m.Path] = *m
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return cmp.Compare(a.Path, b.Path) }), nil
}

// writeLicence writes a heading and a module's files that begin with LICENSE, LICENCE,
// COPYING or NOTICE. It fails if there is none, or only notices.
func writeLicence(w io.Writer, m module) error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n%s\n%[1]s\n", strings.Repeat("=", 72), strings.TrimSpace(m.Path+" "+m.Version))
	licensed := false
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		isLicence := strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING")
		if e.IsDir() || !isLicence && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%s\n", bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
		licensed = licensed || isLicence
	}
	if !licensed {
		return fmt.Errorf("%s %s has no licence in its folder", m.Path, m.Version)
	}
	return nil
}

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
