package e2e

import "testing"

// TestTabsInHelix shows a proposed change in a file with tabs. Helix prints the text of a message
// unchanged, and a tab in it would shift the rest of the screen. The lines of the diff must be on
// the screen, from their signs to their ends.
func TestTabsInHelix(t *testing.T) {
	path, version := findHelix(t)
	t.Log(version)
	const text = "package main\n\nfunc main() {\n\tif true {\n\t\tgreet(\t1)\n\t}\n}\n"
	w := newWorld(t, map[string]string{"main.go": text})
	h := startHelix(w, path, "main.go", "greet(")
	h.ask("rename greet to salute in *.go")
	h.preview()
	h.open("main.go", "change 1 of 1, plan 1")
	h.top()
	h.next()
	h.shows("salute( 1) · change 1 of 1, plan 1", "-        greet(  1)", "+        salute( 1)")
	h.shows(" 6      }", " 7  }")
	h.quit()
}
