package secrets

import (
	"strings"
	"testing"
)

// Keys and tokens are withheld from output of any size, and nothing else.
func TestWithhold(t *testing.T) {
	around := strings.Repeat("ok  \tshop/prices\t0.012s\n", 1<<16) // more than 1 MiB
	for what, secret := range fakes() {
		secret = strings.TrimSuffix(secret, "\n")
		for form, c := range map[string][2]string{
			"alone":          {secret + "\n", LeftOut + "\n"},
			"without an end": {secret, LeftOut + "\n"},
			"among lines":    {"a\n" + secret + "\nb\n", "a\n" + LeftOut + "\nb\n"},
			"in a diff":      {"a\n+" + strings.ReplaceAll(secret, "\n", "\n+") + "\nb\n", "a\n" + LeftOut + "\nb\n"},
			"twice":          {secret + "\nb\n" + secret + "\nc", LeftOut + "\nb\n" + LeftOut + "\nc"},
		} {
			if got := Withhold(c[0]); got != c[1] {
				t.Errorf("%s %s:\n%s\nbecame\n%s", what, form, c[0], got)
			}
			if got := Withhold(around + c[0]); got != around+c[1] {
				t.Errorf("%s %s after much output: not withheld, or more than that: %d bytes became %d", what, form, len(around+c[0]), len(got))
			}
		}
	}
}

// Of a key of which the beginning or the end is cut off, the rest is withheld too.
func TestWithholdCutKeys(t *testing.T) {
	key := fakeKey("RSA PRIVATE KEY", 20)
	lines := strings.SplitAfter(key, "\n")
	for output, want := range map[string]string{
		strings.Join(lines[:9], "") + "… 7 bytes are left out here …\nb\n":         LeftOut + "\n… 7 bytes are left out here …\nb\n",
		"a\n… 7 bytes are left out here …\n" + strings.Join(lines[9:], "") + "b\n": "a\n… 7 bytes are left out here …\n" + LeftOut + "\nb\n",
		"a\n" + strings.Join(lines[len(lines)-3:], "") + "b\n":                     "a\n" + LeftOut + "\nb\n",
		"a mention of -----END RSA " + "PRIVATE KEY-----\nb\n":                     "a mention of -----END RSA " + "PRIVATE KEY-----\nb\n",
		"it is done\nnow\n-----END RSA " + "PRIVATE KEY-----\nb\n":                 "it is done\nnow\n-----END RSA " + "PRIVATE KEY-----\nb\n",
		"": "",
	} {
		if got := Withhold(output); got != want {
			t.Errorf("%s\nbecame\n%s", output, got)
		}
	}
}

// Output that is full of beginnings of keys, of which none is one.
func BenchmarkWithhold(b *testing.B) {
	for what, piece := range map[string]string{"PuTTY": puttyFile + "3: x\n", "begins": "-----BEGIN RSA " + "PRIVATE KEY-----\n", "ends": "-----END RSA " + "PRIVATE KEY-----\n", "lines": "ok  \tshop/prices\t0.012s\n"} {
		text := strings.Repeat(piece, 1<<20/len(piece))
		b.Run(what, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_ = Withhold(text)
			}
		})
	}
}
