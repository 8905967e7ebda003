package match

import (
	"testing"

	"redline/edits/internal/edittest"
)

// In code, a line that ends anew loses the spaces that the file has behind it. What ends as before
// keeps them, and so does what may be in a string, and what is no code.
func TestReplaceTrimsLinesThatEndAnew(t *testing.T) {
	for _, c := range []struct{ name, text, old, new, code, prose string }{
		{"a new end", "a\nf(x)  \n", "a\nf(x)\n", "a\ng(y)\n", "a\ng(y)\n", "a\ng(y)  \n"},
		{"the end stays", "a\nx = f(y)  \n", "a\nx = f(y)\n", "a\nz = f(y)\n", "a\nz = f(y)  \n", ""},
		{"the line stays", "a\nf(x)  \n", "a\nf(x)\n", "b\nf(x)\n", "b\nf(x)  \n", ""},
		{"the call has others in both texts", "a\nf(x)  \n", "a\nf(x)\t\n", "a\ng(y)\t\n", "a\ng(y)  \n", ""},
		{"the call changes them", "a\nf(x)  \n", "a\nf(x)\n", "a\ng(y)\t\n", "a\ng(y)\t\n", ""},
		{"in a string", "s = `\na b  \nc`\n", "s = `\na b\nc`\n", "s = `\na d\nc`\n", "s = `\na d  \nc`\n", ""},
		{"in another line end", "a\r\nf(x) \r\n", "a\nf(x)\n", "a\ng(y)\n", "a\r\ng(y)\r\n", "a\r\ng(y) \r\n"},
		{"indented otherwise", "\ta\n\tf(x) \n", "a\nf(x)\n", "a\ng(y)\n", "\ta\n\tg(y)\n", "\ta\n\tg(y) \n"},
	} {
		for _, path := range []string{"a.go", "a.md"} {
			want := c.code
			if path == "a.md" && c.prose != "" {
				want = c.prose
			}
			es, m, err := Replace(c.text, c.old, c.new, Where{Path: path})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if got := edittest.Apply(t, c.text, es...); got != want {
				t.Errorf("%s, %s: got %q by %s, want %q", c.name, path, got, m.Step, want)
			}
		}
	}
}

// Spaces that are part of a value stay, in every language with values of several lines.
func TestReplaceKeepsSpacesInStrings(t *testing.T) {
	for _, c := range []struct{ path, above, below string }{
		{"a.yaml", "text: |\n  ", "  end\n"},
		{"a.yml", "- >-\n    x\n    ", "- y\n"},
		{"a.lua", "s = [[\n", "]]\n"},
		{"a.sh", "cat <<\\EOF\n", "EOF\n"},
		{"a.sh", "cat <<'END OF'\n", "END OF\n"},
		{"a.sh", "awk '\n", "'\n"},
		{"a.pl", "print <<~ 'E';\n", "E\n"},
		{"a.pl", "$s = q{\n", "};\n"},
		{"a.rb", "s = %q(\n", ")\n"},
		{"a.tf", "x = <<-E-1\n", "E-1\n"},
		{"a.py", "'''\nsay \"hi\n", "'''\n"},
		{"a.py", "s = \"\"\"\nsay \"hi\nthere\"\n", "\"\"\"\n"},
		{"a.go", "// ` in words\ns := `\n", "`\n"},
		{"a.rs", "s = r#\"\na \"b\n", "\"#;\n"},
		{"a.cs", "s = @\"\"\"a\n", "\";\n"},
		{"a.js", "x = /`/\ns = `\n", "`\n"},
		{"a.cc", "s = R\"(\"\n", ")\";\n"},
		{"a.sql", "select '\n", "';\n"},
		{"a.nix", "x = ''\n", "'';\n"},
		{"a.mk", "define x\n", "endef\n"},
		{"a.xml", "<t>\n", "</t>\n"},
	} {
		text := c.above + "old  \n" + c.below
		es, _, err := Replace(text, c.above+"old\n"+c.below, c.above+"new\n"+c.below, Where{Path: c.path})
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		} else if got, want := edittest.Apply(t, text, es...), c.above+"new  \n"+c.below; got != want {
			t.Errorf("%s: got %q, want %q", c.path, got, want)
		}
	}
}
