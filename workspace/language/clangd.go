package language

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
)

// Clangd is the adapter of clangd, for C and C++.
func Clangd() *Adapter {
	languages := map[string]string{".c": "c", ".m": "objective-c", ".mm": "objective-cpp", ".cu": "cuda-cpp"}
	for _, end := range []string{".cc", ".cpp", ".cxx", ".c++", ".C", ".h", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp"} {
		languages[end] = "cpp"
	}
	return &Adapter{
		Name: "clangd", Command: []string{"clangd", "--use-dirty-headers", "--background-index", "--limit-references=0", "--clang-tidy=0", "-j=2"},
		Languages: languages, Roots: databaseFiles, Anywhere: true, Whole: true, // it looks for a compilation database above each file
		files: filesClangd, settle: settleClangd, openOnly: true, problem: problemClangd,
		reads: []string{".inc", ".def", ".tcc", ".txx", ".icc", ".ixx", ".ii", ".cuh", ""},
		announce: func(c *protocol.ClientCapabilities) { // otherwise messages have other places, with their lines
			yes := true
			c.TextDocument.PublishDiagnostics.RelatedInformation = &yes
		},
	}
}

// fixes matches what clangd adds to a message, or does not, as far as it has indexed.
var fixes = regexp.MustCompile(` \((?:fix|fixes) available\)$`)

// problemClangd leaves out what is said about includes: it is about style, and depends on what is indexed.
func problemClangd(p *Problem) bool {
	p.Message = fixes.ReplaceAllString(p.Message, "")
	return p.Code != "unused-includes" && p.Code != "missing-includes"
}

// maxIncluders is how many documents are opened in clangd to check them: each takes seconds and megabytes.
const maxIncluders = 60

// clangClient is what a client of clangd remembers. clangd checks only documents that are open, and neither
// again when a file changes that they include. So a client opens those that include what is shown, and opens them anew when it changes.
type clangClient struct {
	includes  includes
	databases map[string]*database
	need      []string        // what was checked last
	news      map[string]bool // files that have changed since the last check
	tainted   map[string]bool // files that clangd remembers as they would be with other texts
}

// filesClangd notes which files have changed.
func filesClangd(_ context.Context, c *Client, paths []string) error {
	for _, path := range paths {
		if c.clang.news == nil {
			c.clang.news = map[string]bool{}
		}
		c.clang.news[path] = true
	}
	return nil
}

// settleClangd opens all documents that must be checked, and waits until clangd has published what it has found
// in each: a report has the version of the document that it is about. To answer about symbols it
// must have indexed the files of the compilation database too.
func settleClangd(ctx context.Context, c *Client) error {
	need, err := c.toCheck(ctx)
	if err != nil {
		return err
	}
	h := &c.heard
	err = h.until(ctx, func() bool {
		for _, path := range need {
			if doc := c.open[path]; doc != nil && h.versions[path] != doc.version {
				return false
			}
		}
		return c.asked == "" || h.done["indexing"] > 0 && !slices.ContainsFunc(slices.Collect(maps.Values(h.works)), func(w *work) bool { return w.title == "indexing" })
	})
	if err != nil {
		return err
	}
	for _, path := range need {
		delete(c.clang.tainted, path)
	}
	c.clang.need = need
	return nil
}

// toCheck opens the documents that clangd has to check, anew if what they include has changed, closes
// others, and returns their names.
func (c *Client) toCheck(ctx context.Context) (need []string, err error) {
	k := &c.clang
	if k.tainted == nil {
		k.tainted, k.databases = map[string]bool{}, map[string]*database{}
	}
	if err := k.includes.read(ctx, c); err != nil {
		return nil, err
	}
	affected := k.includes.including(slices.Collect(maps.Keys(k.news)))
	for path := range k.news {
		k.tainted[path] = true
	}
	for path := range affected {
		k.tainted[path] = true
	}
	if need, err = c.needed(); err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(c.open)) {
		if _, shown := c.shown[path]; !shown && !slices.Contains(need, path) {
			if err := c.send(ctx, path, Text{Gone: true}); err != nil {
				return nil, c.reason("it takes no texts", err)
			}
		}
	}
	for _, path := range need {
		text, err := c.text(path)
		if err != nil {
			return nil, err
		}
		doc := c.open[path]
		if doc != nil && !affected[path] && head(doc.first) == head(doc.text) {
			continue
		}
		// Version 19 reports first with what it knows of the old headers, under the version of the new text, and
		// no version looks again for a header that was missing.
		if doc != nil {
			err = c.send(ctx, path, Text{Gone: true})
		}
		if err == nil {
			err = c.openAs(ctx, path, text)
		}
		if err != nil {
			return nil, c.reason("it takes no texts", err)
		}
	}
	k.news = nil
	return need, nil
}

