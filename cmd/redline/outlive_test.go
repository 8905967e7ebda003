//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/internal/leash/leashtest"
)

// Nothing outlives a server that is killed: not the command that it runs, not its tool servers, and
// not the orphans that these have started in sessions of their own.
func TestNothingOutlivesTheServer(t *testing.T) {
	mcptest, err := exec.LookPath("mcptest")
	if err != nil {
		t.Fatal(err)
	}
	for _, namespaces := range []string{"auto", "off"} {
		t.Run("namespaces "+namespaces, func(t *testing.T) {
			nap := leashtest.NewNap()
			away := `(setsid sleep ` + string(nap) + ` >/dev/null 2>&1 </dev/null &) ; `
			p := newPlace(t, map[string]string{"a.txt": "one\n", "tools.sh": away + "exec " + mcptest + "\n"})
			p.settings("[commands]\nnamespaces = \"" + namespaces + "\"\n[mcp.notes]\ncommand = \"sh\"\nargs = [\"${workspace}/tools.sh\"]\n")
			call, err := json.Marshal(map[string]string{"command": away + "sleep " + string(nap)})
			if err != nil {
				t.Fatal(err)
			}
			temporary := t.TempDir()
			t.Setenv("TMPDIR", temporary)
			t.Setenv("OPENAI_API_KEY", scriptKey)
			t.Setenv("REDLINE_MODEL", "one command")
			t.Setenv("OPENAI_BASE_URL", newModelOf(t, func(request []byte) modeltest.Reply {
				if bytes.Contains(request, []byte(`"role":"assistant"`)) {
					return modeltest.Reply{Parts: []modeltest.Part{modeltest.Text("Done.")}}
				}
				return modeltest.Reply{Parts: []modeltest.Part{modeltest.Call("run_command", string(call))}}
			}))
			editor, server := p.editor()
			if _, err := editor.Execute(p.ctx, "redline.chat", "sleep"); err != nil {
				t.Fatal(err)
			}
			var state state.State
			for len(state.Plans) == 0 || state.Plans[0].State != "awaiting_approval" {
				raw, err := editor.Execute(p.ctx, "redline.state", nil)
				if err == nil {
					err = json.Unmarshal(raw, &state)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if _, err := editor.Execute(p.ctx, "redline.approve", map[string]any{"plan": 1, "hash": state.Plans[0].Hash, "allowCommands": true}); err != nil {
				t.Fatal(err)
			}
			nap.Await(t, 3)
			killed(t, server)
			nap.AwaitGone(t)

			// Its temporary files do not survive the next start either.
			mine := filepath.Join(temporary, "redline-command-mine")
			if err := os.Mkdir(mine, 0o700); err != nil {
				t.Fatal(err)
			}
			folders := func() []string {
				found, _ := filepath.Glob(filepath.Join(temporary, "redline-command-*")) // the pattern is valid
				return found
			}
			if got := folders(); len(got) != 2 {
				t.Errorf("a server that was killed leaves %q", got)
			}
			if next, _ := p.redline("run", "sleep"); next != exitWaiting {
				t.Errorf("the next start: exit status %d", next)
			}
			if got := folders(); len(got) != 1 || got[0] != mine {
				t.Errorf("after the next start there are %q", got)
			}
		})
	}
}
