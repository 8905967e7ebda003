package commands

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/workspace/runner"
)

func TestCommandresultJudge(t *testing.T) {
	for _, c := range []struct {
		name    string
		outcome runner.Outcome
		err     error
		goesOn  bool
		ending  string
		want    Conclusion
	}{
		{"success", runner.Outcome{End: runner.Exited}, nil, false, "exit code 0", Conclusion{Succeeded: true, Continue: true}},
		{"failure", runner.Outcome{End: runner.Exited, ExitCode: 2}, nil, false, "exit code 2", Conclusion{}},
		{"failure that is allowed", runner.Outcome{End: runner.Exited, ExitCode: 2}, nil, true, "exit code 2", Conclusion{Continue: true}},
		{"signal", runner.Outcome{End: runner.Signalled, ExitCode: -1, Signal: "killed"}, nil, true, "It was ended by a signal (killed)", Conclusion{}},
		{"too long", runner.Outcome{End: runner.TimedOut, Took: 1512 * time.Millisecond}, nil, true, "It was ended after 1.5s, its time limit", Conclusion{}},
		{"cancelled", runner.Outcome{End: runner.Cancelled}, nil, true, "It was cancelled while it ran", Conclusion{}},
		{"lost", runner.Outcome{End: runner.Lost}, nil, true, "The process that watched it is gone, so it is not known how it ended", Conclusion{}},
		{"not started", runner.Outcome{}, errors.New("no such folder"), true, "It was not started: no such folder", Conclusion{}},
	} {
		o := Observe(c.outcome, c.err)
		if got := o.Ending(); got != c.ending {
			t.Errorf("%s: %q, want %q", c.name, got, c.ending)
		}
		if got := Conclude(o, c.goesOn, func() bool { return false }); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		awaited := c.want
		if c.name == "failure" { // only what has ended by itself is what a step can wait for
			awaited = Conclusion{Continue: true}
		}
		if got := Conclude(o, c.goesOn, func() bool { return true }); got != awaited {
			t.Errorf("%s, awaited: %+v, want %+v", c.name, got, awaited)
		}
	}
}

// A file that Redline keeps a command from writing is named with the folder that the user can open, a
// tool's as a whole. No setting opens the home folder, or one for keys.
func TestCommandresultRefused(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	other := t.TempDir()
	for _, name := range []string{".nvm/versions", ".tool/data", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(home, filepath.FromSlash(name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, ".profile"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	opens := func(list string) string { return " In your settings, commands.caches = " + list + " opens that." }
	const nothing = " No setting opens that: run it yourself, outside Redline."
	for file, want := range map[string]string{
		"~/.nvm/versions/node/v22":   opens(`["usual", "~/.nvm"]`),
		"~/.tool/data/a/b":           opens(`["usual", "~/.tool/data"]`),
		"~/.new/a/b":                 opens(`["usual", "~/.new"]`),
		"~/.cargo/bin/cargo-x":       opens(`["usual", "~/.cargo/bin"]`),
		"~/.local/share/pnpm/global": opens(`["usual", "~/.local/share/pnpm"]`),
		"~/src/main/.git/index.lock": opens(`["usual", "~/src/main/.git"]`),
		"~/.profile":                 nothing,
		"~/.ssh/known_hosts":         nothing,
		other + "/a/b":               opens(`["usual", "` + other + `"]`),
	} {
		full := strings.Replace(file, "~", home, 1)
		if got := commandRefused(full); got != "Commands can only read "+file+"."+want {
			t.Errorf("%s: %q", file, got)
		}
	}
	if got := RefusedByWorld(runner.Outcome{World: "overlay", Refused: []string{other + "/a", other + "/b"}}); got != "Trials can only read "+other+"/a and "+other+"/b. In your settings, trials.read = [\""+other+"\"] opens that." {
		t.Error(got)
	}
	if got := RefusedByWorld(runner.Outcome{World: "overlay", RefusedUnnamed: true}); got != "" {
		t.Error(got)
	}
	if got := RefusedByWorld(runner.Outcome{RefusedUnnamed: true}); !strings.Contains(got, "commands.caches") {
		t.Error(got)
	}
	if got := RefusedByWorld(runner.Outcome{}); got != "" {
		t.Error(got)
	}
}

func commandRefused(file string) string {
	return RefusedByWorld(runner.Outcome{Refused: []string{file}})
}
