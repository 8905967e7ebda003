package trial_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/agenttest"
	"redline/agent/model"
	"redline/agent/trial"
	"redline/agent/view"
	"redline/workspace/runner"
	"redline/workspace/warm"
)

// cargoSession is a session with real cargo, in a workspace without a target, whose trials keep one
// in a state directory.
func cargoSession(t *testing.T, files map[string]string) (s *agenttest.Session, stateDir string) {
	t.Helper()
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("cargo is not installed: install Rust to run this test")
	}
	s = tryingSession(t, files)
	if kind, _ := runner.Apart(); kind != "overlay" || runner.OnDisk() {
		t.Skip("nothing is kept here")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	stateDir = t.TempDir()
	s.Trials = trial.Options{
		Mode: trial.On, Home: home, Kept: warm.In(stateDir),
		Tools: []string{filepath.Join(home, ".cargo", "bin"), filepath.Join(home, ".rustup")},
	}
	s.Restart()
	return s, stateDir
}

// cargoTry has the model make an edit and try cargo test, in a plan of its own that is rejected
// afterwards. It returns the verdict.
func cargoTry(s *agenttest.Session, t *testing.T, n int, e model.Call) string {
	t.Helper()
	return tryOnce(s, t, n, "cargo test --offline", e)
}

func tryOnce(s *agenttest.Session, t *testing.T, n int, line string, e model.Call) string {
	t.Helper()
	s.Model.Will(agenttest.Reply{Calls: []model.Call{e}}, agenttest.Reply{Calls: []model.Call{agenttest.Try(line)}}, agenttest.Reply{Text: "Done."})
	s.Plan("change it")
	p := s.PlanNow(n)
	if len(p.Trials) != 1 {
		t.Fatalf("plan %d has the trials %v", n, p.Trials)
	}
	one := p.Trials[0]
	t.Logf("plan %d: %s after %d ms", n, one.Result, one.DurationMS)
	if _, err := s.Agent.Reject(s.Context(), view.Request{Plan: n}); err != nil {
		t.Fatal(err)
	}
	return one.Result + one.Output[max(0, len(one.Output)-300):]
}

const (
	crateFile = "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	wrongSum  = "pub fn sum(a: i32, b: i32) -> i32 { a - b }\n\n#[test]\nfn adds() { assert_eq!(sum(2, 3), 5); }\n"
)

// An edit that is rejected leaves no result of it: neither a wrong "passed", although its file has its
// old time again and something newer was built from the edit, nor a wrong failure.
func TestWarmTrialsForgetRejectedEdits(t *testing.T) {
	s, state := cargoSession(t, map[string]string{"Cargo.toml": crateFile, "src/lib.rs": wrongSum, "notes.txt": "one\n"})
	for n, step := range []struct {
		edit model.Call
		want string
	}{
		{agenttest.Edit("src/lib.rs", "a - b", "a + b"), "passed"},
		{agenttest.Edit("notes.txt", "one", "two"), "failed, as it did before"}, // the sum is wrong again
		{agenttest.Edit("src/lib.rs", "a - b", "b + a"), "passed"},
		{agenttest.Edit("src/lib.rs", "a - b", "b - a"), "still fails"},
	} {
		if got := cargoTry(s, t, n+1, step.edit); !strings.HasPrefix(got, step.want) {
			t.Errorf("trial %d: %s, want %s", n+1, got, step.want)
		}
	}
	s.WantFile("target", "")
	if entries, err := os.ReadDir(filepath.Join(state, warm.Folder)); err != nil || len(entries) != 2 {
		t.Errorf("kept: %v, %v", entries, err)
	}
}

// A link that leads to another file since leaves no result of the one before, although that is as old
// as what was built.
func TestWarmTrialsFollowLinks(t *testing.T) {
	s, _ := cargoSession(t, map[string]string{
		"Cargo.toml": crateFile, "v/good.rs": "pub const N: i32 = 7;\n", "v/bad.rs": "pub const N: i32 = 8;\n", "notes.txt": "one\n",
		"src/lib.rs": "mod cur;\n\n#[test]\nfn seven() { assert_eq!(cur::N, 7); }\n",
	})
	link := filepath.Join(s.Dir, "src", "cur.rs")
	for n, step := range []struct{ to, want string }{{"good.rs", "passed"}, {"bad.rs", "failed, as it did before"}} {
		_ = os.Remove(link)
		if err := os.Symlink("../v/"+step.to, link); err != nil {
			t.Fatal(err)
		}
		if got := cargoTry(s, t, n+1, agenttest.Edit("notes.txt", "one", "two")); !strings.HasPrefix(got, step.want) {
			t.Errorf("with %s: %s, want %s", step.to, got, step.want)
		}
	}
}

// What a build script writes into the workspace is gone after a trial, so the next one has it run again.
func TestWarmTrialsOfGeneratedSources(t *testing.T) {
	s, _ := cargoSession(t, map[string]string{
		"Cargo.toml": crateFile, "schema.txt": "7",
		"build.rs": "fn main() {\n    println!(\"cargo:rerun-if-changed=schema.txt\");\n" +
			"    let n = std::fs::read_to_string(\"schema.txt\").unwrap();\n    std::fs::write(\"src/gen.rs\", format!(\"pub const N: i32 = {n};\")).unwrap();\n}\n",
		"src/lib.rs": "mod gen;\n// a\n#[test]\nfn seven() { assert_eq!(gen::N, 7); }\n",
	})
	for n, text := range []string{"// b", "// c"} {
		if got := cargoTry(s, t, n+1, agenttest.Edit("src/lib.rs", "// a", text)); !strings.HasPrefix(got, "passed") {
			t.Errorf("trial %d: %s", n+1, got)
		}
	}
}

