package secrets

import "testing"

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
