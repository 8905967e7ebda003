package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestServerMissing shows that each editor reports a missing server when a request is sent, if it
// cannot find the program.
func TestServerMissing(t *testing.T) {
	ask := map[string]func(w *world, path, version, file string){
		"helix": func(w *world, path, _, file string) {
			h := startHelix(w, path, file, "# People")
			h.do(`lsp-workspace-command redline.chat "hello"`)
			h.shows("not supported")
		},
		"emacs": func(w *world, path, _, file string) {
			e := openEmacs(w, path, file, "# People")
			e.do("redline") // it asks for no request
			e.shows("Redline does not run here")
		},
		"kakoune": func(w *world, path, _, file string) {
			k := startKakoune(w, path, file, "# People")
			k.ask("hello")
			k.shows("Redline does not run here")
		},
		"neovim": func(w *world, path, version, file string) {
			n := startNeovim(w, path, version, file, "# People")
			n.ask("hello")
			n.shows("Redline does not run here")
		},
	}
	ask["neovim-newest"] = ask["neovim"]
	for _, at := range places {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			path, version := at.editor(t)
			w := newWorld(t, map[string]string{at.file: people})
			w.env[0] = "PATH=" + strings.Join(withoutRedline(), string(os.PathListSeparator))
			ask[at.name](w, path, version, at.file)
		})
	}
}

// withoutRedline is a PATH without Redline's program.
func withoutRedline() []string {
	return slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "redline"))
		return err == nil
	})
}

// TestServerKilled shows that each editor reports that its server has ended, and starts it again or
// offers to, and that a pending plan is then still there, whole.
func TestServerKilled(t *testing.T) {
	prepare := func(w *world) { w.relayed() }
	eachPlace(t, map[string]string{"people": people}, "people", prepare, func(t *testing.T, w *world, p person, name func(string) string) {
		file := name("people")
		p.ask("rename greet to salute in " + file)
		p.shows("plan 1 is ready")
		p.preview()
		p.open(file, "greet Ada")
		p.top()
		p.next()
		p.act("approve this change (plan 1, h1)", "salute Ada")
		w.wantPlan("reviewing", "applied pending pending pending")

		w.relay.kill(t)
		p.bereft()
		p.restart()
		p.act("approve plan 1", "salute Cyd")
		w.wantPlan("completed", "applied applied applied applied")
		p.save()
		p.quit()
		w.has(file, strings.ReplaceAll(people, "greet", "salute"))
	})
}

// TestServerKilledWhileItApplies shows that nothing is lost and nothing is applied twice if the
// server is killed in the middle of an approval, at the second of two files: right after the editor
// has made the edit, and before the editor has seen it.
func TestServerKilledWhileItApplies(t *testing.T) {
	for _, rule := range []string{lose, kill} {
		t.Run(rule, func(t *testing.T) {
			prepare := func(w *world) { w.relayed() }
			files := map[string]string{"a": "greet Ada\n", "b": "greet Ben\n"}
			eachPlace(t, files, "a", prepare, func(t *testing.T, w *world, p person, name func(string) string) {
				if w.writes {
					t.Skip("kakoune-lsp answers for an edit before it is made, and now and then drops it when the server ends")
				}
				p.ask("rename greet to salute in *")
				p.shows("plan 1 is ready")
				p.preview()
				p.open(name("a"), "greet Ada")
				w.relay.rule(t, rule, name("b"))
				p.act("approve plan 1", "salute Ada")
				p.bereft()
				p.restart()
				p.shows("salute Ada")
				if rule == kill {
					w.wantHunks("applied pending")
					p.open(name("b"), "greet Ben")
					p.act("approve plan 1", "salute Ben")
				}
				w.wantPlan("completed", "applied applied")
				p.open(name("b"), "salute Ben")
				p.save()
				p.quit()
				w.has(name("a"), "salute Ada\n")
				w.has(name("b"), "salute Ben\n")
			})
		})
	}
}
