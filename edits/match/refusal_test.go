package match

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"redline/edits"
	"redline/edits/internal/edittest"
)

// TestRefusalShowsWhatIsMuchLikeIt checks the place found for a missing text: the line, and the
// quoted part.
func TestRefusalShowsWhatIsMuchLikeIt(t *testing.T) {
	code := "package a\n\nimport \"fmt\"\n\nconst myVariable = 42;\n\nfunc run(left, right int) {\n\tfmt.Println(left, right)\n}\n"
	for _, c := range []struct {
		name, text, old string
		line            int
		quoted          string // the file's text; "" for nothing
	}{
		{"other case", code, "const MYVARIABLE = 42;", 5, "const myVariable = 42;"},
		{"other case, a short word", "a\nId\nb\n", "ID", 2, "Id"},
		{"one letter in another case", "a\nX\nb\n", "x", 2, "X"},
		{"blanks left out", code, "func run(left,right int){", 7, "func run(left, right int) {"},
		{"blanks put in", code, "fmt . Println ( left , right )", 8, "fmt.Println(left, right)"},
		{"glued words", code, "constmyVariable=42;", 5, "const myVariable = 42;"},
		{"a word of a line", code, "fmt.PrintLn", 8, "fmt.Println"},
		{"a part of a long line", strings.Repeat("other(things), ", 40) + "total = compute(left, right)" + strings.Repeat(", other(things)", 40) + "\n",
			"total = compute(left, rigth)", 1, "total = compute(left, right)"},
		{"several lines in another case", code, "FUNC RUN(LEFT, RIGHT INT) {\n\tFMT.PRINTLN(LEFT, RIGHT)\n}\n", 7, "func run(left, right int) {\n\tfmt.Println(left, right)\n}\n"},
		{"decomposed in the file", "x\ncafe\u0301 ole\u0301\n", "caf\u00e9  ol\u00e9\n", 2, "cafe\u0301 ole\u0301\n"},
		{"decomposed in what is asked for", "x\ncaf\u00e9s\n", "cafe\u0301", 2, "caf\u00e9s"},
		{"syllables of Hangul", "x\n" + "\u1112\u1161\u11ab\u1100\u1173\u11af1\n", "\ud55c\uae00", 2, "\u1112\u1161\u11ab\u1100\u1173\u11af1"},
		{"full width in the file", "x\n\uff41\uff42\uff43\uff1d\uff11\n", "abc=12", 2, "\uff41\uff42\uff43\uff1d\uff11"},
		{"full width in what is asked for", "x\nabc=1\n", "\uff41\uff42\uff43\uff1d\uff11\uff12", 2, "abc=1"},
		{"a line too many at the end", "one()\ntwo()\nrest\n", "one()\ntwo()\nthree()\n", 1, "one()\ntwo()\n"},
		{"a line too many at the start", "rest\ntwo()\nthree()\n", "one()\ntwo()\nthree()\n", 2, "two()\nthree()\n"},
		{"a line left out above a bracket", "f() {\n\tone()\n\ttwo()\n}\nreturn\n}\n", "\tone()\n}", 2, "\tone()\n\ttwo()\n}\n"},
		{"a line left out", "one()\ntwo()\nthree()\nfour()\n", "one()\nthree()\nfour()\n", 1, "one()\ntwo()\nthree()\nfour()\n"},
		{"the place whose neighbours are alike", "if err != nil {\n\treturn a\n}\nif err != nil {\n\treturn b\n}\n", "IF err != nil {\n\tRETURN B\n}\n", 4, "if err != nil {\n\treturn b\n}\n"},
		// Near cases: a text that is not similar is not shown.
		{"another word", code, "zebra crossing", 0, ""},
		{"a letter that is not there", "abc\n", "z", 0, ""},
		{"other syllables", "x\n\u1112\u1161\u11ab\n", "\uae00\uae00", 0, ""},
		{"signs only", "{\n}\n", "()", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Find(c.text, c.old, Where{})
			r := refusal(t, err)
			if r.Reason != ReasonNone {
				t.Fatalf("refused as %s: %v", r.Reason, r)
			}
			switch {
			case c.quoted == "" && r.Nearest != nil:
				t.Errorf("shows %q", r.Nearest.Text)
			case c.quoted == "":
				if !strings.Contains(r.Error(), "nothing in the file is much like it") {
					t.Errorf("says %q", r)
				}
			case r.Nearest == nil:
				t.Errorf("shows nothing: %v", r)
			case r.Nearest.Line != c.line || r.Nearest.Text != c.quoted:
				t.Errorf("shows line %d, %q, want line %d, %q", r.Nearest.Line, r.Nearest.Text, c.line, c.quoted)
			}
		})
	}
}

