//go:build linux && (amd64 || arm64)

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"redline/agent/model/modeltest"
	"redline/agent/state"
	"redline/lsp/lsptest"
)

var languageKills = flag.Int("language.kills", 4, "how often TestKilledServersOfLanguagesLeaveNothing kills Redline, the helper or a process of the language server")

// However Redline ends, nothing of a language server that checked a plan is left: no process, no mount, no file.
func TestKilledServersOfLanguagesLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills processes, which takes a while: run without -short")
	}
	gopls, err := exec.LookPath("gopls")
	if cache, wrong := os.UserCacheDir(); wrong == nil && err != nil {
		gopls, err = exec.LookPath(filepath.Join(cache, "redline-languages", "bin", "gopls"))
	}
	if err != nil {
		t.Skip("it needs gopls: .ci/install-languages installs it")
	}
	house := newTrialHouse(t, 5*time.Minute+time.Duration(*languageKills)*20*time.Second)
	h := &killedHouse{trialHouse: house, files: map[string]bool{}}
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a/a.go": "package a\n\nfunc A() int { return 1 }\n", "b/b.go": "package b\n\nimport \"m/a\"\n\nvar B = a.A()\n"} {
		h.write(filepath.Join(h.dir, name), text)
		h.files[filepath.Join(h.dir, name)], h.files[filepath.Join(h.dir, filepath.Dir(name))] = true, true
	}
	h.env = append(h.env, "OPENAI_BASE_URL="+newModelOf(t, spoils), "PATH="+filepath.Dir(gopls)+":"+os.Getenv("PATH"))
	home, began, kills := house.files(h.home), time.Now(), map[string]int{}
	for round := range *languageKills {
		h.open()
		_, err := h.editor.Execute(h.ctx, "redline.chat", map[string]any{"message": fmt.Sprintf("round %d.", round), "mode": "plan", "new": true})
		h.must("asking", err)
		if round/4%2 == 0 { // once the plan is checked; or while the server starts
			h.must("checking the plan", h.editor.Await(h.ctx, lsptest.Expect("its problems are known", func(*lsptest.Editor) bool {
				found := h.events(state.ProblemsFound)
				return len(found) > 0 && found[len(found)-1].Plan.Problems != nil && len(found[len(found)-1].Plan.Problems.Added) == 1
			})))
		}
		h.until("a language server to run", func() []string {
			if len(h.running("command")) == 0 {
				said := h.editor.Transcript()
				return []string{"none", said[max(0, len(said)-6000):], h.server.err.String()}
			}
			return nil
		})
		who := []string{"server", "helper", "command", "server"}[round%4]
		if victims := h.running(who); who != "server" && len(victims) > 0 { // each of them, in turn
			_ = syscall.Kill(victims[round/8%len(victims)], syscall.SIGKILL) // it may have ended: servers start others
		}
		if who == "helper" {
			h.until("processes to end beside Redline", func() []string { return h.processes(h.server.cmd.Process.Pid) })
			h.until("mounts to go beside Redline", h.mounts)
		}
		kills[who]++
		h.close()
		h.until("processes to end", func() []string { return h.processes() })
		h.until("mounts to go", h.mounts)
	}
	h.open() // which removes what the others could not
	h.until("files to go", h.left)
	if changed := differences(home, house.files(h.home)); len(changed) > 0 {
		t.Errorf("at home: %q", changed)
	}
	t.Logf("%d kills in %.1f s: %v", *languageKills, time.Since(began).Seconds(), kills)
}

// spoils is the reply of a model that breaks a caller in another file.
func spoils(request []byte) modeltest.Reply {
	var ask struct{ Messages []struct{ Role string } }
	if err := json.Unmarshal(request, &ask); err != nil {
		return modeltest.Fail(http.StatusUnprocessableEntity, err.Error())
	}
	if last := ask.Messages[len(ask.Messages)-1]; last.Role != "user" {
		return modeltest.Stream(modeltest.Text("Done."))
	}
	raw, _ := json.Marshal(map[string]string{"path": "a/a.go", "content": "package a\n\nfunc A2() int { return 1 }\n"}) // strings
	return modeltest.Stream(modeltest.Call("write_file", string(raw)))
}
