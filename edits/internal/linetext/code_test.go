package linetext

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "redline/internal/seed"
)

// Pieces of files. A "§" stands where a line ends in a string: nothing may be trimmed there.
// A "¶" stands where a line certainly ends in code.
var pieces = map[string][]string{
	"a.go": {
		"x := 1¶\n", "s := `§\na \"b§\n`¶\n", "// don't `\n", "r := '`'¶\n", "t := \"`\"¶\n", "/* ` \" */ y()¶\n", "/*\n ` */ z()¶\n", "f(`a` + `§\n\\`)¶\n", "u := '\\''¶\n",
	},
	"a.py": {
		"x = 1¶\n", "s = '''§\na \"b§\n'''¶\n", "d = \"\"\"say \"hi§\nthere\"§\n \"x§\n\"\"\"¶\n", "# don't \"\"\"¶\n", "r = r'\\''¶\n", "f'{a[\"b\"]}'\n", "f\"{x}\"¶\n", "t = 'a\\§\n b'¶\n", "f'{'''§\n'''}'\n", "b = b\"\"\"§\n\"\"\"¶\n",
	},
	"a.rs": {
		"let x = 1;¶\n", "let s = \"§\n a 'b §\n\";¶\n", "let r = r#\"§\n \"x\" §\n a \"b§\n\"#;¶\n", "fn f<'a>(x: &'a str) {}¶\n", "let c = '\"';¶\n", "let e = '\\'';¶\n", "let u = '\\u{22}';¶\n", "/* /* \" */ \" */ g();¶\n", "let b = br\"\\\";¶\n", "/// a §\n", "let h = r##\"\"#§\n\"##;¶\n",
	},
	"a.js": {
		"f(1)¶\n", "s = `§\na ${b} §\n`\n", "t = `a${f(`b§\n`)}c`\n", "x = a.match(/`/)\n", "// don't `\n", "y = 'it\\'s'¶\n", "return <p>don't</p>\n", "z = `one line`¶\n", "u = 'a\\§\nb'\n", "q = a / b¶\n", "w = `${`§\n`}`\n", "<a>http://x.y</a>{`§\n`}\n", "/[/*]/.test(b)\n", "<p>a ` b</p>\n{`§\n`}\n",
	},
	"a.sh": {
		"f 1¶\n", "s='a§\nb'\n", "t=\"a§\nb\"\n", "cat <<EOF\na§\nEOF\n", "# don't¶\n", "echo $# a#b¶\n", "u=$'it\\'s a§\nb'\n", "v=\"$(f \"a§\nb\")\"\n", "echo \\'¶\n", "w=\"${x}\"¶\n", "cat <<- \"END OF\"\n\ta§\nEND OF\n", "y=\"`f \"a§\nb\"`\"\n", "sed -e 's/a/b/' -e \"s/'/x/\"¶\n", "q=\"$(f \"$(g 'a' \"b\")\")\"¶\n", "p=\"$(f \"a§\nb\")\"\n", "o=\"$(case x in a) echo \"b§\nc\";; esac)\"\n", "n=\"$(f 'a§\nb')\"\n", "z=\"$(cat <<'E'\na§\nE\n)\"\n",
	},
	"a.cc": {
		"int x = 1'000;¶\n", "auto s = R\"(a§\n)\";\n", "auto t = u8R\"x(\" a§\n)x\";\n", "char c = '\"';¶\n", "#error don't\n", "puts(\"a\\§\nb\");¶\n", "// don't¶\n",
	},
	"A.java": {"int x = 1;¶\n", "var s = \"\"\"§\n a \"b §\n \\\"\"\" §\n \"\"\";¶\n", "char c = '\"';¶\n", "// don't¶\n"},
	"A.cs":   {"var x = 1;¶\n", "var s = @\"a§\nb\";\n", "var t = $\"\"\"§\n\"\"\";\n", "var u = $@\"a§\n\";\n", "var v = $\"{f(\"a\")}\";\n", "#region don't\n"},
	"a.kt":   {"val x = 1¶\n", "val s = \"\"\"§\n\"\"\"\n", "val t = \"${f(\"\"\"§\n\"\"\")}\"\n", "val u = \"a $b ${c}\"¶\n", "fun `it's ok`() {}\n"},
	"a.rb": {
		"x = 1¶\n", "s = <<~END\n a§\nEND\n", "t = %q(a§\nb)\n", "u = 'a§\nb'\n", "v = \"a§\nb\"\n", "# don't¶\n", "w = \"a #{b} c\"¶\n", "y = \"#{f(\"a§\nb\")}\"\n", "z = `a§\nb`\n",
		"=begin\nit's §\n=end\n", "c = ?\"\nd = \"a§\nb\"\n", "e = a / b\n", "deck << car¶\n", "f(<<A, <<-B)\na§\nA\nb§\nB\n", "l <<= 1¶\n", "g = /it's/\n", "room?(car)¶\n", "h = 'it\\'s'¶\n", "__END__\na §\n", "i = $'\n", "j = {\"a\" => 'b'}¶\n",
	},
	"a.toml": {"x = 1¶\n", "s = \"\"\"§\n\"a\" §\n\"\"\"¶\n", "t = '''§\n\"\"\"§\n'''¶\n", "# don't¶\n", "u = 'C:\\'¶\n", "v = \"\"\"a\"\"\"\"\n"},
	"a.yml": {
		"a: 1¶\n", "b: |\n  x §\n\n  y §\n", "c:\n  - d: >- # z\n      x§\n    e: 1¶\n", "- |2\n    x§\n", "f: it's¶\n", "g:\n  |\n x§\n", "--- |\nx§\n", "h: &a !!str |+\n x§\n\n", "i: \"a¶\n  b\"¶\n",
	},
}

