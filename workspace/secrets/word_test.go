package secrets

import "testing"

// A value that contains another is removed whole.
func TestReplacer(t *testing.T) {
	r := Replacer([]string{"none", "abcd1", "abcd1/e f", "1"}, "http://abcd1", "HERE")
	for text, want := range map[string]string{
		"abcd1/e f none 1": "[removed] none 1", "abcd1 abcd1%2Fe+f abcd1%2Fe%20f": "[removed] [removed] [removed]", "http://abcd1": "HERE",
	} {
		if got := r.Replace(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestWordsAreNotRemoved(t *testing.T) {
	for secret, want := range map[string]bool{
		"": false, "abc": false, "a1b": false, "none": false, "ollama": false, "EMPTY": false, "dummy": false, "schlüss": false,
		"a1b2": true, "sk-1": true, "no key": true, "longword": true, "hunter2hunter2": true, "sk-proj-abcdef": true,
	} {
		if got := Removable(secret); got != want {
			t.Errorf("%q: %t", secret, got)
		}
	}
}
