package config

import (
	"regexp"
	"strings"
	"testing"
)

// Every setting has a meaning of one sentence.
func TestEverySettingHasAMeaning(t *testing.T) {
	for _, k := range keys {
		switch {
		case k.about == "":
			t.Errorf("%s has no meaning: users are not told what it is for", k.name)
		case strings.HasSuffix(k.about, "."), strings.Contains(k.about, "|"), strings.Contains(k.about, "\n"), strings.Count(k.about, "`")%2 != 0:
			t.Errorf("the meaning of %s cannot be put into a sentence: %q", k.name, k.about)
		case k.values == "":
			t.Errorf("%s does not say which values it takes", k.name)
		}
	}
}

// The template as it is sets nothing; without its #, every setting in it applies and has its
// default, if it has one.
func TestTemplate(t *testing.T) {
	file := Template()
	s, warnings := load(t, file, nil, nil)
	if len(warnings) != 0 {
		t.Errorf("as it is: %q", warnings)
	}
	for _, k := range keys {
		if s.origin(k.name) != "default" {
			t.Errorf("as it is, it sets %s", k.name)
		}
	}

	defaults := s
	s, warnings = load(t, regexp.MustCompile(`(?m)^#([a-z_]+ = )`).ReplaceAllString(file, "$1"), nil, nil)
	if len(warnings) != 0 {
		t.Errorf("without the #: %q", warnings)
	}
	for _, k := range keys {
		is, def, example := k.show(s), k.show(defaults), k.example
		switch {
		case s.origin(k.name) != s.File:
			t.Errorf("%s is not in it", k.name)
		case example == "" && is != def:
			t.Errorf("%s is %q in it, want the default %q", k.name, is, def)
		case example != "" && is == def:
			t.Errorf("the example of %s is its default, %q", k.name, is)
		}
	}
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, "# ") && len(line) > 100 {
			t.Errorf("a long line: %s", line)
		}
	}
}
