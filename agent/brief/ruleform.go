package brief

import (
	"path"
	"strings"

	"redline/workspace"
)

// whenAsked is the value of fits for a rule that applies to no file by itself.
const whenAsked = "when it is asked for"

// read removes the front matter from the text of a rule file and reads from it which files
// the rule is for. Editors have different fields for that: `globs` or `applyTo`, separated by
// commas or as a list, and `alwaysApply`, or `trigger`. A rule without front matter is for all
// files.
func (r *rule) read() {
	head, body, ok := frontMatter(r.text)
	if !ok {
		return
	}
	r.text = body
	fields := fieldsOf(head)
	r.what = fields["description"]
	globs := fields["globs"]
	if globs == "" {
		globs = fields["applyto"]
	}
	switch {
	case fields["alwaysapply"] == "true", fields["trigger"] == "always_on", globs == "**", globs == "**/*", globs == "*":
	case globs != "":
		r.fits = globs
	case fields["alwaysapply"] == "false", fields["trigger"] != "":
		r.fits = whenAsked
	}
}

// frontMatter splits a text at its front matter; ok is false if it has none.
func frontMatter(text string) (head, body string, ok bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", text, false
	}
	if body, ok := strings.CutPrefix(rest, "---\n"); ok {
		return "", body, true
	}
	head, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		return "", text, false
	}
	return head, body, true
}

// fieldsOf reads the fields of front matter. Names are in lower case; the items of a list
// are joined with commas.
func fieldsOf(head string) map[string]string {
	fields := map[string]string{}
	last := ""
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if item, ok := strings.CutPrefix(line, "- "); ok && last != "" {
			fields[last] = strings.TrimPrefix(fields[last]+","+bare(item), ",")
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		last = strings.ToLower(strings.TrimSpace(name))
		value = strings.TrimSpace(value)
		if inner, ok := strings.CutPrefix(value, "["); ok {
			var items []string
			for item := range strings.SplitSeq(strings.TrimSuffix(inner, "]"), ",") {
				items = append(items, bare(item))
			}
			value = strings.Join(items, ",")
		}
		fields[last] = bare(value)
	}
	return fields
}

// bare removes spaces and quotes around a value.
func bare(value string) string { return strings.Trim(strings.TrimSpace(value), `"'`) }

// fitsAny reports whether one of the files matches the globs of a rule in dir.
func fitsAny(globs, dir string, files []string) bool {
	for _, f := range files {
		rel := f
		if dir != "." {
			inside, ok := strings.CutPrefix(f, dir+"/")
			if !ok {
				continue
			}
			rel = inside
		}
		for _, glob := range splitGlobs(globs) {
			name := rel
			if !strings.Contains(glob, "/") {
				name = path.Base(rel)
			}
			if workspace.MatchGlob(strings.TrimPrefix(glob, "/"), name) {
				return true
			}
		}
	}
	return false
}

// splitGlobs splits globs at the commas outside of braces.
func splitGlobs(globs string) []string {
	var list []string
	deep, start := 0, 0
	for i := 0; i <= len(globs); i++ {
		switch {
		case i == len(globs), globs[i] == ',' && deep == 0:
			if glob := bare(globs[start:i]); glob != "" {
				list = append(list, glob)
			}
			start = i + 1
		case globs[i] == '{':
			deep++
		case globs[i] == '}':
			deep--
		}
	}
	return list
}
