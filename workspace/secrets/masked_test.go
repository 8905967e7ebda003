package secrets

import (
	"strings"
	"testing"
)

// Words hold nothing of a secret of any kind, and all that is around it.
func TestMasked(t *testing.T) {
	all := fakes()
	for what, secret := range map[string]string{
		"short for OpenAI": "sk-proj-abcdefgh", "a masked one": "sk-…abcd", "a short one of GitHub": "ghp_abcdefghijklmnop", "a short one of Stripe": "sk_live_abcdefgh",
		"a header": "Authorization: Bearer abcdefghijkl", "basic": "Basic YTpi", "bearer": "bearer k-123", "named": "API_KEY=hunter2hunter2", "in JSON": `"password": "hunter2hunter2"`,
		"a user": "https://me:hunter2@hunter2@example.com", "a short signed one": "eyJhbGciOiJI.eyJzdWIiOiIx.abc",
	} {
		all[what] = secret
	}
	for what, secret := range all {
		text := "before: " + secret
		got := Masked(text + "\nafter")
		if !strings.HasPrefix(got, "before: ") || !strings.Contains(got, Removed) || what != "a key" && !strings.HasSuffix(got, "\nafter") && !strings.Contains(secret, "\n") {
			t.Errorf("%s: %q became %q", what, text, got)
		}
		for _, word := range strings.Fields(secret) {
			if len(word) >= 20 && strings.Contains(got, word[len(word)-12:]) && !strings.Contains(word, "@") {
				t.Errorf("%s: %q is still in %q", what, word, got)
			}
		}
	}
}

func TestMaskedKeepsProse(t *testing.T) {
	for _, text := range []string{
		"", "add a basic function with a bearer token.", "the language sk-SK", "https://example.com/a?b=c", "tokens: 12", "a key, the secret of it", "github.com/a/b h1:" + mixed(43) + "=",
	} {
		if got := Masked(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestUsersAndQueriesOfAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"https://me:p@ss@h/x?key=1 b": "https://h/x b", "ssh://git@h/x": "ssh://git@h/x", "ssh://git:pw@h/x": "ssh://h/x",
		"https://a@x,https://b@y,direct": "https://x,https://y,direct", "me@h": "me@h",
	} {
		if got := WithoutQueries(WithoutUsers(text), ""); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestNamesAndMentions(t *testing.T) {
	for text, want := range map[string][2]bool{
		"X-Auth-Token": {true, true}, "Cookie": {true, false}, "X-Title": {false, false}, "curl -u a https://me@h": {false, true}, "go test ./keys": {true, false},
	} {
		if got := [2]bool{Named(text), Mentioned(text)}; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func BenchmarkMasked(b *testing.B) {
	text := "search \"" + strings.Repeat("price total ", 20) + "\": 12 lines"
	for b.Loop() {
		Masked(text)
	}
}
