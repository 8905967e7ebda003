package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kate drives Kate by keys, and by the mouse where there is no key. The content of a window cannot
// be read, so the tests wait for windows, for their titles, and for messages between Kate and the
// server.
type kate struct {
	*display
	w     *world
	relay *relay
	files []string // in the order of their tabs
	ended <-chan struct{}
}

// findKate finds Kate, which needs a screen even to print its version.
func findKate(t *testing.T) (path, version string) {
	t.Helper()
	name := os.Getenv("REDLINE_KATE")
	if name == "" {
		name = "kate"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not here: run .ci/install-editors --kate, or name one in REDLINE_KATE", name)
	}
	cmd := exec.Command(path, "--version")
	cmd.Env = append(os.Environ(), "QT_QPA_PLATFORM=offscreen")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s does not start: %v: run .ci/install-editors --kate", path, err)
	}
	return path, strings.TrimSpace(string(out))
}

// startKate sets Kate up with `redline init kate --write`, shows files in it, the last one in
// front, and lets it start the server.
func startKate(w *world, path string, files ...string) *kate {
	w.t.Helper()
	init := exec.Command(filepath.Join(bin, "redline"), "init", "kate", "--write")
	init.Env = w.env
	if out, err := init.CombinedOutput(); err != nil {
		w.t.Fatalf("redline init kate: %v\n%s", err, out)
	}
	k := &kate{w: w, relay: w.relayed(), files: files}
	k.display = w.display()
	w.t.Cleanup(func() {
		if w.t.Failed() {
			k.shot("failed")
		}
	})
	k.ended = k.start(w, nil, "dbus-run-session", append([]string{"--", path, "--startanon", "--new"}, files...)...)
	k.awaitWindow("LSP server start requested", func(id string) bool {
		if k.focused(id) {
			k.press("Return")
			return true
		}
		return false
	})
	k.front(files[len(files)-1])
	k.opened(files[len(files)-1])
	return k
}

// awaitWindow waits until there is a window whose title begins with the text and that meets the
// condition.
func (k *kate) awaitWindow(title string, condition func(id string) bool) {
	k.t.Helper()
	k.w.await("there is a window "+title, func() (string, bool) {
		all, _ := k.windows("kate")
		i := slices.IndexFunc(all, func(w window) bool { return strings.HasPrefix(w.title, title) })
		return fmt.Sprint(all), i >= 0 && condition(all[i].id)
	})
}

// front waits until a file is shown and has the keyboard focus.
func (k *kate) front(name string) {
	k.t.Helper()
	k.popups(0)
	k.awaitWindow(filepath.Base(name)+" ", k.focused)
}

// opened waits until the server knows a file.
func (k *kate) opened(name string) {
	k.t.Helper()
	k.relay.awaitSaid(k.t, name+" is open", 0, func(m string) bool {
		return strings.HasPrefix(m, "editor:") && strings.Contains(m, "textDocument/didOpen") && strings.Contains(m, "/"+name+`"`)
	})
}

// popups waits until this number of menus or popups is shown.
func (k *kate) popups(n int) {
	k.t.Helper()
	k.w.await(fmt.Sprintf("%d popups are shown", n), func() (string, bool) {
		all, ok := k.windows("kate")
		return fmt.Sprint(all), ok && popupsIn(all) == n
	})
}

// popupsIn counts the popups among windows: their title is only the program's name.
func popupsIn(all []window) (n int) {
	for _, w := range all {
		if w.title == "Kate" || w.title == "kate" || w.title == "" {
			n++
		}
	}
	return n
}

// show changes tabs until a file is in front.
func (k *kate) show(name string) {
	k.t.Helper()
	k.popups(0)
	was := -1
	k.w.await("a tab shows "+name, func() (string, bool) {
		all, ok := k.windows("kate")
		if !ok || len(all) != 1 {
			return fmt.Sprint(all), false
		}
		title, _, _ := strings.Cut(all[0].title, " ")
		switch tab, wanted := slices.Index(k.files, title), slices.Index(k.files, name); {
		case tab == was: // the last key has not taken effect yet
		case tab < wanted:
			k.press("alt+Right")
			was = tab
		case tab > wanted:
			k.press("alt+Left")
			was = tab
		}
		return title, title == name
	})
	k.front(name)
	k.opened(name)
}

