package language

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Bounds of the search for files that include others.
const (
	maxScanned      = 20_000
	maxScannedBytes = 256 << 20
	maxLinks        = 1000
)

// includes knows which files of a folder include which, by names: it may take a file for another one with the same
// end of its name, so that it rather finds too many.
type includes struct {
	of     map[string][]string // the names that a file includes, by its absolute name
	byBase map[string][]string // files, by the last element of a name that they include; may have some too many

	computed map[string]bool   // files that include what a macro names: any header
	unread   map[string]error  // files that cannot be read: nobody knows what they include
	links    map[string]string // links in the folder, to what they lead to
}

// names returns the names of a file by which others may include it.
func (i *includes) names(file string) []string {
	all := []string{file}
	for link, to := range i.links {
		if rest, in := strings.CutPrefix(file, to); in && (rest == "" || rest[0] == filepath.Separator) {
			all = append(all, link+rest)
		}
	}
	return all
}

// including returns the files that include one of these, directly or not. One of these is among them only if another
// includes it.
func (i *includes) including(paths []string) map[string]bool {
	found := map[string]bool{}
	for queue := slices.Clone(paths); len(queue) > 0; queue = queue[1:] {
		for file := range i.computed {
			if !found[file] && isHeader(queue[0]) {
				found[file] = true
				queue = append(queue, file)
			}
		}
		for _, name := range i.names(queue[0]) {
			included := filepath.ToSlash(name)
			for _, file := range i.byBase[path.Base(included)] {
				if !found[file] && slices.ContainsFunc(i.of[file], func(name string) bool { return strings.HasSuffix(included, "/"+name) }) {
					found[file] = true
					queue = append(queue, file)
				}
			}
		}
	}
	return found
}

// read reads the folder, and later only what has changed.
func (i *includes) read(ctx context.Context, c *Client) error {
	if i.of != nil {
		for path := range c.clang.news {
			if err := i.add(c, path, new(int)); err != nil {
				return err
			}
		}
		return nil
	}
	i.of, i.byBase = map[string][]string{}, map[string][]string{}
	i.computed, i.unread, i.links = map[string]bool{}, map[string]error{}, map[string]string{}
	size := 0
	err := filepath.WalkDir(c.Folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return nil // it cannot be read: then clangd cannot either
		case d.IsDir() && path != c.Folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			if to, err := filepath.EvalSymlinks(path); err == nil && inFolder(to, c.Folder) {
				if i.links[path] = to; len(i.links) > maxLinks {
					return fmt.Errorf("the folder has more than %d links", maxLinks)
				}
			}
			return nil
		case !d.Type().IsRegular() || !isSource(path) && !isHeader(path):
			return nil
		}
		return i.add(c, path, &size)
	})
	for path := range c.shown {
		if err == nil {
			err = i.add(c, path, &size)
		}
	}
	if err != nil {
		i.of = nil
	}
	return err
}

// included matches a directive that names a file.
var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:include|include_next|import|if|elif)\b[^"<\n]*["<]([^">\n]+)[">]`)

// computed matches a directive whose file a macro names.
var computed = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]+[A-Za-z_]`)

// add notes what a file includes now, and adds its size.
func (i *includes) add(c *Client, file string, size *int) error {
	if !isSource(file) && !isHeader(file) {
		return nil
	}
	text, err := c.text(file)
	delete(i.computed, file)
	delete(i.unread, file)
	if err != nil || text.Gone {
		delete(i.of, file)
		if err != nil && filepath.Ext(file) != "" {
			i.unread[file] = err // it may not be UTF-8, which clangd does not mind
		}
		return nil
	}
	if computed.MatchString(text.Text) {
		i.computed[file] = true
	}
	if *size += len(text.Text); *size > maxScannedBytes || len(i.of) >= maxScanned {
		return errors.New("the folder has too many files to find out which include others: more than " + fmt.Sprint(maxScanned))
	}
	var names []string
	for _, found := range included.FindAllStringSubmatch(text.Text, -1) {
		name := path.Clean(found[1])
		for strings.HasPrefix(name, "../") {
			name = name[3:]
		}
		names = append(names, name)
		if base := path.Base(name); !slices.Contains(i.byBase[base], file) {
			i.byBase[base] = append(i.byBase[base], file)
		}
	}
	i.of[file] = names
	return nil
}

// isSource reports whether a file is compiled by itself.
func isSource(file string) bool {
	switch filepath.Ext(file) {
	case ".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".m", ".mm", ".cu":
		return true
	}
	return false
}

// isHeader reports whether a file is one that others include.
func isHeader(file string) bool {
	switch filepath.Ext(file) {
	case ".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp", ".inc", ".def",
		".tcc", ".txx", ".icc", ".ixx", ".ii", ".cuh", "": // <vector> has no end
		return true
	}
	return false
}
