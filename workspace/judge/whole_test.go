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

// A formatter may remove imports, and nothing else.
func TestTidiedTexts(t *testing.T) {
	const goText = "package a\n\nimport (\n\t\"fmt\"\n\tx \"os\"\n)\n\nvar a = \"fmt\"\n"
	const js = "import { a, b } from 'x';\nimport {\n  c,\n  d,\n} from 'y';\na();\n"
	for _, x := range []struct {
		want, got string
		is        bool
	}{
		{goText, goText, true},
		{goText, "package a\n\nimport \"fmt\"\n\nvar a = \"fmt\"\n", true},
		{goText, "package a\n\nvar a = \"fmt\"\n", true},
		{goText, "package a\n\nimport \"io\"\n\nvar a = \"fmt\"\n", false},
		{goText, "package a\n\nimport (\n\t\"fmt\"\n)\n", false},
		{goText, "package a\n\nvar a\n", false},
		{goText, "", false},
		{js, "import { a } from 'x';\na();\n", true},
		{js, "import { a } from 'x';\nimport { d } from 'y';\n\na()\n", true},
		{js, "import { a } from 'x';\n", false},
		{"import os\nfrom a import b\nprint(b)\n", "from a import b\nprint(b)\n", true},
		{"import os\nfrom a import b\nprint(b)\n", "import os\nfrom a import b\n", false},
		{"use a::b;\npub use c::{\n    d,\n};\nfn e() {}\n", "fn e() {}\n", true},
		{"#include <a.h>\nint b;\n", "int b;\n", true},
		{"use it well\nand often\n", "and often\n", false},
		{"import a\n", "", false},
	} {
		if got := judge.Tidied(x.want, x.got); got != x.is {
			t.Errorf("%q is %q with imports removed: %v", x.got, x.want, got)
		}
	}
}
