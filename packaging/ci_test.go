package packaging

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"redline/agent/model/modeltest"
	"redline/lsp/lsptest"
)

// pipeline is what an example in ci/ does: the commands of its two jobs, and the files that it
// keeps of them.
type pipeline struct {
	test, install, plan string
	kept                []string
}

// githubPipeline reads the workflow for GitHub Actions.
func githubPipeline(t *testing.T) pipeline {
	var file struct {
		On          []string          `yaml:"on"`
		Permissions map[string]string `yaml:"permissions"`
		Jobs        map[string]struct {
			Needs string            `yaml:"needs"`
			If    string            `yaml:"if"`
			Env   map[string]string `yaml:"env"`
			Steps []struct {
				Name string            `yaml:"name"`
				Uses string            `yaml:"uses"`
				Run  string            `yaml:"run"`
				If   string            `yaml:"if"`
				With map[string]string `yaml:"with"`
			} `yaml:"steps"`
		} `yaml:"jobs"`
	}
	load(t, "ci/github.yml", &file)
	test, plan := file.Jobs["test"], file.Jobs["plan"]
	if len(file.Jobs) != 2 || plan.Needs != "test" || plan.If != "failure()" || len(test.Env) != 0 || plan.Env["OPENAI_API_KEY"] == "" {
		t.Error("the plan is not made after a failed test alone, or the test gets the key")
	}
	if slices.Contains(file.On, "pull_request_target") || len(file.Permissions) != 1 || file.Permissions["contents"] != "read" {
		t.Errorf("it runs on %v with the rights %v", file.On, file.Permissions)
	}
	p := pipeline{}
	for _, s := range test.Steps {
		if s.Run != "" {
			p.test = s.Run
		}
	}
	for _, s := range plan.Steps {
		switch {
		case s.Name == "Plan":
			p.plan = s.Run
		case s.Run != "":
			p.install = s.Run
		case strings.HasPrefix(s.Uses, "actions/upload-artifact@") && s.If == "always()":
			p.kept = strings.Fields(s.With["path"])
		}
	}
	return p
}

// gitlabPipeline reads the pipeline for GitLab.
func gitlabPipeline(t *testing.T) pipeline {
	type job struct {
		Stage       string   `yaml:"stage"`
		When        string   `yaml:"when"`
		Environment string   `yaml:"environment"`
		Script      []string `yaml:"script"`
		Artifacts   struct {
			When  string   `yaml:"when"`
			Paths []string `yaml:"paths"`
		} `yaml:"artifacts"`
	}
	var file struct {
		Stages []string `yaml:"stages"`
		Test   job      `yaml:"test"`
		Plan   job      `yaml:"plan"`
	}
	load(t, "ci/gitlab.yml", &file)
	if !slices.Equal(file.Stages, []string{"test", "plan"}) || file.Test.Stage != "test" || file.Plan.Stage != "plan" || file.Plan.When != "on_failure" {
		t.Error("the plan is not made after a failed test alone")
	}
	if file.Test.Artifacts.When != "on_failure" || !slices.Equal(file.Test.Artifacts.Paths, []string{"test.log"}) || file.Plan.Artifacts.When != "always" || file.Plan.Environment == file.Test.Environment {
		t.Error("the log or the plan is not kept, or both jobs have the key's environment")
	}
	if len(file.Test.Script) != 1 || len(file.Plan.Script) != 2 {
		t.Fatalf("it has the commands %q and %q", file.Test.Script, file.Plan.Script)
	}
	return pipeline{test: file.Test.Script[0], install: file.Plan.Script[0], plan: file.Plan.Script[1], kept: file.Plan.Artifacts.Paths}
}

