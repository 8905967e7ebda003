package judge_test

import (
	"testing"

	"redline/workspace/judge"
)

// A whole text is the expected one formatted, or with typing, or neither.
func TestWholeTexts(t *testing.T) {
	const want = "import b\nimport a\n\nif x { y('é', 1) }\n"
	for got, is := range map[string]struct{ formatted, grown, cutOff bool }{
		want:                 {true, true, false},
		want + "\n":          {true, true, false},
		want[:len(want)-1]:   {true, true, true},
		want[:len(want)-6]:   {false, false, true},
		"":                   {false, false, true},
		want + want:          {false, false, false},
		want + "typed\n":     {false, true, false},
		want + "import a\n":  {false, false, false},
		"import b\nimport a": {false, false, true},
		"import a\nimport b\n\nif (x) {\n\ty(\"é\", 1);\n}\n":        {true, true, false},
		"import a\n\nif x { y('é', 1) }\n":                           {false, false, false},
		"import b\nimport a\n\nif x { y('é', 2) }\n":                 {false, false, false},
		"import b\nimport a\nimport c\n\nif x { y('é', 1) }\nz(3)\n": {false, true, false},
	} {
		if judge.Formatted(want, got) != is.formatted || judge.Grown(want, got) != is.grown || judge.CutOff(want, got) != is.cutOff {
			t.Errorf("%q is formatted %v, grown %v, cut off %v", got, judge.Formatted(want, got), judge.Grown(want, got), judge.CutOff(want, got))
		}
	}
}
