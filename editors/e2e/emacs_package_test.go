package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// packaged is an Emacs with the package that `redline init emacs` writes.
type packaged struct{ emacs }

// startPackaged shows a file in an Emacs that is configured only by what `redline init emacs`
// writes, and by the given lines of the user's own.
func startPackaged(w *world, path, file, text, more string) packaged {
	w.t.Helper()
	w.run(nil, filepath.Join(bin, "redline"), "init", "emacs", "--write")
	dir := filepath.Join(w.home, ".emacs.d")
	w.write(filepath.Join(dir, "early-init.el"), earlyInit)
	initFile := filepath.Join(dir, "init.el")
	lines, err := os.ReadFile(initFile)
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(initFile, string(lines)+more)
	return packaged{w.emacs(path, file, text)}
}

// ask sends a request to Redline with the page's keys.
func (p packaged) ask(request string) {
	p.t.Helper()
	p.press("C-c", "r", "r")
	p.terminal.shows("\nRedline")
	p.write(request)
	p.press("Enter")
}

// key presses a key of redline-command-map behind the prefix of the page.
func (p packaged) key(key string) {
	p.t.Helper()
	p.press("C-c", "r", key)
}

// proposes waits until the mode line counts n changes in the buffer.
func (p packaged) proposes(n string) {
	p.t.Helper()
	p.terminal.shows(" Redline[" + n + "]")
}

// settled waits until a whole mode line counts no change and names no work: a screen that Emacs is
// just drawing may have none. After a decision, wait before until the plan has its result, since
// that comes later.
func (p packaged) settled() {
	p.t.Helper()
	p.await("nothing is proposed here", func(screen string) bool {
		return modeLine.MatchString(screen) && !strings.Contains(screen, " Redline[")
	})
}

// modeLine is a whole mode line: "-UU-:**--F1  a.go  All L5  (Text Redline) ----".
var modeLine = regexp.MustCompile(`(?m)^-.*F1  .*\(.*\).* -+$`)

// eightSteps takes the eight steps with the page's keys, in two files of the same kind.
func (p packaged) eightSteps(w *world, name, first, second string) {
	t := p.t
	t.Helper()
	old := func(file string) string { data, _ := os.ReadFile(filepath.Join(w.dir, file)); return string(data) }
	oldFirst, oldSecond := old(first), old(second)

	p.ask(renameIn + first + " and " + second + ".")
	p.proposes("2")
	p.shot(name, stepRequest)

	p.press("C-x", "1", "M-<")
	p.key("n")
	p.terminal.shows("func greet() {}", "func salute() {}", "change 1 of 2 here: C-c r a approves, C-c r k rejects")
	p.shot(name, stepSee)
	p.key("n")
	p.terminal.shows("change 2 of 2 here")
	p.key("n")
	p.terminal.shows("change 1 of 2 here", " "+second+" ")
	p.shot(name, stepNavigate)
	p.key("p")
	p.terminal.shows("change 2 of 2 here", " "+first+" ")
	p.key("p")
	p.terminal.shows("change 1 of 2 here")

	p.key("a")
	p.proposes("1")
	p.await("it is in the text", func(screen string) bool { return !strings.Contains(screen, "func greet() {}") })
	p.shot(name, stepApproveHunk)
	p.key("n")
	p.terminal.shows("change 1 of 1 here")
	p.key("k")
	p.settled()
	p.shot(name, stepRejectHunk)
	w.wantPlanned("applied rejected pending pending", statuses)

	p.key("A")
	w.wantPlanned("applied rejected applied applied", statuses)
	p.terminal.shows("Not saved yet: ")
	p.shot(name, stepApprovePlan)

	p.key("u")
	w.wantPlanned("pending rejected pending pending", statuses)
	p.proposes("1")
	p.shot(name, stepUndo)
	p.press("C-x", "s", "!")
	w.awaitText(first, oldFirst)
	w.awaitText(second, oldSecond)

	p.ask(think)
	happens(t, "the model thinks", w.model.begun, p.screen)
	// lsp-mode shows its process numbers first, so the text after its hourglass may be cut off.
	p.await("Emacs shows that it thinks", func(screen string) bool {
		return strings.Contains(screen, "Redline["+think[:20]) || strings.Contains(screen, "⌛") || strings.Contains(screen, "\n[eglot] ")
	})
	p.key("c")
	happens(t, "the model is left alone", w.model.left, p.screen)
	p.terminal.shows("the turn was cancelled")
	p.shot(name, stepCancel)
}

// TestEightStepsInEmacs takes the eight steps where no other server serves the files: in a
// programming mode, in text, in Markdown without markdown-mode, and where Eglot runs Redline.
func TestEightStepsInEmacs(t *testing.T) {
	for name, files := range map[string][2]string{
		"emacs":          {"a.el", "b.el"},
		"emacs-text":     {"a.txt", "b.txt"},
		"emacs-markdown": {"a.md", "b.md"},
		"emacs-eglot":    {"a.txt", "b.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, version := editor(t, "REDLINE_EMACS", "emacs")
			t.Log(version)
			w := newWorld(t, map[string]string{files[0]: before, files[1]: before})
			w.withScripted()
			if name == "emacs-eglot" {
				findEmacs(t) // which has Eglot
				p := startConfigured(w, path, files[0], "func greet() {}", prefix+snippet(t, "emacs", "### Redline inside Eglot", "elisp"))
				p.terminal.shows("[eglot:")
				p.eightSteps(w, name, files[0], files[1])
				p.quit()
				return
			}
			p := startPackaged(w, path, files[0], "func greet() {}", `(add-to-list 'auto-mode-alist '("\\.md\\'" . fundamental-mode))`)
			p.eightSteps(w, name, files[0], files[1])
			p.quit()
		})
	}
}

