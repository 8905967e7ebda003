//go:build linux && (amd64 || arm64)

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/agent/model/modeltest"
	"redline/internal/leash/leashtest"
)

// trialStory is a task in a published repository, and a model's first attempt at it, which is
// wrong.
type trialStory struct {
	repository string // its name in .ci/install-repositories
	tool       string // the program that its check needs
	check      string // the repository's own tests
	some       string // the tests that are about the task, "" for all
	env        func(t *testing.T) []string

	// A test, with its name, that the user has typed at the end of a file and not saved.
	unsaved, text, name string

	file, request        string
	old, mistake, mended string
}

var trialStories = map[string]trialStory{
	"Go": {
		repository: "toml-1.5.0", tool: "go", check: "go test ./...",
		env: func(t *testing.T) (env []string) {
			for _, name := range []string{"GOCACHE", "GOROOT"} {
				value, err := exec.Command("go", "env", name).Output()
				if err != nil {
					t.Fatal(err)
				}
				env = append(env, name+"="+strings.TrimSpace(string(value)))
			}
			return append(env, "GOPROXY=off", "GOTOOLCHAIN=local")
		},
		unsaved: "decode_test.go", name: "TestIsDefinedOnlyIfItIs",
		text: "\nfunc TestIsDefinedOnlyIfItIs(t *testing.T) {\n\tvar v any\n\tmeta, err := Decode(\"a.b = 1\", &v)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n" +
			"\tif !meta.IsDefined(\"a\", \"b\") || meta.IsDefined(\"a\", \"c\") || meta.IsDefined(\"a\", \"b\", \"c\") {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
		file: "meta.go", request: "Make the loop of IsDefined shorter",
		old:     "\t\tif hash, ok = hashOrVal.(map[string]any); !ok {\n\t\t\treturn false\n\t\t}\n\t\tif hashOrVal, ok = hash[k]; !ok {\n\t\t\treturn false\n\t\t}\n",
		mistake: "\t\tif hash, ok = hashOrVal.(map[string]any); !ok {\n\t\t\treturn false\n\t\t}\n\t\thashOrVal = hash[k]\n",
		mended:  "\t\thash, _ = hashOrVal.(map[string]any)\n\t\tif hashOrVal, ok = hash[k]; !ok {\n\t\t\treturn false\n\t\t}\n",
	},
	"Node": {
		repository: "find-my-way-9.10.1", tool: "node", check: "node --test", some: "node --test test/path-*.test.js test/methods.test.js",
		env:     func(*testing.T) []string { return nil },
		unsaved: "test/path-utils.test.js", name: "the root keeps its slash",
		text: "\ntest('the root keeps its slash', t => {\n  t.plan(2)\n  t.assert.equal(FindMyWay.trimLastSlash('/'), '/')\n  t.assert.equal(FindMyWay.trimLastSlash('/a/'), '/a')\n})\n",
		file: "index.js", request: "Use endsWith in trimLastSlash",
		old:     "  if (path.length > 1 && path.charCodeAt(path.length - 1) === 47) {\n    return path.slice(0, -1)\n  }\n  return path\n",
		mistake: "  return path.endsWith('/') ? path.slice(0, -1) : path\n",
		mended:  "  return path !== '/' && path.endsWith('/') ? path.slice(0, -1) : path\n",
	},
	"Python": {
		repository: "markdown-3.11.3", tool: "python3", check: "python3 -m unittest discover tests",
		env: func(t *testing.T) []string {
			// The program itself: the one on PATH may be a script that chooses one.
			out, err := exec.Command("python3", "-c", "import sys; print(sys.executable); print(sys.base_prefix)").Output()
			if err != nil {
				t.Fatal(err)
			}
			program, prefix, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			return []string{"PATH=" + filepath.Dir(program) + string(os.PathListSeparator) + os.Getenv("PATH"), "PYENV_ROOT=" + prefix, "PYTHONDONTWRITEBYTECODE=1"}
		},
		unsaved: "tests/test_apis.py", name: "testWordsInAnyCase",
		text: "\n\nclass TestWords(unittest.TestCase):\n    def testWordsInAnyCase(self):\n        for word in ('oN', 'Yes', 'TRUE', '1'):\n            self.assertIs(markdown.util.parseBoolValue(word), True)\n",
		file: "markdown/util.py", request: "Put the words of parseBoolValue into a table",
		old:     "    elif value.lower() in ('true', 'yes', 'y', 'on', '1'):\n        return True\n    elif value.lower() in ('false', 'no', 'n', 'off', '0', 'none'):\n        return False\n",
		mistake: "    elif value in {'true', 'yes', 'y', 'on', '1'}:\n        return True\n    elif value in {'false', 'no', 'n', 'off', '0', 'none'}:\n        return False\n",
		mended:  "    elif value.lower() in {'true', 'yes', 'y', 'on', '1'}:\n        return True\n    elif value.lower() in {'false', 'no', 'n', 'off', '0', 'none'}:\n        return False\n",
	},
}

