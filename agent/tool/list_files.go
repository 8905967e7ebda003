package tool

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"redline/internal/phrase"
)

var listFiles = define(Tool{
	Name: "list_files",
	params: params{
		{name: "path", kind: stringKind, also: slices.Concat(pathNames, folderNames), about: "Only this folder."},
		{name: "glob", kind: stringKind, also: []string{"pattern", "include", "file_pattern", "glob_pattern"}, about: "*.go for names at any depth, cmd/**/*.go for paths."},
	},
	prepare: func(as given) error {
		if string(as["recursive"]) == "true" { // which is what it does anyway
			delete(as, "recursive")
		} else if _, ok := as["recursive"]; ok {
			return fmt.Errorf(`list_files lists folders with all that is below them; "recursive" can only be true, and a glob such as src/* lists one folder`)
		}
		return nil
	},
	run: func(ctx context.Context, env *Env, c call) Result {
		dir := "."
		if name := c.text("path"); name != "" {
			clean, err := env.Workspace.Clean(name)
			if err != nil {
				return failure("list "+name, err)
			}
			dir = clean
		}
		overlay := env.Draft.Overlay()
		paths, _, err := env.Workspace.List(ctx, dir, braced(c.text("glob")), overlay, 0)
		if err != nil {
			return failure("list "+dir, missingFolder(ctx, env, dir, overlay, err))
		}
		r := Result{Text: pathRows(dir, paths), Summary: "list " + shown(dir) + ": " + phrase.Count(len(paths), "file")}
		if len(paths) == 0 {
			r.Text = "no files"
			all, more, err := env.Workspace.List(ctx, dir, "", overlay, 1)
			switch {
			case err == nil && len(all) > 0:
				r.Text += fmt.Sprintf("; without the glob: %s", phrase.Count(len(all)+more, "file"))
			case err == nil:
				r.Text += allIgnored(ctx, env, dir)
			}
		}
		return r
	},
})

// pathRows lists as many paths as fit, and counts the others by folder.
func pathRows(dir string, paths []string) string {
	rows := make([]string, len(paths))
	all := 0
	for i, p := range paths {
		rows[i] = shown(p)
		all += len(rows[i]) + 1
	}
	if all <= maxListing {
		return strings.Join(rows, "\n")
	}
	var b strings.Builder
	n := 0
	for ; b.Len()+len(rows[n]) < maxListing*3/4; n++ {
		b.WriteString(rows[n] + "\n")
	}
	var folders []string // in the order of their first file
	files := map[string]int{}
	for _, p := range paths[n:] {
		folder := folderIn(dir, p)
		if files[folder]++; files[folder] == 1 {
			folders = append(folders, folder)
		}
	}
	left := make([]string, len(folders))
	for i, folder := range folders {
		left[i] = fmt.Sprintf("%s/: %s", shown(folder), phrase.Count(files[folder], "file"))
	}
	fmt.Fprintf(&b, "… %s:\n%s", phrase.Count(len(paths)-n, "more file"), within(maxListing-b.Len()-100, left, 0, " folders"))
	return strings.TrimSuffix(b.String(), "\n")
}

// folderIn returns the folder of a file down to two levels below dir.
func folderIn(dir, file string) string {
	below := file
	if dir != "." {
		below = strings.TrimPrefix(file, dir+"/")
	}
	parts := strings.Split(path.Dir(below), "/")
	return path.Join(dir, path.Join(parts[:min(len(parts), 2)]...))
}

// allIgnored says why a folder that has files shows none, "" if it has none.
func allIgnored(ctx context.Context, env *Env, dir string) string {
	if err := env.Workspace.HidesAll(); err != nil {
		return fmt.Sprintf(" shown: %s. Tell the user", err)
	}
	n, more, err := env.Workspace.Ignored(ctx, dir)
	switch {
	case err != nil || n == 0:
		return ""
	case more:
		return fmt.Sprintf(" shown: Git ignores all of the more than %d files here", n)
	case n == 1:
		return " shown: Git ignores the one file here"
	}
	return fmt.Sprintf(" shown: Git ignores all %d files here", n)
}