// inGo is the files of the tests beside gopls: an error that gopls finds, and a name to complete.
var inGo = map[string]string{
	"go.mod": "module hello\n\ngo 1.21\n",
	"a.go":   before + "\nfunc broken() { undefinedName() }\n\nfunc calls() { st }\n",
	"b.go":   "package main\n\nfunc greet() {}\n\nfunc strongGreeting() { greet() }\n",
}

// TestEightStepsInEmacsBesideGopls takes the eight steps in Go code that gopls serves at the same
// time: with Redline's own connection beside Eglot, with both servers behind a multiplexer in
// Eglot, and with both in lsp-mode. Emacs shows the errors that gopls finds, and completes names.
func TestEightStepsInEmacsBesideGopls(t *testing.T) {
	for name, with := range map[string]func(t *testing.T, w *world, path, gopls string) packaged{
		"emacs-gopls": func(_ *testing.T, w *world, path, gopls string) packaged {
			p := startPackaged(w, path, "a.go", "func greet() {}", besideEglot(gopls))
			p.terminal.shows("[eglot:")
			return p
		},
		"emacs-rass": func(t *testing.T, w *world, path, gopls string) packaged {
			rass, _ := editor(t, "REDLINE_RASS", cached("rass"), "rass")
			lines := snippet(t, "emacs", "### With a multiplexer", "elisp")
			p := startConfigured(w, path, "a.go", "func greet() {}", goMode+prefix+replacing(lines, `"rass"`, rass, `"gopls"`, gopls))
			p.terminal.shows("[eglot:")
			return p
		},
		"emacs-lsp-mode": func(t *testing.T, w *world, path, gopls string) packaged {
			if out, err := exec.Command(path, "--batch", "--eval", "(require 'lsp-mode)").CombinedOutput(); err != nil {
				t.Skipf("Emacs has no lsp-mode: run .ci/install-editors (%s)", out)
			}
			lines := snippet(t, "emacs", "### In lsp-mode", "elisp")
			mine := fmt.Sprintf("(setq lsp-go-gopls-server-path %q lsp-auto-guess-root t)\n(add-hook 'go-mode-hook #'lsp)\n", gopls)
			p := startConfigured(w, path, "a.go", "func greet() {}", goMode+prefix+mine+lines)
			p.terminal.shows("LSP[", "gopls:", "redline:")
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, version := findEmacs(t)
			gopls, goplsVersion := findGopls(t)
			t.Log(version, goplsVersion)
			w := newWorld(t, inGo)
			w.withScripted()
			p := with(t, w, path, gopls)
			p.await("gopls shows its errors", regexp.MustCompile(`Flymake\[[1-9]`).MatchString)
			p.do("flymake-goto-next-error")
			p.terminal.shows("redeclared in this block")
			p.eightSteps(w, name, "a.go", "b.go")

			p.press("C-x", "1", "M->", "C-r")
			p.write("st }")
			p.press("Enter", "C-f", "C-f", "C-M-i") // completion-at-point, after the two letters
			p.terminal.shows("strongGreeting")
			if name == "emacs-gopls" {
				p.press("C-x", "1")
				p.do("flymake-goto-prev-error")
				p.key("f")
				p.terminal.shows("plan 2 is ready in words")
			}
			p.do("kill-emacs")
		})
	}
}

// Lines of the user's own: a mode for Go, which Emacs 28 lacks, and the keys of the page.
const (
	goMode = `(unless (fboundp 'go-mode) (define-derived-mode go-mode prog-mode "Go"))
(add-to-list 'auto-mode-alist '("\\.go\\'" . go-mode))
`
	prefix = "(with-eval-after-load 'redline (global-set-key (kbd \"C-c r\") redline-command-map))\n"
)

// replacing replaces Lisp strings by the paths of programs.
func replacing(lines string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		lines = strings.ReplaceAll(lines, pairs[i], strconv.Quote(pairs[i+1]))
	}
	return lines
}

// startConfigured shows a file in an Emacs that has the package and these lines as its init file.
func startConfigured(w *world, path, file, text, lines string) packaged {
	w.t.Helper()
	dir := filepath.Join(w.home, ".emacs.d")
	w.writePackage(filepath.Join(dir, "redline"))
	w.write(filepath.Join(dir, "early-init.el"), earlyInit)
	w.write(filepath.Join(dir, "init.el"), lines)
	return packaged{w.emacs(path, file, text)}
}

// besideEglot is how a user of Eglot sets up gopls for Go.
func besideEglot(gopls string) string {
	return goMode + `(require 'eglot)
(add-to-list 'eglot-server-programs '(go-mode . ("` + gopls + `")))
(add-hook 'go-mode-hook #'eglot-ensure)
`
}

// findGopls returns the gopls that .ci/install-editors installs, or one on the PATH.
func findGopls(t *testing.T) (path, version string) {
	t.Helper()
	for _, candidate := range []string{cached("gopls"), "gopls"} {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		if out, err := exec.Command(path, "version").Output(); err == nil {
			first, _, _ := strings.Cut(string(out), "\n")
			return path, first
		}
	}
	t.Skip("gopls is not here: run .ci/install-editors")
	return "", ""
}
