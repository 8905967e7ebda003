package model

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestRepairArguments(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"a":1}`, `{"a":1}`},
		{``, `{}`},
		{`null`, `{}`},
		{` "" `, `{}`},
		{"\"{\\\"a\\\":1}\"", `{"a":1}`},
		{" {\"a\":1}\n", `{"a":1}`},
		{"```json\n{\"a\":1}\n```", `{"a":1}`},
		{"```javascript\n{\"a\":1}\n```", `{"a":1}`},
		{`{"a":1,}`, `{"a":1}`},
		{`{'a': 'say "hi"'}`, `{"a": "say \"hi\""}`},
		{`{a: True, b: None}`, `{"a": true, "b": null}`},
		{"{\"a\":\"x\ny\"}", `{"a":"x\ny"}`},
		{`{"a":"it\'s"}`, `{"a":"it's"}`},
		{`{"a":{"b":[1]}`, `{"a":{"b":[1]}}`},
	} {
		if got := repairArguments(test.text); got != test.want {
			t.Errorf("repairArguments(%q) = %q, want %q", test.text, got, test.want)
		}
	}
	for _, text := range []string{
		`{"a":"\d+"}`,             // the backslash would be lost
		`{"a":"say "hi", ok"}`,    // which quotes end the text?
		`{"a":"func() {}`,         // cut within a text that ends with a bracket
		`{"a":"x`,                 // cut
		`{"a":"x"} {"b":1}`,       // two
		`["a"]`,                   // no object
		"```A\n```",               // a word that cannot be the fence's language
		"```say more\n{}\n```",    // words, which are not a language
		`"a"`,                     //
		`go test ./...`,           //
		`{"a":"x" "b":"y"}`,       // a comma or a quote is missing
		`{"a": x /* or y */}`,     // a comment
		`{"a":"x" + "y"}`,         // a program
		`{"a":1]}`,                // brackets that do not match
		`{"a":“x”}`,               // typographic quotes
		`{"content":"["a","b"]"}`, // JSON within JSON, not escaped
	} {
		if got := repairArguments(text); got != text {
			t.Errorf("repairArguments(%q) = %q, want it untouched", text, got)
		}
	}
}

// A repair never loses or adds a letter of the model's text, except the language of a fence.
func FuzzRepairArguments(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{'a': 'b',}`, `{a: True}`, "{\"a\":\"x\ny\"}", `{"a":"\d"}`, "```json\n{}\n```", `{"a":[1,{"b":"c"}`} {
		f.Add(seed)
	}
	letters := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r = unicode.ToLower(r); unicode.IsLetter(r) && !strings.ContainsRune("ntrbfu", r) {
				return r
			}
			return -1
		}, strings.NewReplacer("None", "", "null", "", "json", "", "undefined", "").Replace(text))
	}
	withoutLanguage := func(text string) string {
		first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if strings.HasPrefix(first, "```") && len(strings.Fields(strings.TrimLeft(first, "`"))) == 1 {
			return rest
		}
		return text
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := repairArguments(text)
		if got == text {
			return
		}
		if !json.Valid([]byte(got)) || !strings.HasPrefix(got, "{") {
			t.Fatalf("%q became %q, which is no object", text, got)
		}
		if strings.ContainsRune(text, '\\') || strings.ContainsRune(got, '\\') {
			return // escapes hide letters
		}
		if letters(got) != letters(text) && letters(got) != letters(withoutLanguage(text)) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
