package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"redline/agent/model/modeltest"
	"redline/workspace/runner"
)

var tokensBeside = flag.String("tokens.beside", "", "TestTokens: another `program` of Redline, whose tokens are to be compared with this one's")

// Each file of testdata/tokens is a task: comments, the folders and files of Go's own sources that
// are its workspace ("src"), the name of the model, and the commands to run, one a line, whose last
// words are the request. Its files go into the workspace too, except for "model": the replies,
// as in a scenario; a reply "for" a text is for the program that has said it.
//
// A task may cost at most the tokens that it did when its line "most" was written, and some for
// another version of Go. With -tokens.beside the tasks are run with both programs, and all of
// them together must take at least 15 % less than with the other one.
func TestTokens(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs ten tasks: run without -short")
	}
	if err := runner.Worlds(); err != nil {
		t.Skip("there are no trials here: " + err.Error())
	}
	program, err := exec.LookPath("redline")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("testdata/tokens/*.txtar")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d tasks, %v", len(names), err)
	}
	var mine, others spentTokens
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			task := readTokenTask(t, name)
			now := task.run(t, program)
			mine = mine.plus(now)
			if task.most == 0 || now.all > task.most+task.most/20 {
				t.Errorf("it takes %d tokens, and took %d", now.all, task.most)
			}
			if *tokensBeside == "" {
				t.Logf("%s", now)
				return
			}
			was := task.run(t, *tokensBeside)
			others = others.plus(was)
			t.Logf("%s; beside: %s: %+.0f %%", now, was, 100*(float64(now.all)/float64(was.all)-1))
		})
	}
	if *tokensBeside != "" && !t.Failed() {
		less := 100 * (1 - float64(mine.all)/float64(others.all))
		t.Logf("all: %s; beside: %s: %.1f %% less; of the tools' answers %.1f %% less", mine, others, less, 100*(1-float64(mine.answers)/float64(others.answers)))
		if less < 15 {
			t.Errorf("it is %.1f %% less, want at least 15 %%", less)
		}
	}
}

// spentTokens are the tokens of four bytes that the requests of a task have.
type spentTokens struct{ requests, all, answers int }

func (s spentTokens) plus(o spentTokens) spentTokens {
	return spentTokens{s.requests + o.requests, s.all + o.all, s.answers + o.answers}
}

func (s spentTokens) String() string {
	return fmt.Sprintf("%d requests, %d tokens, %d of them answers of tools", s.requests, s.all, s.answers)
}

type tokenTask struct {
	model    string
	most     int
	src      []string
	commands [][]string
	replies  []modeltest.Reply
	files    []txtar.File
}

func readTokenTask(t *testing.T, name string) (task tokenTask) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	task.model = "scripted"
	for line := range strings.Lines(string(archive.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case words[0] == "src":
			task.src = words[1:]
		case words[0] == "model":
			task.model = words[1]
		case words[0] == "most":
			fmt.Sscan(words[1], &task.most)
		default:
			fixed := map[string]int{"run": 1, "plans": 3}[words[0]]
			for fixed < len(words) && strings.HasPrefix(words[fixed], "--") {
				fixed++
				if words[fixed-1] == "--mode" || words[fixed-1] == "--conversation" {
					fixed++
				}
			}
			command := slices.Clone(words[:fixed])
			if fixed < len(words) {
				command = append(command, strings.Join(words[fixed:], " "))
			}
			task.commands = append(task.commands, command)
		}
	}
	for _, f := range archive.Files {
		if f.Name != "model" {
			task.files = append(task.files, f)
			continue
		}
		if task.replies, err = modeltest.Parse(string(f.Data)); err != nil {
			t.Fatal(err)
		}
	}
	return task
}

// run carries out a task with a program in a workspace of its own.
func (task tokenTask) run(t *testing.T, program string) (spent spentTokens) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	put := func(name string, data []byte) {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(".redline/ignore", nil)
	for _, f := range task.files {
		put(f.Name, f.Data)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	sources := os.DirFS(filepath.Join(strings.TrimSpace(string(root)), "src"))
	for _, name := range task.src {
		err := fs.WalkDir(sources, name, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			data, err := fs.ReadFile(sources, path)
			put(path, data)
			return err
		})
		if err != nil {
			t.Skip("Go's sources are not here: " + err.Error())
		}
	}
	config := filepath.Join(home, "config.toml")
	if err := os.WriteFile(config, []byte("[trials]\nmode = \"on\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(task.replies...)
	base, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, command := range task.commands {
		cmd := exec.CommandContext(t.Context(), program, command...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+home, "REDLINE_STATE_DIR="+filepath.Join(home, "state"), "REDLINE_CONFIG="+config,
			"OPENAI_BASE_URL="+base, "OPENAI_API_KEY=none", "REDLINE_MODEL="+task.model)
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); err != nil && code != exitWaiting {
			t.Fatalf("%s: exit status %d\n%s", command, code, out)
		}
	}
	for _, r := range server.Requests() {
		var body struct {
			Messages []json.RawMessage
			Tools    json.RawMessage
		}
		if err := json.Unmarshal(r.Body, &body); err != nil {
			t.Fatal(err)
		}
		size := len(body.Tools)
		for _, m := range r.Messages {
			size += len(m.Content)
			for _, c := range m.Calls {
				size += len(c.Name) + len(c.Arguments)
			}
			if m.Role == "tool" {
				spent.answers += len(m.Content) / 4
				if strings.HasPrefix(m.Content, "error:") {
					t.Errorf("%s: a call was refused: %.300s", program, m.Content)
				}
			}
		}
		spent.requests, spent.all = spent.requests+1, spent.all+size/4
	}
	return spent
}
