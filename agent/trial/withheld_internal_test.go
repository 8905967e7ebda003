package trial

import (
	"strings"
	"testing"
)

// Keys and tokens in what a command prints reach neither the model nor the plan.
func TestWithheld(t *testing.T) {
	key := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEA0Zx9vB3kqT7uL2mNpRsWfHjGdYcXaVbE5oI8tKzQ1nM4rJ6w\n", 5) + "-----END RSA " + "PRIVATE KEY-----\n"
	token := "ghp_" + "Zx9vB3kqT7uL2mNpRsWfHjGdYcXaVbE5oI8t"
	for output, want := range map[string]string{
		"ok\n--- FAIL: TestA\n":         "ok\n--- FAIL: TestA\n",
		"a\n" + key + "b\n":             "a\n" + lineWithheld + "\nb\n",
		"a\ntoken = " + token + "\nb\n": "a\n" + lineWithheld + "\nb\n",
		key[:200]:                       lineWithheld + "\n",
	} {
		if got := withheld(output); got != want {
			t.Errorf("%.60q became %q, want %q", output, got, want)
		}
	}
}