// In a published repository, a model makes a mistake, tries the project's own tests, sees that they
// fail and fixes the mistake; then they pass, including a test that the user has typed and not
// saved. Until the user approves, nothing has changed: no file, no process, no mount. Afterwards
// the tests pass in the workspace.
func TestTrialStory(t *testing.T) {
	if testing.Short() {
		t.Skip("the tests of whole repositories are not run in short mode: run without -short")
	}
	for language, s := range trialStories {
		t.Run(language, func(t *testing.T) {
			if !*stories && language != "Go" {
				t.Skip(withStories)
			}
			s.happens(t)
		})
	}
}

func (s trialStory) happens(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("there is no folder for caches: ", err)
	}
	repository := filepath.Join(cache, "redline-repositories", s.repository)
	if _, err := os.Stat(repository); err != nil {
		t.Skipf("%s is not here: run .ci/install-repositories", s.repository)
	}
	h := newTrialHouse(t, 5*time.Minute)
	program, err := exec.LookPath(s.tool)
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		t.Skip("there is no ", s.tool, " here")
	}
	if dir := filepath.Dir(program); !strings.HasPrefix(dir, "/usr/") { // as below the real home, which is not the home of the house
		h.settings(fmt.Sprintf("[trials]\nmode = \"on\"\nread = [%q]\n", filepath.Dir(dir)))
	}
	h.env = append(h.env, s.env(t)...)
	if err := os.CopyFS(h.dir, os.DirFS(repository)); err != nil {
		t.Fatal(err)
	}
	nap := leashtest.NewNap()
	outside := filepath.Join(os.TempDir(), "redline-tried-"+string(nap))
	h.env = append(h.env, "OPENAI_BASE_URL="+newModelOf(t, func(request []byte) modeltest.Reply { return s.reply(request, nap) }))

	h.open()
	h.must("opening", h.editor.Open(s.unsaved))
	h.must("opening", h.editor.Open(s.file))
	lines := strings.Count(h.editor.Text(s.unsaved), "\n")
	h.must("typing", h.editor.Insert(s.unsaved, lines, 0, s.text))
	saved, typed := h.onDisk(s.unsaved), h.editor.Text(s.unsaved)
	before := h.files(h.root)

	_, err = h.editor.Execute(h.ctx, "redline.chat", map[string]any{"message": s.request})
	h.must("asking", err)
	h.must("the turn", h.editor.Await(h.ctx, h.turnEnds(1)))

	// Nothing has changed, and nothing is left.
	h.until("processes to end", func() []string { return h.processes(h.server.cmd.Process.Pid) })
	h.until("mounts to go", h.mounts)
	nap.Gone(t)
	if changed := differences(before, h.files(h.root)); len(changed) > 0 {
		t.Errorf("changed:\n%s", strings.Join(changed, "\n"))
	}
	if _, err := os.Lstat(outside); err == nil {
		t.Errorf("%s was made", outside)
	}
	if h.editor.Text(s.unsaved) != typed || h.onDisk(s.unsaved) != saved {
		t.Errorf("%s has changed", s.unsaved)
	}

	// The plan shows what was tried.
	plans := h.plans(true)
	if len(plans) != 1 {
		h.must("the plans", fmt.Errorf("there are %d", len(plans)))
	}
	p := plans[0]
	var tried []string
	for _, one := range p.Trials {
		tried = append(tried, fmt.Sprint(one.Verdict, " ", one.Current))
	}
	if got := strings.Join(tried, ", "); got != "passed false, fails_now false, passed true" {
		h.must("the trials", fmt.Errorf("they are %s: %+v\n%s", got, p.Trials, p.Description))
	}
	if failed := p.Trials[1]; !strings.Contains(failed.Output, s.name) || failed.Baseline == nil || failed.Baseline.ExitCode == nil || *failed.Baseline.ExitCode != 0 {
		t.Errorf("the failed trial is %+v", failed)
	}
	for _, one := range p.Trials {
		t.Logf("%s: %s after %d ms", one.Command, one.Verdict, one.DurationMS)
	}

	// One approval, and the tests pass in the workspace.
	_, err = h.editor.Execute(h.ctx, "redline.approve", map[string]any{"plan": p.Plan, "hash": p.Hash})
	h.must("approving", err)
	h.must("saving", h.editor.SaveAll())
	if text := h.onDisk(s.file); !strings.Contains(text, s.mended) || strings.Contains(text, s.old) {
		t.Errorf("%s is\n%s", s.file, text)
	}
	if out, err := h.runHere(s.check); err != nil {
		t.Errorf("after the approval: %v\n%s", err, out)
	}
}

