package chat

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func parse(t *testing.T, text string) *Template {
	t.Helper()
	tpl, err := ParseTemplate(text)
	if err != nil {
		t.Fatal(err)
	}
	return tpl
}

func TestFill(t *testing.T) {
	for name, c := range map[string]struct {
		text, rest, want string
	}{
		"no places":            {"tidy up\n", "", "tidy up"},
		"values":               {"rename {{old}} to {{ new }}", "old=a new=b", "rename a to b"},
		"default":              {"test with {{tool=go test}}", "", "test with go test"},
		"default overruled":    {"test with {{tool=go test}}", "tool=make", "test with make"},
		"empty default":        {"a{{x=}}b", "", "ab"},
		"empty value":          {"a{{x=y}}b", "x= ", "ab"},
		"default of all":       {"{{x}} {{x=1}} {{x}}", "", "1 1 1"},
		"input":                {"fix {{file}}:\n\n{{input}}", "file=a.go it fails\nat noon", "fix a.go:\n\nit fails\nat noon"},
		"quotes":               {"say {{a}} {{b}}", `a="x \"y\" \\" b='it "is"'`, `say x "y" \ it "is"`},
		"text with equals":     {"do {{input}}", "-- a=b", "do a=b"},
		"not a place":          {"{{ .Go }} {{1}} { {x} } {{x", "", "{{ .Go }} {{1}} { {x} } {{x"},
		"written out":          {`keep \{{x}} here`, "", "keep {{x}} here"},
		"no second look":       {"{{a}} {{b=2}}", "a={{b}}", "{{b}} 2"},
		"no command":           {"/approve {{n}}", "n=1", "/approve 1"},
		"front":                {"---\r\ndescription: \"a  thing\"\r\nmode: ask\r\nother: x\r\n---\r\nwhy {{x}}", "x=y", "why y"},
		"not front":            {"a\n---\nb", "", "a\n---\nb"},
		"value with newline":   {"{{a}}", "a=\"x\ny\"", "x\ny"},
		"text of a slash":      {"{{input}}", "/approve 1", "/approve 1"},
		"name of another case": {"{{File}}", "File=x", "x"},
	} {
		values, input, err := TemplateValues(c.rest)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := parse(t, c.text).Fill(values, input); err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestFillErrors(t *testing.T) {
	for name, c := range map[string]struct {
		text, rest, want string
	}{
		"missing":       {"{{a}} {{b}} {{b}} {{input}}", "", "needs a and b and input"},
		"unknown":       {"{{file}}", "fiel=x", "has no {{fiel}}, only {{file}}"},
		"none":          {"x", "a=b", "only words as they are"},
		"input value":   {"{{input}}", "input=x", "has no {{input}}"},
		"text":          {"{{a}}", "a=b and more", "takes no text of its own"},
		"not closed":    {"{{a}}", "a='b", "not closed"},
		"twice":         {"{{a}}", "a=1 a=2", "gives a twice"},
		"much too long": {strings.Repeat("{{a}}", 100), "a=" + strings.Repeat("x", 10_000), "more than 256 KiB"},
	} {
		values, input, err := TemplateValues(c.rest)
		if err == nil {
			_, err = parse(t, c.text).Fill(values, input)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	_, err := parse(t, "{{a}}").Fill(nil, "")
	var missing *MissingValues
	if !errors.As(err, &missing) || missing.Names[0] != "a" {
		t.Errorf("got %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "is empty",
		"---\ndescription: x\n---\n":       "is empty",
		"---\ndescription: x\n":            "no line ---",
		"---\nmode: fast\n---\nx":          `has the mode "fast" in line 2`,
		"\xff":                             "UTF-8",
		"a\x00b":                           "UTF-8",
		strings.Repeat("x", MaxTemplate+1): "more than 64 KiB",
	} {
		if _, err := ParseTemplate(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %q", text, err, want)
		}
	}
}

// Front matter may be any YAML, and what people write for it: a line that is none means nothing, and
// the last of a name counts.
func TestFrontMatter(t *testing.T) {
	for _, front := range []string{
		"description: fix: the sum # now\nmode: plan", "{description: 'fix: the sum', mode: plan}", "mode:plan\ndescription: >\n  fix:\n  the sum\nother: {a: [b]}",
		"arguments:\n  - name: x\n    of: {a: b}\ndescription: \"fix: the sum\"\nmode: plan",
		"mode: ask\na stray line\nmode: plan\ndescription: 'fix: the sum'", "description: old\ndescription: 'fix: the sum'\n  mode: plan",
	} {
		if tpl := parse(t, "---\n"+front+"\n---\nx"); tpl.Description != "fix: the sum" || tpl.Mode != "plan" {
			t.Errorf("%s: got %+v", front, tpl)
		}
	}
}

func TestAbout(t *testing.T) {
	tpl := parse(t, "---\ndescription: fix it\nmode: plan\n---\n{{file}} {{tool=make}} {{words=a b}} {{input=}}")
	if tpl.Description != "fix it" || tpl.Mode != "plan" || tpl.Usage() != "file=… tool=make words=… text" {
		t.Errorf("got %+v, %q", tpl, tpl.Usage())
	}
	if diff := cmp.Diff([]string{"file", "tool", "words", "input"}, tpl.Names()); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]bool{"fix": true, "fix-it_2": true, "": false, "../x": false, "a/b": false, ".x": false, "a.md": false} {
		if IsTemplateName(name) != want {
			t.Errorf("IsName(%q) is %v", name, !want)
		}
	}
}

// A value comes out as it went in, whatever is in it.
func TestValuesAreLiteral(t *testing.T) {
	tpl := parse(t, "<{{a}}|{{b=x}}>")
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		quote := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
		values, input, err := TemplateValues("a=" + quote(a) + " b=" + quote(b))
		if err != nil || input != "" {
			t.Fatalf("%v, %q", err, input)
		}
		if got, err := tpl.Fill(values, ""); err != nil || got != "<"+a+"|"+b+">" {
			t.Fatalf("got %q, %v", got, err)
		}
	})
}