// What a test leaves beside its program is not there for the run without the plan's edits, nor for the
// next trial: a test that fails only the first time fails each time, and not because of the plan.
func TestWarmTrialsForgetWhatTestsLeave(t *testing.T) {
	s, _ := cargoSession(t, map[string]string{
		"Cargo.toml": crateFile, "notes.txt": "one\n",
		"src/lib.rs": "#[test]\nfn second() {\n    let state = std::env::current_exe().unwrap().with_file_name(\"state\");\n" +
			"    if !state.exists() {\n        std::fs::write(state, \"x\").unwrap();\n        panic!(\"the first time\");\n    }\n}\n",
	})
	for n := range 2 {
		if got := cargoTry(s, t, n+1, agenttest.Edit("notes.txt", "one", "two")); !strings.HasPrefix(got, "failed, as it did before") {
			t.Errorf("trial %d: %s", n+1, got)
		}
	}
}

// Nothing is kept of a text that looks like a secret, of a file that trials.show names, or of a
// command that does more than build; and no longer than the user allows trials.
func TestWhatIsNotKept(t *testing.T) {
	kept := func(state string) int {
		entries, _ := os.ReadDir(filepath.Join(state, warm.Folder))
		return len(entries)
	}
	for name, c := range map[string]struct {
		line, text string
		show       []string
		want       int
	}{
		"cargo":                  {line: "cargo check --offline", text: "b", want: 2},
		"a secret in the text":   {line: "cargo check --offline", text: "b -----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("// abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\n", 6) + "// -----END RSA " + "PRIVATE KEY-----"},
		"a secret that is shown": {line: "cargo check --offline", text: "b", show: []string{"key.pem"}},
		"another program":        {line: "cargo check --offline && cp Cargo.toml target/x", text: "b"},
	} {
		t.Run(name, func(t *testing.T) {
			s, state := cargoSession(t, map[string]string{"Cargo.toml": crateFile, "src/lib.rs": "// a\n"})
			s.Trials.Show = c.show
			s.Restart()
			s.Model.Will(agenttest.Reply{Calls: []model.Call{agenttest.Edit("src/lib.rs", "// a", "// "+c.text)}}, agenttest.Reply{Calls: []model.Call{agenttest.Try(c.line)}}, agenttest.Reply{Text: "Done."})
			s.Plan("change it")
			if got := s.TrialsOf(1); len(got) != 1 || !strings.Contains(got[0], ": passed") || kept(state) != c.want {
				t.Errorf("%q, and %d are kept, want %d", got, kept(state), c.want)
			}
			if err := s.Agent.Trials.Forbid(s.Context()); err != nil || kept(state) != 0 {
				t.Errorf("%v, and %d are kept of what is forbidden", err, kept(state))
			}
		})
	}
}

// A command that fails because the folder is in its way runs again without it.
func TestWarmTrialsInTheWay(t *testing.T) {
	s, state := cargoSession(t, map[string]string{
		"Cargo.toml": crateFile, "src/lib.rs": "// a\n#[test]\nfn cleans() { std::fs::remove_dir_all(\"target\").unwrap(); }\n",
	})
	if got := tryOnce(s, t, 1, "cargo test --offline --lib", agenttest.Edit("src/lib.rs", "// a", "// b")); !strings.HasPrefix(got, "passed") {
		t.Error(got)
	}
	if entries, _ := os.ReadDir(filepath.Join(state, warm.Folder)); len(entries) > 0 {
		t.Errorf("kept: %v", entries)
	}
}

// A second trial at the same time builds from nothing, and spoils nothing.
func TestWarmTrialsAtTheSameTime(t *testing.T) {
	s, state := cargoSession(t, map[string]string{"Cargo.toml": crateFile, "src/lib.rs": wrongSum, "notes.txt": "one\n"})
	keeper := warm.In(state)
	other := keeper.Take(s.Context(), warm.Build{Target: filepath.Join(realOf(t, s.Dir), "target"), Folders: []string{realOf(t, s.Dir)}, Most: 1 << 30})
	if other == nil {
		t.Fatal("there is no folder")
	}
	if got := cargoTry(s, t, 1, agenttest.Edit("src/lib.rs", "a - b", "a + b")); !strings.HasPrefix(got, "passed") {
		t.Error(got)
	}
	if entries, err := os.ReadDir(other.Kept().From); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	other.Return(warm.End{Known: true})
}

func realOf(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// Make's own results are those of the workspace: an edit that is rejected leaves nothing newer than
// its file.
func TestMakeTrialsForgetRejectedEdits(t *testing.T) {
	for _, program := range []string{"make", "cc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed: install it to run this test")
		}
	}
	const wrong = "int sum(int a, int b) { return a - b; }\nint main(void) { return sum(2, 3) != 5; }\n"
	s := tryingSession(t, map[string]string{"Makefile": "test: sum\n\t./sum\nsum: sum.c\n\tcc -o sum sum.c\n", "sum.c": wrong, "notes.txt": "one\n"})
	s.Trials.Kept = warm.In(t.TempDir())
	s.Restart()
	if out, err := exec.Command("make", "-C", s.Dir, "sum").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for n, step := range []struct {
		edit model.Call
		want string
	}{
		{agenttest.Edit("sum.c", "a - b", "a + b"), "passed"},
		{agenttest.Edit("notes.txt", "one", "two"), "failed, as it did before"},
		{agenttest.Edit("sum.c", "a - b", "b + a"), "passed"},
	} {
		if got := tryOnce(s, t, n+1, "make test", step.edit); !strings.HasPrefix(got, step.want) {
			t.Errorf("trial %d: %s, want %s", n+1, got, step.want)
		}
	}
}
