package brief

import (
	"path"
	"strings"

	"redline/internal/frontmatter"
	"redline/workspace"
)

// whenAsked is the value of fits for a rule that applies to no file by itself.
const whenAsked = "when it is asked for"

// read removes the front matter from the text of a rule file and reads from it which files
// the rule is for. Editors have different fields for that: `globs` or `applyTo`, separated by
// commas or as a list, and `alwaysApply`, or `trigger`. A rule without front matter is for all
// files.
func (r *rule) read() {
	members, body, _ := frontmatter.Read(r.text) // what is not understood means nothing
	r.text = body
	fields := map[string]string{}
	for _, m := range members {
		fields[strings.ToLower(m.Name)] = strings.TrimSpace(frontmatter.Text(m.Value))
	}
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
