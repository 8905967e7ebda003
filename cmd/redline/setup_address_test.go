package main

import (
	"errors"
	"net"
	"strings"
	"testing"
)

// unused is an address of this machine where nothing listens.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// If no server answers at an address, setup asks for the address again, even if the provider has a
// usual one. An address of this machine needs no scheme.
func TestSetupWithAnotherAddress(t *testing.T) {
	awayFromUser(t)
	base := endpoint(t, "")
	shown, file, err := answering(t, setupFlags{provider: "llamacpp", base: "http://" + unused(t) + "/v1"}, "", nil,
		"", "another address", strings.TrimPrefix(base, "http://"), "b", "y")
	want := "[model]\nprovider = \"llamacpp\"\nbase_url = \"" + base + "\"\nname = \"b\"\n"
	if err != nil || file != want {
		t.Errorf("%v, %q, want %q\n%s", err, file, want, shown)
	}
	if n := strings.Count(shown, "cannot be reached"); n != 2 { // Enter retries
		t.Errorf("it was tried %d times:\n%s", n, shown)
	}
}

// After a failed test the address can be changed, too.
func TestSetupWithAnotherAddressAfterTheTest(t *testing.T) {
	awayFromUser(t)
	base := endpoint(t, "")
	shown, file, err := answering(t, setupFlags{provider: "other", base: "http://" + unused(t) + "/v1", model: "a"}, "", nil,
		"it needs no key", "another address", base, "a", "y")
	if want := "[model]\nprovider = \"other\"\nbase_url = \"" + base + "\"\nname = \"a\"\n"; err != nil || file != want {
		t.Errorf("%v, %q, want %q\n%s", err, file, want, shown)
	}
}

func TestSetupStopsWhereNothingAnswers(t *testing.T) {
	awayFromUser(t)
	shown, file, err := answering(t, setupFlags{provider: "ollama", base: "http://" + unused(t) + "/v1"}, "", nil, "stop")
	if !errors.Is(err, errNothingWritten) || file != "" {
		t.Errorf("%v, %q\n%s", err, file, shown)
	}
}

// A server on this machine seldom needs a key, so "no key" is the default there, and a user who has
// chosen to paste a key and has none can choose again.
func TestSetupWithoutAKey(t *testing.T) {
	awayFromUser(t)
	base := endpoint(t, "")
	for _, answers := range [][]string{{"", "a", "y"}, {"paste", "no key", "a", "y"}} {
		shown, file, err := answering(t, setupFlags{provider: "other", base: base}, "", nil, answers...)
		if want := "[model]\nprovider = \"other\"\nbase_url = \"" + base + "\"\nname = \"a\"\n"; err != nil || file != want {
			t.Errorf("%v, %q, want %q\n%s", err, file, want, shown)
		}
	}
}

func TestAddressWithItsScheme(t *testing.T) {
	for text, want := range map[string]string{
		"https://a.example.com/v1": "https://a.example.com/v1", "http://10.0.0.7/v1": "http://10.0.0.7/v1",
		"localhost:8080/v1": "http://localhost:8080/v1", "127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:8080/v1": "http://[::1]:8080/v1",
		"a.example.com/v1": "", "no address": "", "": "", "ftp://localhost": "", "localhost.example.com": "",
	} {
		if got := withScheme(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