func load(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// The examples do the same, install the package of project.json, and use flags that there are.
func TestPipelinesAreValid(t *testing.T) {
	p, other := githubPipeline(t), gitlabPipeline(t)
	if strings.TrimSpace(p.plan) != strings.TrimSpace(other.plan) || p.test != other.test || p.install != other.install || !slices.Equal(p.kept, other.kept) {
		t.Errorf("the examples differ:\n%+v\n%+v", p, other)
	}
	var project struct{ Package string }
	text, err := os.ReadFile("project.json")
	if err == nil {
		err = json.Unmarshal(text, &project)
	}
	if err != nil || p.install != "npm install --global "+project.Package {
		t.Errorf("%q installs something else than %s (%v)", p.install, project.Package, err)
	}
	help, err := exec.Command(program(t), "run", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(p.plan, "redline run ")
	command, _, _ = strings.Cut(command, "'")
	flags := regexp.MustCompile(`--[a-z-]+`).FindAllString(command, -1)
	if len(flags) < 5 {
		t.Errorf("it uses only %q", flags)
	}
	for _, flag := range flags {
		if !regexp.MustCompile(`(?m)^ +(-\w, )?` + flag + `\b`).Match(help) {
			t.Errorf("redline run has no flag %s", flag)
		}
	}
}

// program returns this machine's program of a release.
func program(t *testing.T) string {
	name := "redline"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(programs(t), runtime.GOOS+"_"+runtime.GOARCH, name)
}

// broken is a project whose test fails, and what a model does about that.
var (
	broken = map[string]string{
		"go.mod": "module shop\n\ngo 1.24\n",
		"sum.go": "package shop\n\n// Sum adds.\nfunc Sum(a, b int) int {\n\treturn a - b\n}\n",
		"sum_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n" +
			"\tif got := Sum(1, 2); got != 3 {\n\t\tt.Errorf(\"Sum(1, 2) = %d, want 3\", got)\n\t}\n}\n",
	}
	fix = `call: edit_file {"path":"sum.go","old_string":"return a - b","new_string":"return a + b"}
---
text: Sum subtracted.
`
)

// machine is a machine of a pipeline: a checkout without a HOME or a terminal. Its redline is
// the program of a release.
type machine struct {
	t   *testing.T
	dir string
	env []string
}

// run carries out the commands of a job as the runners do, and returns its exit status.
func (m *machine) run(script string, more ...string) (status int, said string) {
	m.t.Helper()
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir, cmd.Env = m.dir, append(slices.Clone(m.env), more...)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return 0, string(out)
}

// git runs git away from the user's settings.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgSign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// A test fails in a pipeline; the plan of a fix is kept, imported into another clone, seen hunk by
// hunk in an editor, and approved there. Then the test passes.
func TestPipelineFromFailureToFix(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for sh: run this on Linux or macOS")
	}
	need(t, "git", "install git")
	redline := program(t)
	for name, read := range map[string]func(*testing.T) pipeline{"github": githubPipeline, "gitlab": gitlabPipeline} {
		t.Run(name, func(t *testing.T) {
			p := read(t)
			origin := newOrigin(t)
			m := newMachine(t, redline, origin)

			status, said := m.run(p.test)
			if status == 0 || !strings.Contains(said, "--- FAIL: TestSum") {
				t.Fatalf("the test ended with %d:\n%s", status, said)
			}
			if status, said := m.run(p.plan); status != 0 || !strings.Contains(said, "There is no key") {
				t.Errorf("without a key it ended with %d:\n%s", status, said)
			}
			status, said = m.run(p.plan, model(t, fix)...)
			if status != 0 || !strings.Contains(said, "plan.json waits for you") {
				t.Fatalf("planning ended with %d:\n%s", status, said)
			}
			git(t, m.dir, "diff", "--exit-code") // nothing is applied
			artefact := keep(t, m, p)

			clone := filepath.Join(t.TempDir(), "clone")
			git(t, "", "clone", "-q", origin, clone)
			approveInEditor(t, redline, clone, filepath.Join(artefact, "plan.json"))
			if status, said := (&machine{t, clone, m.env}).run(p.test); status != 0 {
				t.Errorf("after the fix the test ended with %d:\n%s", status, said)
			}
		})
	}
}

// However the run ends, the job says it, and no plan is kept that was not made.
func TestPipelineWithoutAPlan(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are for sh: run this on Linux or macOS")
	}
	need(t, "git", "install git")
	redline, p := program(t), githubPipeline(t)
	for _, c := range []struct {
		replies, said string
		status        int
	}{
		{"text: The network was down.", "No plan: redline.jsonl has the answer.", 0},
		{`call: ask_user {"question":"Which?"}`, "No plan: redline.jsonl has a question.", 0},
		{`status: 401 {"error":{"message":"no"}}`, "No plan: redline run ended with status 5.", 5},
	} {
		m := newMachine(t, redline, newOrigin(t))
		m.run(p.test)
		if status, said := m.run(p.plan, model(t, c.replies)...); status != c.status || !strings.Contains(said, c.said) {
			t.Errorf("%s: it ended with %d:\n%s", c.replies, status, said)
		}
		if _, err := os.Stat(filepath.Join(m.dir, "plan.json")); err == nil {
			t.Errorf("%s: there is a plan", c.replies)
		}
	}
}