// needed returns the files to check, sorted: what is shown, and which of the project's files include it, directly or
// not. For a question about symbols these are also the file that it is about and those that clangd does not know as they
// are.
func (c *Client) needed() ([]string, error) {
	k := &c.clang
	touched := slices.Collect(maps.Keys(c.shown))
	if c.asked != "" {
		touched = append(touched, c.asked)
		touched = slices.AppendSeq(touched, maps.Keys(k.tainted))
	}
	known := func(path string) bool { return c.Adapter.language(path) != "" }
	all := map[string]bool{}
	listed := map[string]bool{} // files of compilation databases, and all others where that lists none
	for _, path := range touched {
		text, err := c.text(path)
		if err != nil || !known(path) || !inFolder(path, c.Folder) {
			continue
		}
		d, err := c.database(path)
		if err != nil {
			return nil, err
		}
		if path == c.asked && d.files == nil {
			return nil, errors.New("it knows no uses of symbols in closed files: compile_flags.txt does not list the files, as compile_commands.json does")
		}
		if c.unsure(path, d) {
			if len(k.includes.including([]string{path})) == 0 {
				return nil, fmt.Errorf("nobody knows whether %s is C or C++: compile_flags.txt does not say", filepath.Base(path))
			}
		} else if !text.Gone {
			all[path] = true
		}
		maps.Copy(listed, d.files)
		for file := range k.includes.of {
			listed[file] = listed[file] || d.files == nil && isSource(file)
		}
	}
	including := k.includes.including(touched)
	for _, path := range touched {
		if !isHeader(path) {
			continue
		}
		for file, err := range k.includes.unread {
			return nil, fmt.Errorf("nobody knows what %s includes: %w", filepath.Base(file), err)
		}
	}
	for _, path := range slices.AppendSeq(slices.Clone(touched), maps.Keys(including)) {
		if d, err := c.database(path); err == nil {
			maps.Copy(listed, d.files) // of another part of the folder
			if isHeader(path) && forced.MatchString(d.text) && strings.Contains(d.text, filepath.Base(path)) {
				for file := range listed {
					including[file] = true
				}
			}
		}
	}
	for path := range including {
		if listed[path] || isHeader(path) && known(path) && len(k.includes.including([]string{path})) == 0 {
			all[path] = true
		}
	}
	maps.DeleteFunc(all, func(path string, _ bool) bool {
		text, err := c.text(path)
		return err != nil || text.Gone || !inFolder(path, c.Folder)
	})
	if len(all) > maxIncluders {
		return nil, fmt.Errorf("%d files would have to be checked, and it checks %d at most", len(all), maxIncluders)
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// forced matches an argument that includes a file in all others.
var forced = regexp.MustCompile(`-(?:include|imacros)\b`)

// unsure reports whether clangd takes a header for C, by its name, that may be C++: other files of the folder are.
func (c *Client) unsure(path string, d *database) bool {
	if d.files != nil || filepath.Ext(path) != ".h" || strings.Contains(d.text, "-x") {
		return false
	}
	for file := range c.clang.includes.of {
		if isSource(file) && filepath.Ext(file) != ".c" {
			return true
		}
	}
	return false
}

// head returns the part of a text that clangd reads once for several versions of a document: up to its last
// directive.
func head(text string) string {
	if strings.HasPrefix(text, "#") && !strings.Contains(text, "\n#") {
		line, _, _ := strings.Cut(text, "\n")
		return line
	}
	i := strings.LastIndex(text, "\n#")
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(text[i+1:], "\n")
	return text[:i+1] + line
}

// database is a compilation database: how each file is compiled.
type database struct {
	text  string
	files map[string]bool // absolute; nil if it is for all files of its folder
}

// databaseFiles are where clangd looks for a compilation database, in this order, in each folder above a file.
var databaseFiles = []string{"compile_commands.json", "build/compile_commands.json", "compile_flags.txt"}

// database returns the compilation database for a file. The error is a part of a sentence: there is none, it
// cannot be read, or it is not the one that clangd has read.
func (c *Client) database(file string) (*database, error) {
	for dir := filepath.Dir(file); inFolder(dir, c.Folder); dir = filepath.Dir(dir) {
		for _, name := range databaseFiles {
			path := filepath.Join(dir, filepath.FromSlash(name))
			text, err := c.text(path)
			if err != nil {
				return nil, fmt.Errorf("the compilation database %s cannot be read: %w", name, err)
			}
			before := c.clang.databases[path]
			if before != nil && (text.Gone || text.Text != before.text) {
				c.conn.Close() // it may read it again after some seconds; nobody knows when
				return nil, &StartAgainError{"the compilation database has changed, so that it must start again"}
			}
			if before != nil || text.Gone {
				if before != nil {
					return before, nil
				}
				continue
			}
			d, err := c.readDatabase(path, text.Text)
			if err != nil {
				return nil, fmt.Errorf("the compilation database %s cannot be read: %w", name, err)
			}
			c.clang.databases[path] = d
			return d, nil
		}
	}
	return nil, errors.New("there is no compilation database (compile_commands.json or compile_flags.txt)")
}

// readDatabase reads a compilation database (JSON Compilation Database Format, or flags in lines).
func (c *Client) readDatabase(path, text string) (*database, error) {
	d := &database{text: text}
	if filepath.Ext(path) != ".json" {
		return d, nil
	}
	var entries []struct{ Directory, File string }
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		return nil, err
	}
	d.files = map[string]bool{}
	for _, e := range entries {
		file := e.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(e.Directory, file)
		}
		if file = filepath.Clean(file); !inFolder(file, c.Folder) {
			real, err := filepath.EvalSymlinks(file)
			if err != nil || !inFolder(real, c.Folder) {
				continue
			}
			file = real
		}
		d.files[file] = true
	}
	if len(d.files) == 0 {
		return nil, errors.New("it lists no file of this folder")
	}
	return d, nil
}