func TestRefusalSaysThatTheFileIsEmpty(t *testing.T) {
	for _, text := range []string{"", "\n", " \r\n\t\n"} {
		_, err := Find(text, "old\n", Where{})
		if msg := refusal(t, err).Error(); !strings.Contains(msg, "The file is empty") != (text != "") || !strings.Contains(msg, "empty") && !strings.Contains(msg, "blank lines") {
			t.Errorf("of %q: %s", text, msg)
		}
	}
	_, err := Find("a\n", "old\n", Where{})
	if msg := refusal(t, err).Error(); strings.Contains(msg, "empty") {
		t.Error(msg)
	}
}

// A reader sees the difference: spaces, tabs and empty lines as signs, and characters that look
// alike by their code points.
func TestRefusalShowsWhatCannotBeSeen(t *testing.T) {
	for _, c := range []struct {
		name, text, old string
		want, not       []string
	}{
		{"indentation", "func a() {\n\treturn 1\n}\nb\n", "func a() {\n      return 1\n}\n",
			[]string{"  func a() {\n- ······return 1\n+ →return 1\n  }", "· stands for a space, → for a tab", "not in the file"}, []string{"¶"}},
		{"between words", "a = \"\t1\"\n", "a = \"  1\"\n", []string{"- a·=·\"··1\"\n+ a·=·\"→1\""}, nil},
		{"an empty line too few", "one()\n\ntwo()\n", "one()\ntwo()\n", []string{"  one()\n+ ¶\n  two()", "¶ stands for an empty line; this sign is not in the file"}, []string{"→"}},
		{"an empty line too many", "one()\ntwo()\n", "one()\n\ntwo()\n", []string{"  one()\n- ¶\n  two()", "¶ stands for an empty line; this sign is not in the file"}, nil},
		{"a blank line among others", "one()\n   \nthree()\ntwo()\n", "one()\ntwo()\n", []string{"+ ···\n+ three()"}, nil},
		{"signs that the file has itself", "a' →\t1\n", "a' →  1\n", []string{"- a'⟨U+0020⟩→⟨U+0020⟩⟨U+0020⟩1\n+ a'⟨U+0020⟩→⟨U+0009⟩1", "⟨U+0020⟩ stands for a space, ⟨U+0009⟩ for a tab"}, []string{"·"}},
		{"decomposed", "cafe\u0301s\n", "caf\u00e9\n", []string{"U+00E9", "U+0065 U+0301"}, nil},
		{"decomposed, in lines of other lengths", "x = cafe\u0301(1)\n", "x = caf\u00e9(10)\n", []string{"U+00E9", "U+0065 U+0301"}, nil},
		{"decomposed, in a part of a line", "cafe\u0301 = one + two\n", "caf\u00e9  = one", []string{"U+00E9", "U+0065 U+0301"}, nil},
		{"full width", "\uff41bc\n", "abcd\n", []string{"U+0061", "U+FF41"}, nil},
		{"another alphabet", "var \u0430lpha = 1\n", "var alpha = 1\n", []string{"U+0061", "U+0430"}, nil},
		{"zero width", "al\u200bpha = 1\n", "alpha  = 1\n", []string{"+ al⟨U+200B⟩pha = 1", "⟨U+200B⟩ stands for the character"}, nil},
		{"a space at the end, among other lines", "class B { }\t\nx\n", "class B { }\n\n\n", []string{"+ class B { }→", "→ stands for a tab"}, nil},
		{"an empty line too many at the end", "a = 1\ne = 5\n", "e = 5\n\n", []string{"  e = 5\n- ¶\n"}, []string{"\n+ "}},
		{"other line ends", "one()\r\ntwo()\r\nthree()\r\n", "one()\ntwo(2)\nthree()\n", []string{"  one()\n- two(2)\n+ two()\n  three()\n"}, nil},
		{"nothing to explain", "alpha = 1\n", "alpha = 2\n", []string{"- alpha = 2\n+ alpha = 1"}, []string{"stands for", "U+", "·"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Find(c.text, c.old, Where{})
			msg := refusal(t, err).Error()
			for _, want := range c.want {
				if !strings.Contains(msg, want) {
					t.Errorf("does not say %q:\n%s", want, msg)
				}
			}
			for _, not := range c.not {
				if strings.Contains(msg, not) {
					t.Errorf("says %q:\n%s", not, msg)
				}
			}
		})
	}
}