// menu opens the menu of a key, and presses the key of each of its entries.
func (k *kate) menu(key string, entries ...string) {
	k.t.Helper()
	k.press(key)
	k.popups(1)
	for _, entry := range entries {
		k.press(entry)
	}
}

// acts opens the menu of code actions until it has one whose title begins with this text, and
// returns the action's index.
func (k *kate) acts(title string) (place int) {
	k.t.Helper()
	k.w.await("there is a code action "+title, func() (string, bool) {
		since := len(k.relay.said(0))
		k.press("alt+Return")
		titles, asked := k.offered(since)
		if len(titles) == 0 {
			return fmt.Sprintf("offered nothing (asked: %v)", asked), false
		}
		k.popups(1)
		place = slices.IndexFunc(titles, func(t string) bool { return strings.HasPrefix(t, actionMark+title) })
		if place < 0 {
			k.press("Escape")
			k.popups(0)
		}
		return fmt.Sprintf("offered %q", titles), place >= 0
	})
	return place
}

// offered waits for the server's answer to the code actions that Kate requests from byte n of the
// log on, and returns their titles. Kate may request none while a server starts.
func (k *kate) offered(n int) (titles []string, asked bool) {
	k.t.Helper()
	for begun := time.Now(); time.Since(begun) < patience/9; time.Sleep(20 * time.Millisecond) {
		var id string
		for line := range strings.Lines(k.relay.said(n)) {
			var m struct {
				message
				Result []struct{ Title string }
			}
			from, body, _ := strings.Cut(line, " ")
			if json.Unmarshal([]byte(body), &m) != nil {
				continue
			}
			switch {
			case from == "editor:" && m.Method == "textDocument/codeAction":
				id, asked = string(m.ID), true
			case from == "server:" && m.Method == "" && asked && string(m.ID) == id:
				for _, action := range m.Result {
					titles = append(titles, action.Title)
				}
				return titles, true
			}
		}
	}
	return nil, asked
}

// act takes a code action whose title begins with this text.
func (k *kate) act(title string) {
	k.t.Helper()
	place := k.acts(title)
	k.take(place)
}

// take takes an action of the menu that is open.
func (k *kate) take(place int) {
	k.t.Helper()
	for range place + 1 {
		k.press("Down")
	}
	k.press("Return")
	k.popups(0)
}

// says waits until the server shows a text to the user, from byte n of the log on.
func (k *kate) says(n int, text string) {
	k.t.Helper()
	k.relay.awaitSaid(k.t, "the server says "+text, n, func(m string) bool {
		return strings.HasPrefix(m, "server:") && strings.Contains(m, "window/") && strings.Contains(m, text)
	})
}

// save saves the file in front, once its title shows that it is modified.
func (k *kate) save(name string) {
	k.t.Helper()
	k.awaitWindow(filepath.Base(name)+" * — Kate", k.focused)
	k.press("ctrl+s")
	k.awaitWindow(filepath.Base(name)+"  — Kate", k.focused)
}

// saveAs saves the file in front and checks its content on disk.
func (k *kate) saveAs(name, want string) {
	k.t.Helper()
	k.save(name)
	k.w.awaitText(name, want)
}

// shot keeps a picture of the screen, as DIR/kate/STEP.png, if the environment variable
// REDLINE_SHOTS names a folder DIR. The caller has waited for what the picture must show.
func (k *kate) shot(step string) {
	k.t.Helper()
	if dir := os.Getenv("REDLINE_SHOTS"); dir != "" {
		k.keep(filepath.Join(dir, "kate", step+".png"))
	}
}

// line puts the cursor at the start of a line, counted from 1.
func (k *kate) line(n int) {
	k.t.Helper()
	k.press("ctrl+Home")
	for range n - 1 {
		k.press("Down")
	}
}

// quit ends Kate, which has no unsaved file.
func (k *kate) quit() {
	k.t.Helper()
	k.press("ctrl+q")
	select {
	case <-k.ended:
	case <-time.After(patience):
		k.t.Fatal("waited in vain until Kate ended")
	}
}
