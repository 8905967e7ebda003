package adapt_test

import (
	"errors"
	"testing"

	"redline/edits"
	"redline/edits/adapt"
)

func TestInto(t *testing.T) {
	for _, c := range []struct {
		name, text, old, new string
		by                   adapt.Tolerance
		want                 string // of the whole text, which is the place
		clash                bool
	}{
		{name: "exactly", text: "a\n", old: "a\n", new: "b\n", want: "b\n"},
		{name: "line ends of the file", text: "a\r\nb\r\n", old: "a\nb\n", new: "a\nc\nb\n", by: adapt.Tolerance{Form: true}, want: "a\r\nc\r\nb\r\n"},
		{name: "byte for byte", text: "a\r\nb\r\n", old: "a\r\nb\r\n", new: "a\nb\n", by: adapt.Tolerance{Bytes: true}, want: "a\nb\n"},
		{name: "indentation of the file", text: "\t\tx()\n\t\ty()\n", old: "x()\ny()\n", new: "x()\nif z {\n\ty()\n}\n", by: adapt.Tolerance{Form: true, Indent: true}, want: "\t\tx()\n\t\tif z {\n\t\t\ty()\n\t\t}\n"},
		{name: "unit of the file", text: "if x {\n\ty()\n}\n", old: "if x {\n  y()\n}\n", new: "if x {\n  y()\n  z()\n}\n", by: adapt.Tolerance{Form: true, Indent: true, Unit: true}, want: "if x {\n\ty()\n\tz()\n}\n"},
		{name: "look-alikes of the file", text: "say “a” – b\n", old: "say \"a\" - b\n", new: "say \"a\" - c\n", by: adapt.Tolerance{Form: true, LookAlikes: true}, want: "say “a” – c\n"},
		{name: "no multiple of the unit", text: "if x {\n\ty()\n}\n", old: "if x {\n  y()\n}\n", new: "if x {\n  y()\n   z()\n}\n", by: adapt.Tolerance{Form: true, Indent: true, Unit: true}, clash: true},
	} {
		got, err := adapt.New(c.text, c.old, c.new, c.by).Into(edits.Span{End: len(c.text)})
		var clash *adapt.Clash
		if errors.As(err, &clash) != c.clash || clash != nil && (clash.Looks || clash.Why == "") || got != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}
