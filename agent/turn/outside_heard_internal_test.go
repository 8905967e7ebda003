package turn

import (
	"os"
	"path/filepath"
	"testing"

	"redline/agent/outside"
	"redline/workspace/secrets"
)

// What an agent says shows neither its variables nor the tokens of its state.
func TestSecretsOfAnAgent(t *testing.T) {
	t.Setenv("MINE_KEY", "Qp71mzvKLw0N4vTxR7sYe")
	file := filepath.Join(t.TempDir(), "auth.json")
	if err := os.WriteFile(file, []byte(`{"tokens": {"access_token": "Zx81kq0pLmN4vTqR7sWd"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := outside.Agent{Env: []string{"MINE_KEY"}, State: []string{filepath.Dir(file)}, Keep: []string{file}}
	got := secrets.Replacer(secretsOf(&a)).Replace("Qp71mzvKLw0N4vTxR7sYe and Zx81kq0pLmN4vTqR7sWd")
	if want := secrets.Removed + " and " + secrets.Removed; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
