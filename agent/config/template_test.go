package config

import (
	"regexp"
	"strings"
	"testing"
)

// Every setting has a meaning of one sentence, and there are no other meanings.
func TestEverySettingHasAMeaning(t *testing.T) {
	told := map[string]bool{}
	for _, k := range keys {
		m := meanings[k.name]
		told[k.name] = true
		switch {
		case m.text == "":
			t.Errorf("%s has no meaning: users are not told what it is for", k.name)
		case strings.HasSuffix(m.text, "."), strings.Contains(m.text, "|"), strings.Contains(m.text, "\n"), strings.Count(m.text, "`")%2 != 0:
			t.Errorf("the meaning of %s cannot be put into a sentence: %q", k.name, m.text)
		case k.values == "":
			t.Errorf("%s does not say which values it takes", k.name)
		}
	}
	for name := range meanings {
		if !told[name] {
			t.Errorf("%s has a meaning and is no setting", name)
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
		is, def, example := k.show(s), k.show(defaults), meanings[k.name].example
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
