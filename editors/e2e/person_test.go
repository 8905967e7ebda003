package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// person is a user of an editor without a plugin, who presses the keys that the editor's page
// names. Each function waits until the screen shows its result.
type person interface {
	ask(request string)      // sends a request to Redline
	preview()                // opens the preview of plan 1
	open(name, text string)  // shows a file of the workspace that contains a text
	top()                    // goes to the start of the file
	next()                   // goes to the next proposed change
	previous()               // goes to the previous one
	peek(texts ...string)    // opens the hover of the change at the cursor and closes it again
	act(title, until string) // takes a code action, until the screen shows a text
	bereft()                 // waits until the editor reports that its server has ended
	restart()                // starts the server again
	save()                   // saves all files
	quit()                   // ends the editor
	shows(texts ...string)   // waits until the screen shows these
	await(what string, condition func(screen string) bool) string
	screen() string
}

// place is an editor and a kind of file for which its page configures Redline.
type place struct {
	name   string
	file   string // its name in the workspace
	editor func(t *testing.T) (path, version string)
	sit    func(w *world, path, version, file, text string) person // starts the editor, which shows the text
	writes bool                                                    // the editor saves at once what a server changes in a saved file
}

// places are the editors that need no plugin of ours.
var places = []place{
	{"helix", "people.md", findHelix, sitAtHelix, false},
	{"emacs", "people.txt", findEmacs, sitAtEmacs, false},
	{"neovim", "people.md", findNeovim, sitAtNeovim, false},
	{"neovim-newest", "people.md", findNewestNeovim, sitAtNeovim, false},
	{"kakoune", "people.md", findKakoune, sitAtKakoune, true},
}

// hoverMark is text that editors show in the hover of a proposed change, and nowhere else on a
// screen.
const hoverMark = "(match: exact)"

func sitAtHelix(w *world, path, _, file, text string) person { return startHelix(w, path, file, text) }

func sitAtEmacs(w *world, path, _, file, text string) person { return startEmacs(w, path, file, text) }

func sitAtNeovim(w *world, path, version, file, text string) person {
	n := startNeovim(w, path, version, file, text)
	n.served()
	return n
}

func findHelix(t *testing.T) (path, version string) {
	return editor(t, "REDLINE_HX", "hx", cached("hx"))
}

func findNeovim(t *testing.T) (path, version string) { return editor(t, "REDLINE_NVIM", "nvim") }

func findNewestNeovim(t *testing.T) (path, version string) {
	return editor(t, "REDLINE_NVIM_NEW", cached("nvim"))
}

func findEmacs(t *testing.T) (path, version string) {
	path, version = editor(t, "REDLINE_EMACS", "emacs")
	if out, err := exec.Command(path, "--batch", "--eval", "(require 'eglot)").CombinedOutput(); err != nil {
		t.Skipf("Emacs has no Eglot: run .ci/install-editors (%s)", out)
	}
	return path, version
}

// eachPlace runs a test in the editors that need no plugin. files are the workspace's files, by
// names with the extension of the place's file; the first one is shown. prepare, which may be nil,
// runs before the editor.
func eachPlace(t *testing.T, files map[string]string, first string, prepare func(w *world), test func(t *testing.T, w *world, p person, name func(string) string)) {
	for _, at := range places {
		t.Run(at.name, func(t *testing.T) {
			t.Parallel()
			path, version := at.editor(t)
			t.Log(version)
			name := func(stem string) string { return stem + filepath.Ext(at.file) }
			texts := map[string]string{}
			for stem, text := range files {
				texts[name(stem)] = text
			}
			w := newWorld(t, texts)
			w.writes = at.writes
			if prepare != nil {
				prepare(w)
			}
			test(t, w, at.sit(w, path, version, name(first), firstLine(files[first])), name)
		})
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