func (h *trialHouse) onDisk(path string) string {
	h.t.Helper()
	text, err := os.ReadFile(filepath.Join(h.dir, filepath.FromSlash(path)))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

// reply is the model's reply, which depends on the results of its trials.
func (s trialStory) reply(request []byte, nap leashtest.Nap) modeltest.Reply {
	var ask struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(request, &ask); err != nil {
		return modeltest.Fail(http.StatusUnprocessableEntity, err.Error())
	}
	replies, told := 0, ""
	for _, m := range ask.Messages {
		if m.Role == "assistant" {
			replies++
		}
		told = m.Content
	}
	call := func(name string, args map[string]string) modeltest.Reply {
		raw, _ := json.Marshal(args) // strings
		return modeltest.Stream(modeltest.Call(name, string(raw)))
	}
	switch {
	case replies == 0:
		return call("edit_file", map[string]string{"path": s.file, "old_string": s.old, "new_string": s.mistake})
	case replies == 1: // text that tries to stay
		n := string(nap)
		return call("try_command", map[string]string{"command": "touch left ~/left /tmp/redline-tried-" + n + " && chmod 777 " + s.file + " && rm " + s.unsaved + " && (setsid sleep " + n + " >/dev/null 2>&1 &)"})
	case replies == 2 && strings.HasPrefix(told, "exit code 0 "):
		return call("try_command", map[string]string{"command": cmp.Or(s.some, s.check)})
	case replies == 4:
		return call("try_command", map[string]string{"command": s.check})
	case replies == 3 && strings.Contains(told, "exit code 0: your edits broke it") && strings.Contains(told, s.name):
		return call("edit_file", map[string]string{"path": s.file, "old_string": s.mistake, "new_string": s.mended})
	case replies == 5 && strings.HasPrefix(told, "exit code 0 "):
		return modeltest.Stream(modeltest.Text("It is shorter, and the tests pass."))
	}
	return modeltest.Stream(modeltest.Text(fmt.Sprintf("After %d replies this is unexpected: %s", replies, told)))
}
