// Package tooltest has a language server for tests: it knows the Go files at the root of a workspace,
// as one package, and answers at once.
package tooltest

import (
	"cmp"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"redline/agent/plan"
	"redline/agent/tool"
	"redline/workspace"
)

// Languages implements [tool.Languages] with the type checker of Go.
type Languages struct {
	Workspace *workspace.Workspace

	Wait  func(ctx context.Context) error // called before each answer; nil: it answers at once
	Lies  func(texts map[string]string)   // changes what Rename returns; nil: it returns the truth
	Loose bool                            // Rename takes any name

	Asked    atomic.Int32 // how often problems were asked for
	Prepared []string     // the files whose servers were to start
}

var _ tool.Languages = (*Languages)(nil)

// Answers implements [tool.Languages].
func (l *Languages) Answers(path string) bool {
	return path == "" || strings.HasSuffix(path, ".go") && !strings.Contains(path, "/")
}

// Prepare implements [tool.Languages].
func (l *Languages) Prepare(paths []string) { l.Prepared = append(l.Prepared, paths...) }

// checked is the package after type checking.
type checked struct {
	set    *token.FileSet
	texts  map[string]string
	files  map[string]*ast.File
	info   types.Info
	errors []plan.Problem
}

func (l *Languages) check(ctx context.Context, texts workspace.Overlay) (*checked, error) {
	if l.Wait != nil {
		if err := l.Wait(ctx); err != nil {
			return nil, err
		}
	}
	c := &checked{set: token.NewFileSet(), texts: map[string]string{}, files: map[string]*ast.File{}, info: types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	paths, _, err := l.Workspace.List(ctx, ".", "*.go", texts, 1000)
	if err != nil {
		return nil, err
	}
	report := func(pos token.Position, message string) {
		at := plan.Place{Line: max(0, pos.Line-1), Column: max(0, pos.Column-1)}
		c.errors = append(c.errors, plan.Problem{Path: pos.Filename, Range: plan.Range{Start: at, End: at}, Severity: plan.SeverityError, Message: message, Source: "compiler"})
	}
	var files []*ast.File
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if !l.Answers(path) {
			continue
		}
		text, over := texts[path]
		if !over {
			f, err := l.Workspace.Read(path)
			if err != nil {
				return nil, err
			}
			text.Text = f.Text
		}
		c.texts[path] = text.Text
		parsed, err := parser.ParseFile(c.set, path, text.Text, parser.SkipObjectResolution)
		if err != nil {
			report(token.Position{Filename: path, Line: 1}, err.Error())
		}
		if parsed != nil {
			c.files[path] = parsed
			files = append(files, parsed)
		}
	}
	config := types.Config{Error: func(err error) {
		if e, ok := errors.AsType[types.Error](err); ok {
			report(c.set.Position(e.Pos), e.Msg)
		}
	}}
	_, _ = config.Check("a", c.set, files, &c.info) // the errors were reported
	return c, nil
}

// object returns the object at a place.
func (c *checked) object(at tool.Place) types.Object {
	for _, of := range []map[*ast.Ident]types.Object{c.info.Defs, c.info.Uses} {
		for ident, object := range of {
			p := c.set.Position(ident.Pos())
			if object != nil && p.Filename == at.Path && p.Line == at.Line+1 && p.Column == at.Column+1 {
				return object
			}
		}
	}
	return nil
}

// uses returns the places of an object, sorted.
func (c *checked) uses(object types.Object) (all []tool.Location) {
	for _, of := range []map[*ast.Ident]types.Object{c.info.Defs, c.info.Uses} {
		for ident, is := range of {
			if is != nil && is == object {
				all = append(all, c.location(ident.Pos()))
			}
		}
	}
	slices.SortFunc(all, func(a, b tool.Location) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), a.Line-b.Line, a.Column-b.Column)
	})
	return all
}

func (c *checked) location(pos token.Pos) tool.Location {
	p := c.set.Position(pos)
	return tool.Location{Place: tool.Place{Path: p.Filename, Line: p.Line - 1, Column: p.Column - 1}}
}

var errNothing = errors.New("no identifier found")

// References implements [tool.Languages].
func (l *Languages) References(ctx context.Context, texts workspace.Overlay, at tool.Place) ([]tool.Location, error) {
	c, err := l.check(ctx, texts)
	if err != nil {
		return nil, err
	}
	object := c.object(at)
	if object == nil {
		return nil, errNothing
	}
	return c.uses(object), nil
}

// Definition implements [tool.Languages]. What is predeclared is outside.
func (l *Languages) Definition(ctx context.Context, texts workspace.Overlay, at tool.Place) ([]tool.Location, error) {
	c, err := l.check(ctx, texts)
	if err != nil {
		return nil, err
	}
	switch object := c.object(at); {
	case object == nil:
		return nil, errNothing
	case !object.Pos().IsValid():
		return []tool.Location{{Place: tool.Place{Path: "/go/builtin.go", Line: 9}, Outside: true, Text: "func " + object.Name() + "()"}}, nil
	default:
		return []tool.Location{c.location(object.Pos())}, nil
	}
}

// Rename implements [tool.Languages].
func (l *Languages) Rename(ctx context.Context, texts workspace.Overlay, at tool.Place, name string) (map[string]string, error) {
	c, err := l.check(ctx, texts)
	if err != nil {
		return nil, err
	}
	object := c.object(at)
	if object == nil || !l.Loose && !token.IsIdentifier(name) {
		return nil, errNothing
	}
	renamed := map[string]string{}
	for _, use := range slices.Backward(c.uses(object)) {
		lines := strings.SplitAfter(cmp.Or(renamed[use.Path], c.texts[use.Path]), "\n")
		line := lines[use.Line]
		lines[use.Line] = line[:use.Column] + name + line[use.Column+len(object.Name()):]
		renamed[use.Path] = strings.Join(lines, "")
	}
	if l.Lies != nil {
		l.Lies(renamed)
	}
	return renamed, nil
}

// Symbols implements [tool.Languages]. It names functions "function", as no other outline does.
func (l *Languages) Symbols(ctx context.Context, texts workspace.Overlay, path string) (all []workspace.Symbol, err error) {
	c, err := l.check(ctx, texts)
	if err != nil || c.files[path] == nil {
		return nil, err
	}
	for _, d := range c.files[path].Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			all = append(all, workspace.Symbol{Name: f.Name.Name, Kind: "function", Line: c.set.Position(f.Pos()).Line, End: c.set.Position(f.End()).Line})
		}
	}
	return all, nil
}

// Added implements [tool.Languages].
func (l *Languages) Added(ctx context.Context, texts, without workspace.Overlay) (*plan.Problems, error) {
	l.Asked.Add(1)
	with, err := l.check(ctx, texts)
	if err != nil {
		return nil, err
	}
	before, err := l.check(ctx, without)
	if err != nil {
		return nil, err
	}
	p := &plan.Problems{Checked: []plan.Checked{{Language: "go", Server: "gopls", State: plan.CheckedAll}}}
	old := map[string]int{}
	key := func(p plan.Problem) string { return p.Path + "\x00" + p.Message }
	for _, e := range before.errors {
		old[key(e)]++
	}
	for _, e := range with.errors {
		if old[key(e)]--; old[key(e)] < 0 {
			p.Added = append(p.Added, e)
		}
	}
	for _, n := range slices.Collect(maps.Values(old)) {
		p.Fixed += max(n, 0)
	}
	return p.Bounded(), nil
}
