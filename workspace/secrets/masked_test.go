package secrets

import (
	"maps"
	"strings"
	"testing"
	"time"
)

// Words hold nothing of a secret of any kind, and all that is around it.
func TestMasked(t *testing.T) {
	all := fakes()
	maps.Copy(all, map[string]string{
		"short for OpenAI": "sk-proj-abcdefgh", "a masked one": "sk-…abcd", "a short one of GitHub": "ghp_abcdefghijklmnop", "a short one of Stripe": "sk_live_abcdefgh",
		"a header": "Authorization: Bearer abcdefghijkl", "basic": "Basic YTpi", "bearer": "bearer k-123", "named": "API_KEY=hunter2hunter2", "in JSON": `"password": "hunter2hunter2"`,
		"a user": "https://me:hunter2@hunter2@example.com", "a comma": "https://me:hunter2,'hunter2@example.com",
		"small letters": "Bearer abcdefghijklmnop", "small letters, basic": "Basic abcdefghijklmnop", "a long name": strings.Repeat("my_", 20) + "password=hunter2hunter2", "a short signed one": "eyJhbGciOiJI.eyJzdWIiOiIx.abc",
	})
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

// Of a private key that is cut off nothing is left, in whatever form its lines are.
func TestMaskedCutKeys(t *testing.T) {
	key, _, _ := strings.Cut(fakeKey("RSA PRIVATE KEY", 24), endOfKey)
	header, body, _ := strings.Cut(key, "\n")
	lines := strings.Split(strings.TrimSpace(body), "\n")
	for form, between := range map[string][2]string{
		"plain": {"", "\n"}, "quoted": {"\"", "\\n\" +\n"}, "single quotes": {"'", "',\n"}, "backquoted": {"`", "`\n"}, "commas": {"", ",\n"}, "semicolons": {"", ";\n"},
	} {
		for gap, more := range map[string]string{"whole": "", "with a gap": "[…]\n"} {
			first := between[0] + strings.Join(lines[:12], between[1]+between[0]) + between[1]
			last := between[0] + strings.Join(lines[12:], between[1]+between[0]) + between[1]
			if got := Masked("before " + header + "\n" + first + more + last); got != "before "+Removed {
				t.Errorf("%s, %s: became %q", form, gap, got)
			}
		}
	}
	putty, _, _ := strings.Cut(fakes()["PuTTY"], puttyLines)
	for form, end := range map[string]string{"cut": "", "whole": "Private-MAC: " + some(64, hexDigits) + "\nafter"} {
		got := Masked("before " + putty + puttyLines + " 2\n" + mixed(64) + "\n" + mixed(64) + "\n" + end)
		if _, after, _ := strings.Cut(end, "\n"); strings.TrimSpace(got) != strings.TrimSpace("before "+Removed+"\n"+after) {
			t.Errorf("PuTTY, %s: became %q", form, got)
		}
	}
}

// A text full of tokens takes no more time than others: with the square of its length this were
// a minute.
func TestMaskedTakesLittleTime(t *testing.T) {
	began := time.Now()
	got := Masked(strings.Repeat("xo"+"xb-abcdefgh.", 5000))
	if took := time.Since(began); took > 10*time.Second || strings.Contains(got, "abc") {
		t.Errorf("it took %v, and begins with %.40q", took, got)
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
		"https://example.com,me@example.com": "https://example.com,me@example.com", `"https://h","me@h"`: `"https://h","me@h"`, "'https://h' or'me@h": "'https://h' or'me@h",
		"https://me:p,w'@h/x": "https://h/x", "https://o'b,c:12@h": "https://h", "https://me:1p\"@@h": "https://h", "https://me:@h": "https://h", "https://a@b:c@h:80": "https://h:80",
		"https://h:80,me@h": "https://h:80,me@h", "{'a':'https://h','b':'me@h'}": "{'a':'https://h','b':'me@h'}", "https://h,me@h:80": "https://h,me@h:80",
		`{"a":"https://h:80","b":"me@h"}`: `{"a":"https://h:80","b":"me@h"}`,
		"git+ssh://git@h/x":               "git+ssh://git@h/x", "ssh+git://git@h/x": "ssh+git://git@h/x", "SSH://git@h": "SSH://git@h", "git+ssh://git:pw@h/x": "git+ssh://h/x",
		"https://h/o'brien/r?token=abcd1234 b": "https://h/o'brien/r b",
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
