package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redline/agent/draft"
	"redline/agent/plan"
	"redline/edits"
	"redline/edits/patch"
	"redline/internal/phrase"
)

var applyPatch = define(Tool{
	Name:     "apply_patch",
	Buffered: true,
	params: buffered(
		param{name: "patch", kind: stringKind, required: true, also: []string{"input", "diff", "patch_text"}, about: "The patch."},
		param{name: onlyFiles, kind: stringsKind, hidden: true},
	),
	run: func(_ context.Context, env *Env, c call) Result {
		files, err := patch.Parse(c.text("patch"))
		if err == nil {
			files, err = onlySome(files, c)
		}
		if err != nil {
			return failure(c.tool, err)
		}
		p := &patching{env: env, c: c}
		for _, f := range files {
			p.take(f)
		}
		return p.result()
	},
})

// cleanPatch cleans the paths of a part of a patch, and refuses files that no tool may touch.
func cleanPatch(env *Env, f *patch.File) (err error) {
	if f.Kind == edits.Create || f.Kind == edits.Delete && len(f.Chunks) == 0 {
		f.Path, err = env.Workspace.Clean(f.Path)
		return err
	}
	// The refusal of a chunk quotes the file's text, so a secret could be read under another
	// name.
	if f.Path, err = file(env, f.Path); err == nil && f.NewPath != "" {
		f.NewPath, err = env.Workspace.Clean(f.NewPath)
	}
	return err
}

// maxSummary is how many files a summary names.
const maxSummary = 3

// stagedAll returns the answer to a call that has staged an operation on several files.
func stagedAll(c call, all []draft.Staged) Result {
	out := Result{Staged: all}
	var rows, summaries []string
	said := c.said
	for i, s := range all {
		if c.said = ""; i == len(all)-1 {
			c.said = said
		}
		r := staged(c, s, nil)
		rows, summaries = append(rows, r.Text), append(summaries, r.Summary)
	}
	out.Text = listing(rows, 0, " files, staged too")
	if left := len(summaries) - maxSummary; left > 0 {
		summaries = append(summaries[:maxSummary], fmt.Sprintf("%s more", phrase.Count(left, "file")))
	}
	out.Summary = phrase.ClipBytes(strings.Join(summaries, ", "), 400)
	return out
}

// A patch is staged file by file: each file is all or nothing, with those that it depends on,
// and the others are staged even if a file is refused. The recorded operation names the files
// that were staged, so that it gives the same result when it is staged again.

// onlyFiles is the argument of a recorded operation that names the staged files of its patch. It
// is not in the schema that models get.
const onlyFiles = "only"

// onlySome returns the parts of a patch for the files that the call names, or all parts if it
// names none.
func onlySome(files []patch.File, c call) ([]patch.File, error) {
	if !c.has(onlyFiles) {
		return files, nil
	}
	only := c.strings(onlyFiles)
	for _, path := range only {
		if !slices.ContainsFunc(files, func(f patch.File) bool { return f.Path == path }) {
			return nil, fmt.Errorf("the patch has nothing about %s, which %q names", shown(phrase.ClipBytes(path, 200)), onlyFiles)
		}
	}
	if len(only) == 0 {
		return nil, fmt.Errorf("%q names no file; leave it out", onlyFiles)
	}
	return slices.DeleteFunc(files, func(f patch.File) bool { return !slices.Contains(only, f.Path) }), nil
}

// patching is a patch that is being staged.
type patching struct {
	env     *Env
	c       call
	files   []patch.File        // with clean paths
	called  map[string][]string // clean path to the names in the patch
	refused []refusedFile
}

// refusedFile is a file of a patch that is not staged.
type refusedFile struct {
	path string // clean if possible, else as written in the patch
	why  string // the full reason, for the model
	lost bool   // a part of its change is missing in the draft

	parts []patch.File // its parts, if its path is not clean
}

// take adds a part of the patch, or records it as refused.
func (p *patching) take(f patch.File) {
	named := f.Path
	if err := cleanPatch(p.env, &f); err != nil {
		p.refuse(refusedFile{path: named, why: err.Error(), lost: true, parts: []patch.File{f}})
		return
	}
	if p.called == nil {
		p.called = map[string][]string{}
	}
	if !slices.Contains(p.called[f.Path], named) {
		p.called[f.Path] = append(p.called[f.Path], named)
	}
	p.files = append(p.files, f)
}

func (p *patching) refuse(f refusedFile) {
	if !slices.ContainsFunc(p.refused, func(r refusedFile) bool { return r.path == f.path }) {
		p.refused = append(p.refused, f)
	}
}

// result stages the files that can be staged, and returns the answer.
func (p *patching) result() Result {
	var all []draft.Staged
	if len(p.refused) == 0 {
		var err error
		if all, err = p.env.Draft.Patch(p.files, p.c.operation()); err == nil {
			return stagedAll(p.c, all)
		} else if p.env.Again {
			return failure(p.c.tool, err)
		}
	} else if p.env.Again {
		return p.failure()
	}
	possible, not := p.env.Draft.Possible(p.files)
	for _, n := range not {
		why := fmt.Sprintf("%s: It depends on %s, which was refused. Nothing was changed. Send both again.", shown(n.Path), shown(n.With))
		if n.Err != nil {
			why = n.Err.Error()
		}
		p.refuse(refusedFile{path: n.Path, why: why, lost: p.lost(n.Path)})
	}
	possible = p.without(possible)
	if len(possible) > 0 {
		var err error
		if all, err = p.env.Draft.Patch(possible, p.operation(possible)); err != nil { // they cannot be staged together
			for _, f := range possible {
				p.refuse(refusedFile{path: f.Path, why: err.Error(), lost: true})
			}
		}
	}
	p.note()
	if len(all) == 0 {
		return p.failure()
	}
	return p.partly(stagedAll(p.c, all))
}

