package pagetest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Member is one member of a JSON object, as declared by its struct.
type Member struct {
	Name     string // of the JSON
	Optional bool   // it is left out when it has no value
	Type     string // in the words of a page
	Doc      string // the comment of the field, one line for each of its lines
}

// Members returns the members of the JSON objects that a struct type of a package encodes
// to, in order; dir is the folder of the package from the root. A field without a comment
// fails the test, since the comment is the page. called has the page's names for types that
// are not Go's own.
func Members(t testing.TB, dir, name string, called map[string]string) []Member {
	t.Helper()
	declared, ok := declaration(t, dir, name).Type.(*ast.StructType)
	if !ok {
		t.Fatalf("%s: %s is not a struct", dir, name)
	}
	var members []Member
	for _, field := range declared.Fields.List {
		tag, _ := strconv.Unquote(tagOf(field))
		json, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if json == "-" || json == "" {
			continue
		}
		m := Member{Name: json, Optional: strings.Contains(options, "omit"), Doc: strings.TrimSpace(field.Doc.Text() + field.Comment.Text())}
		if m.Doc == "" {
			t.Errorf("%s: the member %s of %s has no comment: nobody is told what it is", dir, json, name)
		}
		var err error
		if m.Type, err = typeName(field.Type, called); err != nil {
			t.Errorf("%s: the member %s of %s: %v", dir, json, name, err)
		}
		if _, pointer := field.Type.(*ast.StarExpr); pointer && !m.Optional {
			m.Type += " or null"
		}
		members = append(members, m)
	}
	return members
}

// Constant is a constant of a string type.
type Constant struct {
	Name, Value, Doc string
}

// Constants returns the constants of a type of a package, in order.
func Constants(t testing.TB, dir, typ string) []Constant {
	t.Helper()
	var found []Constant
	for _, file := range parsed(t, dir) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if ok && spec.Type != nil && types.ExprString(spec.Type) == typ && len(spec.Values) == 1 {
				if value, ok := spec.Values[0].(*ast.BasicLit); ok {
					text, _ := strconv.Unquote(value.Value)
					found = append(found, Constant{spec.Names[0].Name, text, strings.TrimSpace(spec.Doc.Text() + spec.Comment.Text())})
				}
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatalf("%s has no constants of the type %s", dir, typ)
	}
	return found
}

func tagOf(field *ast.Field) string {
	if field.Tag == nil {
		return `""`
	}
	return field.Tag.Value
}

// typeName says what a type is in JSON.
func typeName(e ast.Expr, called map[string]string) (string, error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X, called)
	case *ast.ArrayType:
		of, err := typeName(e.Elt, called)
		return "list of " + of, err
	case *ast.MapType:
		of, err := typeName(e.Value, called)
		return "object of " + of + " by name", err
	}
	written := types.ExprString(e)
	switch written {
	case "string":
		return "text", nil
	case "int", "int64", "float64":
		return "number", nil
	case "any":
		return "any value", nil
	case "bool":
		return "true or false", nil
	}
	if called[written] == "" {
		return "", fmt.Errorf("the page has no name for the type %s", written)
	}
	return called[written], nil
}

func declaration(t testing.TB, dir, name string) *ast.TypeSpec {
	t.Helper()
	for _, file := range parsed(t, dir) {
		for _, d := range file.Decls {
			if general, ok := d.(*ast.GenDecl); ok && general.Tok == token.TYPE {
				for _, spec := range general.Specs {
					if typ := spec.(*ast.TypeSpec); typ.Name.Name == name {
						return typ
					}
				}
			}
		}
	}
	t.Fatalf("%s declares no %s", dir, name)
	return nil
}

// packages caches parsed packages: a page asks for many types of one package.
var packages sync.Map // folder → []*ast.File

// parsed returns the files of a package, without its tests.
func parsed(t testing.TB, dir string) []*ast.File {
	t.Helper()
	if files, ok := packages.Load(dir); ok {
		return files.([]*ast.File)
	}
	names, err := filepath.Glob(filepath.Join(path(t, dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	packages.Store(dir, files)
	return files
}

// Table returns a Markdown table of members.
func Table(members []Member) string {
	var b strings.Builder
	b.WriteString("| member | type | meaning |\n| --- | --- | --- |\n")
	for _, m := range members {
		name := m.Name
		if m.Optional {
			name += "?"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, m.Type, Cell(m.Doc))
	}
	return b.String()
}

// Cell escapes a text for a cell of a table.
func Cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
