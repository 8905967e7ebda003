package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"redline/agent/model/modeltest"
	"redline/agent/outside/outsidetest"
	"redline/agent/toolset/mcptest"
	"redline/edits/charset"
	"redline/internal/leaktest"
	"redline/internal/ramtemp"
	"redline/workspace/runner"
)

// The test binary is also the program under test: scripts and tests start it as a separate process
// under these names.
func TestMain(m *testing.M) {
	if runner.IsHelper(os.Args) {
		syscall.Exit(runner.Help()) // without the pause of the race detector at the end of a process
	}
	if strings.Contains(filepath.Base(os.Args[0]), ".test") { // not as one of the programs below
		for _, name := range connectionVariables { // a test must not send its texts to the developer's provider
			os.Unsetenv(name)
		}
	}
	testscript.Main(leaktest.After(ramtemp.Around(m)), map[string]func(){
		"redline":        func() { os.Exit(process()) },
		"measure":        measure,
		"mcptest":        mcptest.Main,
		"scripted-agent": scriptedAgent,
		"acp-agent":      outsidetest.Main,
	})
}

// Each script is a scenario of the command line. Besides testscript's own
// commands there are:
//
//	exits [-says] STATUS PROGRAM ARGUMENTS…   run it: an error is one sentence, success says nothing on stderr unless -says
//	json FILE CHECK…                          FILE is one line of JSON and every check holds; with -last, only the last line counts
//	jsonenv NAME FILE PATH                    put a value of the last line into the environment
//	plan FILE PATH                            the value at PATH has every field of a plan
//	provider FILE                             start a scripted model provider and configure it
//	bytes FILE TEXT                           write TEXT, in which \r and \n stand for themselves, to FILE
//	encode CHARSET FILE                       write FILE, which is UTF-8, in that charset
//	replace FILE OLD NEW                      change FILE by hand where OLD is, once; \n in both stands for itself
//	asked N FILE                              write the body of the provider's N-th request, from 1, to FILE
//	unasked                                   the provider got no request
//	goproxy FOLDER MODULE VERSION FILE…       FOLDER is a proxy that has this module for Go
//
// A check is PATH=VALUE, PATH#LENGTH or just PATH, as in plan.files.0.path.
//
// The condition [worlds] holds where commands can be tried, and [gopls] where they can be and gopls is
// installed; $GOPLS is the folder of gopls then.
func TestScript(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.txtar", "*/*.txtar"} {
		found, err := filepath.Glob("testdata/script/" + pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no scripts in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("REDLINE_STATE_DIR", filepath.Join(env.WorkDir, ".state"))
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
			env.Setenv("GOPLS", filepath.Dir(gopls()))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": scriptExits, "json": scriptJSON, "jsonenv": scriptJSONEnv, "plan": scriptPlan,
			"provider": scriptProvider, "asked": scriptAsked, "bytes": scriptBytes,
			"replace": scriptReplace, "unasked": scriptUnasked, "goproxy": scriptGoProxy, "encode": scriptEncode,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "worlds":
				return runner.Worlds() == nil, nil
			case "gopls":
				return runner.Worlds() == nil && gopls() != "", nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
	})
}

// gopls returns the absolute name of Go's language server, also where .ci/install-languages has put it, "" for none.
func gopls() string {
	if cache, err := os.UserCacheDir(); err == nil {
		if name, err := exec.LookPath(filepath.Join(cache, "redline-languages", "bin", "gopls")); err == nil {
			return name
		}
	}
	name, err := exec.LookPath("gopls")
	if err != nil {
		return ""
	}
	return name
}

// scriptReplace changes a file by hand: replace PATH OLD NEW, where OLD is there
// once and \n in both stands for the end of a line.
func scriptReplace(ts *testscript.TestScript, _ bool, args []string) {
	unescape := strings.NewReplacer(`\n`, "\n")
	text, old := ts.ReadFile(args[0]), unescape.Replace(args[1])
	if n := strings.Count(text, old); n != 1 {
		ts.Fatalf("%s holds %q %d times", args[0], old, n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, old, unescape.Replace(args[2]), 1)), 0o644))
}

// scriptEncode writes a file in another charset.
func scriptEncode(ts *testscript.TestScript, _ bool, args []string) {
	c, ok := charset.Named(args[0])
	if !ok {
		ts.Fatalf("there is no charset %q", args[0])
	}
	data, err := c.Encode(ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

func scriptExits(ts *testscript.TestScript, _ bool, args []string) {
	says := args[0] == "-says"
	if says {
		args = args[1:]
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
	said := ts.ReadFile("stderr")
	switch {
	case says:
	case want == exitOK || want == exitWaiting:
		if said != "" {
			ts.Fatalf("stderr is not empty")
		}
	case !strings.HasPrefix(said, "redline: ") || strings.Count(said, "\n") != 1 || !strings.HasSuffix(said, "\n"):
		ts.Fatalf("stderr is not one sentence")
	}
}

// lastLine decodes the last line of a file; without many it must be the only one.
func lastLine(ts *testscript.TestScript, file string, many bool) any {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(file), "\n"), "\n")
	if len(lines) != 1 && !many {
		ts.Fatalf("%s has %d lines, want 1", file, len(lines))
	}
	var value any
	for _, line := range lines {
		ts.Check(json.Unmarshal([]byte(line), &value))
	}
	return value
}

// at returns the value at a path: names of fields and indices, separated by dots.
func at(value any, path string) (any, bool) {
	if path == "" {
		return value, true
	}
	for _, name := range strings.Split(path, ".") {
		ok := false
		switch v := value.(type) {
		case map[string]any:
			value, ok = v[name]
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i < len(v) {
				value, ok = v[i], true
			}
		}
		if !ok {
			return nil, false
		}
	}
	return value, true
}

// plain returns a value in the form of a script.
func plain(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func scriptJSON(ts *testscript.TestScript, _ bool, args []string) {
	last := args[0] == "-last"
	if last {
		args = args[1:]
	}
	value := lastLine(ts, args[0], last)
	for _, check := range args[1:] {
		path, want, equal := strings.Cut(check, "=")
		path, length, counted := strings.Cut(path, "#")
		got, found := at(value, path)
		list, _ := got.([]any)
		switch {
		case !found:
			ts.Fatalf("there is no %s", path)
		case equal && plain(got) != want:
			ts.Fatalf("%s is %s, want %s", path, plain(got), want)
		case counted && (got == nil || strconv.Itoa(len(list)) != length):
			ts.Fatalf("%s has length %d, want %s", path, len(list), length)
		}
	}
}

func scriptJSONEnv(ts *testscript.TestScript, _ bool, args []string) {
	value, found := at(lastLine(ts, args[1], true), args[2])
	if !found {
		ts.Fatalf("there is no %s", args[2])
	}
	ts.Setenv(args[0], plain(value))
}

// planFields are the fields that a plan and its parts always have.
var planFields = map[string][]string{
	"":           {"plan", "goal", "state", "conversation", "revision", "hash", "description", "steps", "operations", "files", "commands", "predicted", "revisions"},
	"steps":      {"id", "description", "status", "dependsOn"},
	"operations": {"id", "step", "tool", "status"},
	"files":      {"path", "uri", "action", "status", "added", "removed", "hunks"},
	"hunks":      {"id", "status", "range", "added", "removed", "match"},
	"range":      {"start", "end"},
	"start":      {"line", "character"},
	"end":        {"line", "character"},
	"commands":   {"id", "command", "status"},
	"revisions":  {"revision", "parent", "author", "hash", "created"},
}

func scriptPlan(ts *testscript.TestScript, _ bool, args []string) {
	value, _ := at(lastLine(ts, args[0], true), args[1])
	checkFields(ts, "", value)
}

// checkFields checks an object, or every object of a list, and what is in it.
func checkFields(ts *testscript.TestScript, name string, value any) {
	if list, ok := value.([]any); ok {
		for _, v := range list {
			checkFields(ts, name, v)
		}
		return
	}
	object, ok := value.(map[string]any)
	if !ok {
		if planFields[name] != nil {
			ts.Fatalf("%q is %s, want an object", name, plain(value))
		}
		return
	}
	for _, field := range planFields[name] {
		inner, ok := object[field]
		if !ok || inner == nil {
			ts.Fatalf("%q has no %q: %s", name, field, plain(value))
		}
		checkFields(ts, field, inner)
	}
}

// scriptKey is the key that scripts configure. It must never be printed.
const scriptKey = "sk-never-shown"

// providers are the scripted model providers, by the script that started them.
var providers sync.Map

func scriptProvider(ts *testscript.TestScript, _ bool, args []string) {
	replies, err := modeltest.Parse(ts.ReadFile(args[0]))
	ts.Check(err)
	server := modeltest.New(replies...)
	base, err := server.Start()
	ts.Check(err)
	ts.Defer(server.Close)
	ts.Setenv("OPENAI_BASE_URL", base)
	ts.Setenv("OPENAI_API_KEY", scriptKey)
	ts.Setenv("REDLINE_MODEL", "scripted")
	providers.Store(ts.Name(), server)
}

func scriptAsked(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	started, ok := providers.Load(ts.Name())
	if !ok {
		ts.Fatalf("no provider was started")
	}
	requests := started.(*modeltest.Server).Requests()
	if n > len(requests) {
		ts.Fatalf("the provider was asked %d times", len(requests))
	}
	body := requests[n-1].Body
	if bytes.Contains(body, []byte(scriptKey)) {
		ts.Fatalf("the request holds the key")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), body, 0o600))
}

func scriptUnasked(ts *testscript.TestScript, _ bool, _ []string) {
	started, ok := providers.Load(ts.Name())
	if !ok {
		ts.Fatalf("no provider was started")
	}
	if n := len(started.(*modeltest.Server).Requests()); n > 0 {
		ts.Fatalf("the provider was asked %d times", n)
	}
}

func scriptGoProxy(ts *testscript.TestScript, _ bool, args []string) {
	module, version := args[1], args[2]
	dir := filepath.Join(args[0], filepath.FromSlash(module), "@v")
	ts.Check(os.MkdirAll(dir, 0o755))
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range args[3:] {
		w, err := z.Create(module + "@" + version + "/" + filepath.Base(name))
		ts.Check(err)
		_, err = io.WriteString(w, ts.ReadFile(name))
		ts.Check(err)
	}
	ts.Check(z.Close())
	for name, text := range map[string]string{
		"list": version + "\n", version + ".info": fmt.Sprintf(`{"Version":%q}`, version), version + ".mod": "module " + module + "\n", version + ".zip": packed.String(),
	} {
		ts.Check(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
}

func scriptBytes(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.NewReplacer(`\r`, "\r", `\n`, "\n").Replace(args[1])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
