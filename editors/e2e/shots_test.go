package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"redline/internal/film"
)

// The eight steps of every user of Redline. Each editor has a test that takes them with real keys,
// TestEightStepsIn…, and keeps a picture of each.
const (
	stepRequest     = "1-request"      // send a request, and see that something happens
	stepSee         = "2-see"          // the proposed change in the user's text
	stepNavigate    = "3-navigate"     // the next change, in the next file
	stepApproveHunk = "4-approve-hunk" // one change approved: it is in the text
	stepRejectHunk  = "5-reject-hunk"  // another one rejected: it is no longer shown
	stepApprovePlan = "6-approve-plan" // the rest approved at once
	stepUndo        = "7-undo"         // the plan undone
	stepCancel      = "8-cancel"       // another request, cancelled while the turn runs
)

// shot keeps a picture of the screen, as DIR/EDITOR/STEP.svg, if the environment variable
// REDLINE_SHOTS names a folder DIR. The caller has waited for what the picture must show.
func (term *terminal) shot(editor, step string) {
	term.t.Helper()
	dir := os.Getenv("REDLINE_SHOTS")
	if dir == "" {
		return
	}
	socket, ok := term.tty.(tmux)
	if !ok {
		term.t.Fatal("only the screen of tmux has colours: take the picture there")
	}
	out, err := socket.command("capture-pane", "-e", "-N", "-p").Output()
	if err != nil {
		term.t.Fatal(err)
	}
	size, err := socket.command("display-message", "-p", "#{pane_width}").Output()
	if err != nil {
		term.t.Fatal(err)
	}
	columns, err := strconv.Atoi(strings.TrimSpace(string(size)))
	if err != nil {
		term.t.Fatal(err)
	}
	keepShot(term.t, filepath.Join(dir, editor, step+".svg"), film.Film{
		Title:  fmt.Sprintf("%s: %s", editor, step),
		Frames: []film.Frame{{Caption: editor + " " + step, Seconds: 1, Screen: film.Parse(string(out), columns)}},
	}.SVG())
}

func keepShot(t *testing.T, path string, picture []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, picture, 0o644); err != nil {
		t.Fatal(err)
	}
}
