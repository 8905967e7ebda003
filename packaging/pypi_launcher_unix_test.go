//go:build unix

package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// entryPoint returns the script redline-lsp, as pip lays it out, which starts a given program.
func entryPoint(t *testing.T, program string) string {
	t.Helper()
	python := need(t, "python3", howPython)
	site := t.TempDir()
	for _, name := range []string{"__init__.py", "__main__.py"} {
		text, err := os.ReadFile(filepath.Join("pypi/redline_lsp", name))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(site, "redline_lsp", name), string(text), 0o644)
	}
	writeFile(t, filepath.Join(site, "redline_lsp-1.2.3.dist-info/METADATA"), "Metadata-Version: 2.4\nName: redline-lsp\nVersion: 1.2.3\n", 0o644)
	record := ""
	if program != "" {
		record = "redline_lsp/__init__.py,,\nbin/redline,,\n"
		if err := os.Mkdir(filepath.Join(site, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(program, filepath.Join(site, "bin/redline")); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(site, "redline_lsp-1.2.3.dist-info/RECORD"), record, 0o644)
	script := filepath.Join(site, "redline-lsp")
	writeFile(t, script, "#!"+python+"\nimport sys\nsys.path.insert(0, "+`"`+site+`"`+")\nfrom redline_lsp import main\nsys.exit(main())\n", 0o755)
	return script
}

// The script redline-lsp becomes the program: it has its arguments, its signals and its end.
func TestPyPIEntryPoint(t *testing.T) {
	for text, want := range map[string]string{
		`echo "$1,$2"; exit 0`: "a b,--c\n: exit status 0",
		`echo out >&2; exit 3`: "out\n: exit status 3",
		`kill -KILL $$`:        ": signal: killed",
		`kill -INT $$`:         ": signal: interrupt",
		`kill -PIPE $$`:        ": signal: broken pipe", // Python ignores this one, but not for the program
	} {
		cmd := isolated(t, entryPoint(t, script(t, text)), "a b", "--c")
		out, _ := cmd.CombinedOutput() // its error is the state
		if got := string(out) + ": " + cmd.ProcessState.String(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	program := thisProgram(t)
	sameEnd(t, program, entryPoint(t, program), syscall.SIGTERM)
}

// On Windows, where a process cannot become another one, its status is passed on.
func TestPyPIEntryPointRuns(t *testing.T) {
	site := filepath.Dir(entryPoint(t, ""))
	cmd := isolated(t, "python3", "-c", `import redline_lsp; redline_lsp.run(["/bin/sh", "-c", "echo out; exit 3"])`)
	cmd.Env = append(cmd.Env, "PYTHONPATH="+site)
	out, _ := cmd.CombinedOutput() // its error is the state
	if got := string(out) + ": " + cmd.ProcessState.String(); got != "out\n: exit status 3" {
		t.Errorf("got %q", got)
	}
}

func TestPyPIEntryPointWithoutProgram(t *testing.T) {
	for program, want := range map[string]string{
		"":         "is not in the list of installed files: install redline-lsp again.",
		"/nowhere": "cannot be started: No such file or directory. Install redline-lsp again.",
	} {
		out, err := isolated(t, entryPoint(t, program), "serve").CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("want %q, got %v and:\n%s", want, err, out)
		}
	}
}
