package tool

import (
	"context"
	"slices"

	"redline/agent/plan"
	"redline/workspace"
)

// Languages asks language servers about the files as a draft leaves them: its texts, over open
// documents, over the disk. Texts are those of [draft.Draft.Overlay]. No method writes. Paths are
// clean paths of the workspace. Each error is a part of a sentence that says why there is no answer,
// such as "gopls is still starting".
type Languages interface {
	// Answers reports whether a server answers for a file of this name, and with path "" whether
	// one answers for any file. It starts nothing and does not wait.
	Answers(path string) bool

	// Prepare lets the servers for files start, since the work may change these. It does not wait.
	Prepare(paths []string)

	// References returns where the symbol at a place is used, with its declaration.
	References(ctx context.Context, texts workspace.Overlay, at Place) ([]Location, error)

	// Definition returns where the symbol at a place is defined, also outside of the workspace.
	Definition(ctx context.Context, texts workspace.Overlay, at Place) ([]Location, error)

	// Rename returns the whole texts, by path, that give the symbol at a place another name.
	Rename(ctx context.Context, texts workspace.Overlay, at Place, name string) (map[string]string, error)

	// Symbols returns the declarations in a file, in the order of their lines.
	Symbols(ctx context.Context, texts workspace.Overlay, path string) ([]workspace.Symbol, error)

	// Added returns the problems that texts have and without does not, both over open documents, in
	// all files that the servers report on. What was asked before is not computed again. A server
	// whose report is not known when ctx ends is in Checked with the reason; the error is one that
	// concerns all.
	Added(ctx context.Context, texts, without workspace.Overlay) (*plan.Problems, error)
}

// Place is a position in a file.
type Place struct {
	Path   string
	Line   int // from 0
	Column int // bytes from the start of the line
}

// Location is a place that a language server names.
type Location struct {
	Place
	Outside bool   // the file is outside of the workspace, and its path absolute
	Text    string // of a file outside: the line, if it is known
}

// answers reports whether some language server can be asked.
func (env *Env) answers() bool { return env.Languages != nil && env.Languages.Answers("") }

// Prepare lets the language servers start for the files that the work has looked at, if it may change files: they are
// ready for its first edit then. A question starts none.
func (env *Env) Prepare() {
	if env.Languages == nil || !env.Edits || env.Asks || env.Again {
		return
	}
	if env.prepared == nil {
		env.prepared = map[string]bool{}
	}
	var paths []string
	for _, path := range env.Draft.Looked() {
		if !env.prepared[path] {
			env.prepared[path] = true
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		slices.Sort(paths)
		env.Languages.Prepare(paths)
	}
}
