package adapt_test

import (
	"strings"
	"testing"

	"redline/edits/internal/edittest"
	"redline/edits/match"
)

// depthCase is an edit whose old text has another indentation than the place. want is the text
// afterwards; "" if it is refused with the text says.
type depthCase struct{ name, text, old, new, want, says string }

func checkDepths(t *testing.T, cases []depthCase) {
	t.Helper()
	for _, c := range cases {
		es, m, err := match.Replace(c.text, c.old, c.new, match.Where{})
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: got %q by %s, want a refusal", c.name, edittest.Apply(t, c.text, es...), m.Step)
			} else if r := refusal(t, err); r.Reason != match.ReasonIndent || !strings.Contains(r.Error(), c.says) {
				t.Errorf("%s: got %s, %v, want one that says %q", c.name, r.Reason, r, c.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := edittest.Apply(t, c.text, es...); got != c.want || m.Step != match.StepIndentation {
			t.Errorf("%s: by %s: got\n%s\nwant\n%s", c.name, m.Step, got, c.want)
		}
	}
}

const (
	both    = "some of its lines are indented as in the text to replace and others as in the file"
	neither = "the new text is indented neither as the text to replace is nor as the file is"
)

func TestNewTextThatIsIndentedAsTheFileStaysSo(t *testing.T) {
	const loop = "def f():\n    for x in y:\n        a(x)\n        b(x)\n    done()\n\nend\n"
	checkDepths(t, []depthCase{
		{"a line changes", loop, "for x in y:\n    a(x)\n    b(x)\n", "    for x in y:\n        a(x)\n        c(x)\n",
			"def f():\n    for x in y:\n        a(x)\n        c(x)\n    done()\n\nend\n", ""},
		{"the first line changes", loop, "for x in y:\n    a(x)\n    b(x)\n", "    for z in y:\n        a(x)\n        b(x)\n",
			"def f():\n    for z in y:\n        a(x)\n        b(x)\n    done()\n\nend\n", ""},
		{"lines are added", loop, "for x in y:\n    a(x)\n    b(x)\n", "    for x in y:\n        if x:\n            a(x)\n        b(x)\n",
			"def f():\n    for x in y:\n        if x:\n            a(x)\n        b(x)\n    done()\n\nend\n", ""},
		{"lines go, the first of them", loop, "for x in y:\n    a(x)\n    b(x)\ndone()\n", "        a(x)\n    done()\n",
			"def f():\n        a(x)\n    done()\n\nend\n", ""},
		{"something of the file's own level follows", "class A:\n    def f(self):\n        return 1\n", "def f(self):\n    return 1\n", "    def f(self):\n        return 2\n\nclass B:\n    pass\n",
			"class A:\n    def f(self):\n        return 2\n\nclass B:\n    pass\n", ""},
		{"a bracket of the file's own level follows", "{\n    a()\n    b()\n", "a()\nb()\n", "    a()\n    b()\n}\n", "", both},
		{"all is replaced", loop, "for x in y:\n    a(x)\n    b(x)\n", "    go(y)\n    stop(y)\n", "", neither},
		{"all is replaced, and the text is as deep everywhere", loop, "a(x)\nb(x)\n", "        go(x)\n        stop()\n",
			"def f():\n    for x in y:\n        go(x)\n        stop()\n    done()\n\nend\n", ""},
		{"tabs", "\tif x {\n\t\ta()\n\t}\n", "if x {\n\ta()\n}\n", "\tif x {\n\t\tb()\n\t}\n", "\tif x {\n\t\tb()\n\t}\n", ""},
		{"the place has CRLF and blanks at line ends", "\tif x {\r\n\t\ta() \r\n\t\tz()\r\n\t}\r\n", "if x {\n\ta()\n\tz()\n}\n", "\tif x {\n\t\ta()\n\t\tb()\n\t}\n", "\tif x {\r\n\t\ta() \r\n\t\tb()\r\n\t}\r\n", ""},
		{"old is indented too much", "a()\nif x:\n    b()\n", "    if x:\n        b()\n", "if x:\n    c()\n", "a()\nif x:\n    c()\n", ""},
		{"old has spaces, new has tabs", "x\n\ta()\n\tb()\n", "    a()\n    b()\n", "\ta()\n\tif y {\n\t\tb()\n\t}\n", "x\n\ta()\n\tif y {\n\t\tb()\n\t}\n", ""},
		{"brackets in brackets", "    if x {\n        if y {\n            a()\n        }\n    }\n", "if x {\n    if y {\n        a()\n    }\n}\n", "    if x {\n        b()\n    }\n", "    if x {\n        b()\n    }\n", ""},
	})
}

func TestNewTextThatIsIndentedAsTheOldIsShifted(t *testing.T) {
	const two = "def f():\n    a()\n    b()\n    c()\n"
	checkDepths(t, []depthCase{
		{"wrapped", two, "a()\nb()\n", "if x:\n    a()\n    b()\n", "def f():\n    if x:\n        a()\n        b()\n    c()\n", ""},
		{"wrapped in brackets", two, "a()\nb()\n", "if x {\n    a()\n    b()\n}\n", "def f():\n    if x {\n        a()\n        b()\n    }\n    c()\n", ""},
		{"wrapped in words", two, "a()\nb()\n", "if x then\n    a()\n    b()\nend\n", "def f():\n    if x then\n        a()\n        b()\n    end\n    c()\n", ""},
		{"wrapped twice", two, "a()\nb()\n", "for y in z:\n    if x:\n        a()\n        b()\n", "def f():\n    for y in z:\n        if x:\n            a()\n            b()\n    c()\n", ""},
		{"wrapped in part", two, "a()\nb()\nc()\n", "a()\nif x:\n    b()\nc()\n", "def f():\n    a()\n    if x:\n        b()\n    c()\n", ""},
		{"a bracket more", "    if x {\n        a()\n    }\n", "if x {\n    a()\n}\n", "if x {\n    a()\n    if z {\n        q()\n    }\n}\n", "    if x {\n        a()\n        if z {\n            q()\n        }\n    }\n", ""},
		{"a function around", "    if x {\n        a()\n    }\n", "if x {\n    a()\n}\n", "if y {\n    if x {\n        b()\n    }\n}\n", "    if y {\n        if x {\n            b()\n        }\n    }\n", ""},
		{"unwrapped in part, old indented too much", "a()\nif x:\n    b()\nc()\n", "    a()\n    if x:\n        b()\n    c()\n", "    a()\n    b()\n    c()\n", "a()\nb()\nc()\n", ""},
		{"all is replaced", two, "a()\nb()\n", "d()\nif x:\n    e()\n", "def f():\n    d()\n    if x:\n        e()\n    c()\n", ""},
		{"lines go", two, "a()\nb()\nc()\n", "a()\nc()\n", "def f():\n    a()\n    c()\n", ""},
		{"all goes", two, "a()\nb()\n", "", "def f():\n    c()\n", ""},
		{"all but a blank line goes", two, "a()\nb()\n", "\n", "def f():\n\n    c()\n", ""},
		{"a call over several lines", two, "a()\nb()\n", "a()\nb(\n    1,\n)\n", "def f():\n    a()\n    b(\n        1,\n    )\n    c()\n", ""},
	})
}

func TestUnclearDepthIsRefused(t *testing.T) {
	const two = "def f():\n    a()\n    b()\n    c()\n"
	checkDepths(t, []depthCase{
		{"the blanks of the first line are cut off", "    if x:\n        return 1\n    }\n", "if x:\n    return 1\n}\n", "if x:\n        return 2\n    }\n", "", both},
		{"a line above, which opens nothing", two, "a()\nb()\n", "log()\n    a()\n    b()\n", "", both},
		{"half and half", two, "a()\nb()\nc()\n", "    a()\n    b()\nd()\nc()\n", "", both},
		{"wrapped, as deep as the file", two, "a()\nb()\n", "    if x:\n        a()\n        b()\n", "", neither},
		{"all is replaced, at a depth of its own", "class A:\n    def f():\n        a()\n        b()\n", "a()\nb()\n", "    c()\n    d()\n", "", neither},
		{"a branch goes, or its line only", "    if x:\n        a()\n    else:\n        b()\n", "else:\n    b()\n", "    b()\n", "", both},
		{"unwrapped, or a line less", "if x:\n    a()\nelse:\n    b()\n    c()\n", "    else:\n        b()\n        c()\n", "    b()\n    c()\n", "", both},
		{"the line that changes is as deep as the file, the others are not", "    if x:\n        a()\n    c()\n", "if x:\n    a()\nc()\n", "if x:\n        b()\nc()\n", "", ""},
		{"a line between others is as deep as the file", two, "a()\nb()\n", "a()\n    new()\nb()\n", "", both},
		{"nothing but the indentation", two, "a()\nb()\n", "    a()\n    b()\n", "", "changes nothing but the indentation"},
	})
}

func TestIndentationIsNotDoubled(t *testing.T) {
	const one = "def f():\n    return 1\n"
	checkDepths(t, []depthCase{
		{"a line", one, "return 1", "    return 2", "def f():\n    return 2\n", ""},
		{"a line with its end", one, "return 1\n", "    return 2\n", "def f():\n    return 2\n", ""},
		{"a line more", one, "return 1\n", "    x = 1\n    return 1\n", "def f():\n    x = 1\n    return 1\n", ""},
		{"wrapped", one, "return 1\n", "    if x:\n        return 1\n", "def f():\n    if x:\n        return 1\n", ""},
		{"the blanks of the first old line are cut off", "\tif x {\n\t\ta()\n\t}\n", "if x {\n\t\ta()\n\t}", "\tif x {\n\t\tb()\n\t}", "\tif x {\n\t\tb()\n\t}\n", ""},
		{"CRLF", "\tif x {\r\n\t\ta()\r\n\t}\r\n", "if x {\n\t\ta()\n\t}\n", "\tif x {\n\t\tb()\n\t}\n", "\tif x {\r\n\t\tb()\r\n\t}\r\n", ""},
		{"something of the file's own level below", one, "return 1\n", "    return 2\n\ndef g():\n    pass\n", "def f():\n    return 2\n\ndef g():\n    pass\n", ""},
	})
	for _, c := range []struct{ name, text, old, new, want string }{
		{"nothing but the indentation", one, "return 1", "    return 1", "def f():\n        return 1\n"},
		{"the lines below become deeper too", "    a()\n    b()\n", "a()\n    b()\n", "    aa()\n        b()\n", "        aa()\n        b()\n"},
		{"new lines below are deeper", "    a()\n", "a()\n", "    aa()\n        b()\n", "        aa()\n        b()\n"},
		{"other blanks", one, "return 1", "  return 2", "def f():\n      return 2\n"},
		{"not at the start of the line", "a = 1; b = 2\n", "b = 2", " b = 3", "a = 1;  b = 3\n"},
		{"old has the blanks", one, "    return 1", "        return 2", "def f():\n        return 2\n"},
	} {
		es, m, err := match.Replace(c.text, c.old, c.new, match.Where{})
		if err != nil || edittest.Apply(t, c.text, es...) != c.want || m.Step != match.StepExact {
			t.Errorf("%s: %v by %s, %v", c.name, es, m.Step, err)
		}
	}
	for _, c := range []struct{ text, want, step string }{
		{"  a(1)\n  a(1)\n", "  a(2)\n  a(2)\n", match.StepIndentation},
		{"  a(1)\n    a(1)\n", "    a(2)\n      a(2)\n", match.StepExact},
		{"  a(1)\nb = a(1)\n", "    a(2)\nb =   a(2)\n", match.StepExact},
	} {
		es, m, err := match.Replace(c.text, "a(1)", "  a(2)", match.Where{All: true})
		if err != nil || edittest.Apply(t, c.text, es...) != c.want || m.Step != c.step {
			t.Errorf("in all places of %q: %v by %s, %v", c.text, es, m.Step, err)
		}
	}
}