// A long line is quoted around the difference: the whole difference, or with the lines to read.
func TestRefusalQuotesALongLineWhereItDiffers(t *testing.T) {
	long := strings.Repeat("alpha(beta), ", 200)
	for _, c := range []struct {
		name, text, old string
		want            []string
		not             string
	}{
		{"at the end", long + "gamma := 1\nnext()\n", long + "gamma := 2\nnext()\n", []string{"gamma := 1\n", "gamma := 2\n", "- …", "… at an end of a line stands for"}, "Read line"},
		{"at the start", "gamma := 1" + long + "\nnext()\n", "gamma := 2" + long + "\nnext()\n", []string{"+ gamma := 1", "- gamma := 2", "…\n"}, "Read line"},
		{"in the middle", long + "gamma" + long + "\nnext()\n", long + "gama" + long + "\nnext()\n", []string{"gamma", "gama", "- …", "…\n"}, "Read line"},
		{"all over", strings.ReplaceAll(long, "beta", "gamma") + "\nnext()\n", long + "\nnext()\n", []string{"Not all is shown. Read lines 1 to 2"}, "stands for"},
	} {
		_, err := Find(c.text, c.old, Where{})
		msg := refusal(t, err).Error()
		for _, want := range c.want {
			if !strings.Contains(msg, want) {
				t.Errorf("%s: does not say %q:\n%s", c.name, want, msg)
			}
		}
		if strings.Contains(msg, c.not) {
			t.Errorf("%s: says %q:\n%s", c.name, c.not, msg)
		}
	}
}

// TestRefusalsAreBoundedAndVisible checks refusals for any text: their quotations are bounded,
// valid UTF-8, and have no invisible character.
func TestRefusalsAreBoundedAndVisible(t *testing.T) {
	lines := rapid.SampledFrom([]string{
		"alpha(beta)\n", "alpha( beta )\n", "Alpha(beta)\n", "\talpha(beta)\r\n", "\n", "  \n", "e\u0301\u00e9\uff41\n", "\u202ealpha\u200b(beta)\n", "\xff\xfe\x00bad\n",
		strings.Repeat("\u200b", 500) + "\n", strings.Repeat("w ", 400) + "\n", "}\n", "\r", "·→¶ \n", "last",
	})
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(lines, 0, 60).Draw(t, "lines"), "")
	})
	edittest.Check(t, func(t *rapid.T) {
		text, old := texts.Draw(t, "text"), texts.Draw(t, "old")
		_, _, err := Replace(text, old, "new", Where{Lines: rapid.Bool().Draw(t, "whole lines")})
		if err == nil {
			return
		}
		msg := err.Error()
		if len(msg) > 8000 {
			t.Fatalf("the message has %d bytes", len(msg))
		}
		if !utf8.ValidString(msg) {
			t.Fatalf("the message is not UTF-8: %q", msg)
		}
		for _, r := range msg {
			if r != '\n' && r != '\t' && edits.IsHidden(r) {
				t.Fatalf("the message has %U in it: %q", r, msg)
			}
		}
	})
}

func BenchmarkRefusal(b *testing.B) {
	var s strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&s, "\tif value%d := compute(left, %d); value%d > limit {\n", i, i*7%1000, i)
	}
	text := s.String()
	line := "\tif value50000 := compute(left, 0); value50000 > limit {\n"
	for _, c := range []struct{ name, text, old string }{
		{"near miss", text, strings.Replace(line, "limit", "limits", 1)},
		{"near miss in several lines", text, strings.Replace(line, "limit", "limits", 1) + "\tif value50001 := compute(left, 7); value50001 > limit {\n"},
		{"other case", text, strings.ToUpper(line)},
		{"not there", text, "nothing of the kind is in here\n"},
		{"not there, several lines", text, strings.Repeat("nothing of the kind\n", 20)},
		{"several", text + line, line},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, err := Find(c.text, c.old, Where{})
				_ = err.Error()
			}
		})
	}
}

// TestNearestPartIsWholeCharacters: the shown part of a line extends to the end of its last word,
// and never ends inside a character of it.
func TestNearestPartIsWholeCharacters(t *testing.T) {
	for _, c := range []struct{ text, old, near string }{
		{"x = total_größe + 1\n", "X == total_gr", "x = total_größe"},
		{"the cafés are open now\n", "the  caf", "the cafés"},
		{"let naïve = compute()\n", "lett na", "let naïve"},
		{"total(größe) + 1\n", "Total(gr", "total(größe"},
	} {
		_, err := Find(c.text, c.old, Where{})
		if r, ok := err.(*Refusal); !ok || r.Nearest == nil || r.Nearest.Text != c.near {
			t.Errorf("%q in %q: %v, want %q", c.old, c.text, err, c.near)
		}
	}
}