// without removes the files that were refused, for instance because of their names, even if only
// a part of one was.
func (p *patching) without(files []patch.File) []patch.File {
	return slices.DeleteFunc(files, func(f patch.File) bool {
		return slices.ContainsFunc(p.refused, func(r refusedFile) bool { return r.path == f.Path })
	})
}

// lost reports whether the draft lacks a part of the patch's change to a file.
func (p *patching) lost(path string) bool {
	return slices.ContainsFunc(p.files, func(f patch.File) bool { return f.Path == path && !p.env.Draft.Has(&f) })
}

// operation returns the operation for some of the patch's files.
func (p *patching) operation(files []patch.File) plan.Operation {
	var only []string
	for _, f := range files {
		for _, name := range p.called[f.Path] {
			if !slices.Contains(only, name) {
				only = append(only, name)
			}
		}
	}
	o := p.c.operation()
	var args map[string]json.RawMessage
	if json.Unmarshal(o.Args, &args) == nil { // it was parsed before, so it is valid
		if names, err := json.Marshal(only); err == nil {
			args[onlyFiles] = names
		}
		if doc, err := json.Marshal(args); err == nil {
			o.Args = doc
		}
	}
	return o
}

// note records the refused files in the draft.
func (p *patching) note() {
	for _, r := range p.refused {
		if r.lost {
			refused := plan.Refused{Path: valid(phrase.ClipBytes(r.path, maxRefusedPath)), Reason: reasonOf(r), Tool: p.c.tool}
			if p.env.InAnswer {
				refused.Tool = plan.InAnswer
			}
			p.env.Draft.Refuse(withParts(draft.Undone{Refused: refused}, p.parts(r)))
		}
	}
}

// parts returns the parts of the patch for a refused file.
func (p *patching) parts(r refusedFile) []patch.File {
	all := slices.Clip(r.parts)
	for _, f := range p.files {
		if f.Path == r.path {
			all = append(all, f)
		}
	}
	return all
}

// Limits, in bytes, of what the user sees of a refused file. No real path is longer, but a model
// may write anything.
const (
	maxReason      = 300
	maxRefusedPath = 4000
)

// reasonOf returns why a file was refused, in one line, without its path and without
// instructions to the model.
func reasonOf(r refusedFile) string {
	first, _, _ := strings.Cut(r.why, "\n")
	first, _, _ = strings.Cut(first, " Nothing was changed.")
	for _, sign := range []string{", ", ": "} {
		first = strings.TrimPrefix(first, r.path+sign)
	}
	return valid(phrase.ClipBytes(spaced(first), maxReason))
}

func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// failure returns the answer to a patch from which nothing is staged.
func (p *patching) failure() Result {
	r := Result{IsError: true, Refused: len(p.refused)}
	first, _, _ := strings.Cut(p.refused[0].why, "\n")
	r.Summary = spaced(p.c.tool + " refused: " + phrase.ClipBytes(first, 200))
	r.Text = "error: " + p.reasons()
	if len(p.refused) > 1 || len(p.files) > 1 {
		r.Text += "\nNothing of the patch was staged, in any file."
	}
	return r
}

// partly completes the answer to a patch of which only a part is staged.
func (p *patching) partly(r Result) Result {
	r.Refused = len(p.refused)
	others := "the other files are staged, as listed above"
	again := "that file"
	if len(p.refused) > 1 {
		again = "those files"
	}
	r.Text += fmt.Sprintf("\nerror: %s refused, and nothing of %s is staged; %s. Send a patch of only %s, once it is right:\n%s",
		were(len(p.refused)), it(len(p.refused)), others, again, p.reasons())
	var names []string
	for _, f := range p.refused[:min(len(p.refused), maxSummary)] {
		names = append(names, shown(f.path))
	}
	if more := len(p.refused) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	r.Summary = phrase.ClipBytes(r.Summary+"; refused: "+spaced(strings.Join(names, ", ")), 500)
	return r
}

// reasons returns why files were refused, a paragraph each. Beyond a limit it only names the
// files.
func (p *patching) reasons() string {
	var b strings.Builder
	for i, f := range p.refused {
		if i > 0 {
			b.WriteString("\n")
		}
		if b.Len()+len(f.why) > maxListing && i > 0 {
			b.WriteString("Refused too:")
			for _, f := range p.refused[i:] {
				b.WriteString(" " + shown(phrase.ClipBytes(f.path, 200)))
			}
			break
		}
		b.WriteString(phrase.ClipBytes(f.why, maxListing))
	}
	return phrase.ClipBytes(b.String(), 2*maxListing)
}

// were returns "n files was" or "n files were".
func were(n int) string {
	if n == 1 {
		return "1 file was"
	}
	return fmt.Sprintf("%d files were", n)
}

// it returns the pronoun for n things.
func it(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}
