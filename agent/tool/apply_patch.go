package tool

import (
	"context"
	"fmt"
	"strings"

	"redline/agent/draft"
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
