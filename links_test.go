package redline_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// markdownPage is a page of the repository: what it links to, and where it can be
// linked into.
type markdownPage struct {
	links   []string
	anchors map[string]bool
}

// markdownPages are all pages of the repository, by their names with slashes.
func markdownPages(t *testing.T) map[string]markdownPage {
	t.Helper()
	pages := map[string]markdownPage{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil {
			pages[filepath.ToSlash(name)] = readMarkdown(string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

var (
	fence      = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inlineCode = regexp.MustCompile("`+[^`\n]*`+")
	linkTo     = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
	oldAnchor  = regexp.MustCompile(`(?m)^<a id="([a-z0-9_-]+)"></a>$`) // the former name of a heading
)

func readMarkdown(text string) markdownPage {
	p := markdownPage{anchors: map[string]bool{}}
	text = fence.ReplaceAllString(text, "")
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		p.anchors[anchorOf(m[1])] = true
	}
	for _, m := range oldAnchor.FindAllStringSubmatch(text, -1) {
		p.anchors[m[1]] = true
	}
	for _, m := range linkTo.FindAllStringSubmatch(inlineCode.ReplaceAllString(text, ""), -1) {
		p.links = append(p.links, m[1])
	}
	return p
}

// anchorOf is the name of a heading in links, as the usual viewers make it.
func anchorOf(heading string) string {
	heading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// split returns the file that a link in a page leads to, and the anchor in it. ok is
// false for one that leads out of the repository.
func split(page, link string) (file, anchor string, ok bool) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return "", "", false
	}
	file, anchor, _ = strings.Cut(link, "#")
	if file == "" {
		return page, anchor, true
	}
	return path.Join(path.Dir(page), file), anchor, true
}

// Every link in a page leads to a file, and to a heading in it if it names one.
func TestLinksLeadSomewhere(t *testing.T) {
	pages, links := markdownPages(t), 0
	for name, page := range pages {
		for _, link := range page.links {
			file, anchor, ok := split(name, link)
			if !ok {
				continue
			}
			links++
			if _, err := os.Stat(filepath.FromSlash(file)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, link)
			} else if target, known := pages[file]; anchor != "" && known && !target.anchors[anchor] {
				t.Errorf("%s links to %s, which has no such heading", name, link)
			}
		}
	}
	if len(pages) < 30 || links < 200 {
		t.Errorf("found %d links in %d pages: does this test still look in the right place?", links, len(pages))
	}
}

// A page that a source file names is there: messages and comments send people to it.
func TestNamedPagesAreThere(t *testing.T) {
	named, pages := 0, regexp.MustCompile(`\bdocs/(?:reference/|architecture/)?[a-z-]+\.md\b`)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "dist") {
			return filepath.SkipDir
		}
		switch filepath.Ext(name) {
		case ".go", ".lua", ".ts", ".json", ".txt":
		default:
			return nil
		}
		source, err := os.ReadFile(name)
		for _, page := range pages.FindAllString(string(source), -1) {
			named++
			if _, err := os.Stat(filepath.FromSlash(page)); err != nil {
				t.Errorf("%s names %s, which is not there", name, page)
			}
		}
		return err
	})
	if err != nil || named < 20 {
		t.Errorf("found %d names of pages, %v", named, err)
	}
}

// The index has every page of docs, and the first page leads to it and to the page of
// each editor.
func TestEveryPageIsInTheIndex(t *testing.T) {
	pages := markdownPages(t)
	leadsTo := func(name string) map[string]bool {
		all := map[string]bool{}
		for _, link := range pages[name].links {
			if file, _, ok := split(name, link); ok {
				all[file] = true
			}
		}
		return all
	}
	index, first := leadsTo("docs/README.md"), leadsTo("README.md")
	if !first["docs/README.md"] {
		t.Error("README.md does not link to docs/README.md")
	}
	for name := range pages {
		if dir := path.Dir(name); (dir == "docs" || dir == "docs/reference" || dir == "docs/architecture") && name != "docs/README.md" && !index[name] {
			t.Errorf("%s is not in docs/README.md: nobody finds it", name)
		}
		if ok, _ := path.Match("editors/*/README.md", name); ok && !index[name] {
			t.Errorf("%s is not in docs/README.md: nobody finds it", name)
		}
	}
}