func newOrigin(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range broken {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "shop")
	return dir
}

func newMachine(t *testing.T, redline, origin string) *machine {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "checkout")
	git(t, "", "clone", "-q", origin, dir)
	cache, err := exec.Command("go", "env", "GOCACHE", "GOROOT").Output()
	places := strings.Split(strings.TrimSpace(string(cache)), "\n")
	if err != nil || len(places) != 2 {
		t.Fatalf("go env: %v, %q", err, cache)
	}
	path := filepath.Dir(redline) + ":" + filepath.Join(places[1], "bin") + ":/usr/local/bin:/usr/bin:/bin"
	// A root's database without a HOME would be in the machine's own root folder.
	state := filepath.Join(t.TempDir(), "state")
	return &machine{t, dir, []string{"PATH=" + path, "CI=true", "GOCACHE=" + places[0], "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local", "REDLINE_STATE_DIR=" + state}}
}

// model starts a model with these replies, and returns the variables that name it.
func model(t *testing.T, replies string) []string {
	t.Helper()
	parsed, err := modeltest.Parse(replies)
	if err != nil {
		t.Fatal(err)
	}
	server := modeltest.New(parsed...)
	base, err := server.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return []string{"OPENAI_BASE_URL=" + base, "OPENAI_API_KEY=k", "REDLINE_MODEL=scripted"}
}

// keep copies what the pipeline keeps to another folder, as a runner uploads it.
func keep(t *testing.T, m *machine, p pipeline) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range p.kept {
		text, err := os.ReadFile(filepath.Join(m.dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// approveInEditor imports a plan in an editor, sees its hunk in the open file, approves the plan
// and saves.
func approveInEditor(t *testing.T, redline, dir, plan string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	serve := exec.CommandContext(ctx, redline, "serve", "--stdio")
	serve.Dir = dir
	serve.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "REDLINE_STATE_DIR=" + t.TempDir()}
	in, err := serve.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	editor, err := lsptest.Start(ctx, struct {
		io.Reader
		io.WriteCloser
	}{out, in}, lsptest.Honest(), dir)
	if err != nil {
		t.Fatal(err)
	}
	step := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	step("open", editor.Open("sum.go"))
	_, err = editor.Execute(ctx, "redline.chat", "/import "+plan)
	step("import", err)
	step("the hunk", editor.Await(ctx, lsptest.DiagnosticCode("sum.go", "1.h1")))
	step("nothing is applied", editor.Await(ctx, lsptest.TextEquals("sum.go", broken["sum.go"])))
	_, err = editor.Execute(ctx, "redline.approve", map[string]any{"plan": 1})
	step("approve", err)
	step("the fix", editor.Await(ctx, lsptest.TextContains("sum.go", "return a + b")))
	step("save", editor.Save("sum.go"))
	step("quit", editor.Quit(ctx))
	in.Close()
	if err := serve.Wait(); err != nil {
		t.Errorf("the server: %v", err)
	}
}