// No line that ends in a string counts as code, in whatever order the pieces of a file come.
func TestCodeIsNeverAString(t *testing.T) {
	for name, of := range pieces {
		rapid.Check(t, func(t *rapid.T) {
			marked := strings.Join(rapid.SliceOfN(rapid.SampledFrom(of), 1, 8).Draw(t, "pieces"), "")
			if rapid.Bool().Draw(t, "crlf") {
				marked = strings.ReplaceAll(marked, "\n", "\r\n")
			}
			text := strings.NewReplacer("§", "", "¶", "").Replace(marked)
			code := CodeOf(name, text)
			n := 0
			for i, r := range marked {
				if r == '§' && code.At(i-n) {
					t.Fatalf("%s: line %d ends in a string\n%s", name, strings.Count(marked[:i], "\n")+1, marked)
				}
				if r == '§' || r == '¶' {
					n += len(string(r))
				}
			}
		})
	}
}

// What certainly is code counts as code, in each piece alone and below another line of code.
func TestCodeIsFound(t *testing.T) {
	for name, of := range pieces {
		for _, piece := range of {
			marked := of[0] + piece
			text := strings.NewReplacer("§", "", "¶", "").Replace(marked)
			code, n := CodeOf(name, text), 0
			for i, r := range marked {
				if r == '¶' && !code.At(i-n) {
					t.Errorf("%s: line %d does not count as code\n%s", name, strings.Count(marked[:i], "\n")+1, marked)
				}
				if r == '§' || r == '¶' {
					n += len(string(r))
				}
			}
		}
	}
}

// Of a file whose strings may be anything, no line counts as code.
func TestCodeOfOtherLanguages(t *testing.T) {
	for _, name := range []string{"a.lua", "a.pl", "a.php", "a.tf", "a.nix", "a.sql", "a.html", "Makefile", "a.md", ""} {
		if CodeOf(name, "x\n").At(1) {
			t.Errorf("%s counts as code", name)
		}
	}
	if CodeOf("de.ts", "<?xml version=\"1.0\"?>\n<s>a\n").At(26) {
		t.Error("XML counts as TypeScript")
	}
}

// Every text can be read.
func FuzzCodeOf(f *testing.F) {
	for name, of := range pieces {
		f.Add(name, strings.Join(of, ""))
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		code := CodeOf(name, text)
		for i := range len(text) + 1 {
			code.At(i)
		}
	})
}
