package runner

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "redline/internal/seed"
	"redline/workspace/secrets"
)

func TestBoundedKeepsBothEnds(t *testing.T) {
	b := bounded{max: 40}
	for i := range 1000 {
		b.add(strings.Repeat(string(rune('a'+i%26)), 7) + "\n")
	}
	got := b.String()
	if !strings.HasPrefix(got, "aaaaaaa\n") || !strings.HasSuffix(got, "lllllll\n") || !strings.Contains(got, "bytes are left out here") {
		t.Errorf("got %q", got)
	}
}

// However a text is cut into pieces, a text that fits is kept unchanged, and a longer one keeps its
// two ends; the streams are passed on in order.
func TestOutputProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		maximum := rapid.IntRange(16, 200).Draw(t, "max")
		var told strings.Builder
		o := newOutput(Limits{Output: maximum, Stream: 1 << 20}, []string{"none of this"}, func(_ Stream, s string) {
			if !utf8.ValidString(s) {
				t.Fatalf("told %q", s)
			}
			told.WriteString(s)
		})
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			o.write(Stdout, []byte(rest[:n]), false)
			rest = rest[n:]
		}
		o.write(Stdout, nil, true)
		if told.String() != text {
			t.Fatalf("told %q of %q", told.String(), text)
		}
		kept := o.all.String()
		switch {
		case !utf8.ValidString(kept):
			t.Fatalf("kept %q", kept)
		case len(text) <= maximum-3 && kept != text:
			t.Fatalf("kept %q of %q", kept, text)
		case len(kept) > maximum+64:
			t.Fatalf("kept %d bytes, more than %d", len(kept), maximum)
		}
	})
}

// A key that is a plain word, as servers on one's own machine are given, tears no names of tests.
func TestWordsAreNotHidden(t *testing.T) {
	const text = "ok TestNonexistent: none\n--- FAIL: test_nonexistent\n"
	o := newOutput(Limits{Output: 1000, Stream: 1000}, []string{"none", "ollama", "hunter2hunter2"}, func(Stream, string) {})
	o.write(Stdout, []byte(text+"hunter2hunter2\n"), true)
	if got, want := o.all.String(), text+secrets.Removed+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// However a secret is cut into pieces, no part of it is passed on or kept.
func TestSecretsAreHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.StringOf(rapid.RuneFrom([]rune("sk-12 "))).Draw(t, "before"), rapid.StringOf(rapid.RuneFrom([]rune("sk-12 "))).Draw(t, "after")
		const secret = "sk-121ü2"
		longer := secret + rapid.SampledFrom([]string{"s", "k-1", "2sk-1"}).Draw(t, "longer") // a secret too
		text := before + rapid.SampledFrom([]string{secret, longer}).Draw(t, "secret") + after
		var told strings.Builder
		o := newOutput(Limits{Output: 1000, Stream: 1000}, []string{secret, longer, "x"}, func(_ Stream, s string) { told.WriteString(s) })
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			o.write(Stderr, []byte(rest[:n]), false)
			rest = rest[n:]
		}
		o.write(Stderr, nil, true)
		want := strings.NewReplacer(longer, secrets.Removed, secret, secrets.Removed).Replace(text)
		if told.String() != want || o.all.String() != want || o.of[Stderr].String() != want {
			t.Fatalf("told %q, kept %q, want %q", told.String(), o.all.String(), want)
		}
	})
}
