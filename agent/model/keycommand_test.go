package model

import (
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestKeyCommandThatDoesNotEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this test runs sleep: run it on Linux or macOS")
	}
	_, err := runKeyCommand(t.Context(), []string{"sleep", "1000"}, time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "`sleep` did not end within 1ms") {
		t.Errorf("got %v", err)
	}
}

// What a provider says holds no secret of any kind, even if it is not the provider's.
func TestErrorsHoldNoSecrets(t *testing.T) {
	scrub := newScrubber(nil, nil)
	for said, want := range map[string]string{
		"no token ghp_abcdefghijklmnop": "no token [removed]", "bad AKIAABCDEFGHIJKLMNOP here": "bad [removed] here", `{"api_key": "hunter2hunter2"}`: `{"[removed]"}`,
		"see https://me:pw@h/v1?key=k1, bearer k-1": "see https[removed]h/v1[removed] [removed]", "sk-…abcd is wrong": "[removed] is wrong",
		"get https://h/o'brien/r?token=abcd1234: refused": "get https://h/o'brien/r[removed] refused", "Bearer abcdefghijklmnop is wrong": "[removed] is wrong",
	} {
		if got := scrub.line(said); got != want {
			t.Errorf("%q became %q, want %q", said, got, want)
		}
	}
}

// One secret may begin with another.
func TestSecretsThatContainOthers(t *testing.T) {
	base, _ := url.Parse("https://me:key-1@h.test/v1?k=key-12345")
	if got := newScrubber([]string{"key-1234"}, base).line("not key-12345 nor key-1234 nor key-1."); got != "not [removed] nor [removed] nor [removed]" {
		t.Errorf("got %q", got)
	}
	es := newEchoes([]string{"key-12345", "key-1234567"})
	got := ""
	for _, r := range "a key-1234567 b key-12345 c" {
		got += es.next(string(r))
	}
	if want := "a " + keyRemoved + " b " + keyRemoved + " c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// If a reply repeats a key that a command has printed, the key is removed.
func TestKeyOfACommandIsKeptOutOfReplies(t *testing.T) {
	p := newClient(Config{BaseURL: "http://x.test/v1", Name: "m"})
	p.knowKey("sk-12345678")
	if p.scrub.line("the key sk-12345678 is bad") != "the key [removed] is bad" || len(p.secrets) != 1 {
		t.Errorf("it is not known as a secret: %q", p.scrub.line("the key sk-12345678 is bad"))
	}
}
