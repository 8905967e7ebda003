package e2e

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"time"
)

// TestEightStepsInKate takes the eight steps in Markdown, the one language that the page configures
// for Redline.
func TestEightStepsInKate(t *testing.T) {
	path, version := findKate(t)
	t.Log(version)
	t.Parallel()
	w := newWorld(t, map[string]string{"notes.md": "# Notes\n\n", "greet.md": before, "other.md": before})
	w.withScripted()
	k := startKate(w, path, "other.md", "greet.md", "notes.md")
	k.output()

	since := len(k.relay.said(0))
	k.request(renameIn + "greet.md and other.md")
	k.says(since, "plan 1 is ready: 3 files")
	k.shot(stepRequest)
	w.has("greet.md", before)

	k.show("greet.md")
	k.proposed(true)
	k.line(4)
	k.info("-func greet() {}", hoverMark)
	k.shot(stepSee)
	k.press("Escape")
	k.popups(0)

	k.list()
	k.shot("3-list")
	k.intoText()
	k.show("other.md")
	k.proposed(true)
	k.line(4)
	k.shot(stepNavigate)

	k.acts("approve this change")
	k.shot("4-menu")
	k.press("Escape")
	k.popups(0)
	k.act("approve this change (plan 1, h")
	w.wantHunks("pending pending applied pending pending")
	k.shot(stepApproveHunk)

	k.line(6)
	k.act("reject this change (plan 1, h")
	w.wantHunks("pending pending applied rejected pending")
	k.proposed(false)
	k.shot(stepRejectHunk)

	k.show("greet.md")
	k.line(4)
	k.act("approve plan 1")
	w.wantPlan("completed", "applied applied applied rejected applied")
	k.saveAs("greet.md", after)
	k.shot(stepApprovePlan)

	k.act("undo plan 1")
	k.saveAs("greet.md", before)
	k.proposed(true)
	k.shot(stepUndo)
	k.show("other.md")
	k.saveAs("other.md", before)
	k.show("notes.md")
	k.save("notes.md")
	w.wantPlan("awaiting_approval", "pending pending pending rejected pending")

	k.output()
	k.request(think)
	happens(t, "the model thinks", w.model.begun, k.relay.lastSaid)
	since = len(k.relay.said(0))
	k.act("cancel the running turn")
	happens(t, "the model is left alone", w.model.left, k.relay.lastSaid)
	k.says(since, "the turn was cancelled")
	k.shot(stepCancel)
	k.quit()
}

// request writes a request at the end of the file in front and sends it.
func (k *kate) request(text string) {
	k.t.Helper()
	k.press("ctrl+End")
	k.write("<!-- redline: " + text + " -->")
	k.press("Return", "Up", "ctrl+Right") // on a word
	k.save("notes.md")
	k.act("plan this request")
}

// info shows the server's hover at the cursor, which must have these texts. Kate drops the popup if
// it is disturbed before it is drawn.
func (k *kate) info(texts ...string) {
	k.t.Helper()
	k.w.await("there is a popup", func() (string, bool) {
		since := len(k.relay.said(0))
		k.menu("alt+l", "y") // LSP Client, Symbol Info
		k.relay.awaitSaid(k.t, "the server knows "+strings.Join(texts, " and "), since, func(m string) bool {
			return strings.HasPrefix(m, "server:") && holds(m, texts...)
		})
		var all []window
		for begun := time.Now(); time.Since(begun) < patience/18; time.Sleep(20 * time.Millisecond) {
			if all, _ = k.windows("kate"); popupsIn(all) == 1 {
				return "", true
			}
		}
		return fmt.Sprint(all), false
	})
}

// proposed waits until changes are underlined in the file in front, or until none is.
func (k *kate) proposed(want bool) {
	k.t.Helper()
	k.w.await("changes are underlined", func() (string, bool) {
		return "", k.underlined() == want
	})
}

// underlined reports whether something is underlined in Kate's colour for information. Kate draws
// the line over a few pixels, some of them paler.
func (k *kate) underlined() bool {
	const enough = 30
	pixels, n := k.pixels(), 0
	for y := textArea.Min.Y; y < textArea.Max.Y; y++ {
		for x := textArea.Min.X; x < textArea.Max.X; x++ {
			r, g, b, _ := pixels.At(x, y).RGBA()
			if r>>12 == 0xd && g>>12 == 0xb && b>>12 == 0x6 {
				n++
			}
		}
	}
	return n > enough
}

// textArea is the area of the text in Kate's window when a list is open below it.
var textArea = image.Rect(83, 108, 1030, 530)

// output opens the server's messages, which Kate does not do by itself.
func (k *kate) output() {
	k.t.Helper()
	k.menu("alt+v", "v") // View, Tool Views
	k.popups(2)
	k.press("Down", "Down", "Return") // Show Output
	k.popups(0)
	k.intoText()
}

// list opens the list of changes.
func (k *kate) list() {
	k.t.Helper()
	k.menu("alt+l", "d") // LSP Client, Switch to Diagnostics Tab
	k.popups(0)
}

// intoText moves the focus to the text after a list below it has taken it: there is no key for
// that.
func (k *kate) intoText() {
	k.t.Helper()
	at := textArea.Max.Sub(image.Pt(50, 20))
	k.must("mousemove", fmt.Sprint(at.X), fmt.Sprint(at.Y), "click", "1", "mousemove", "1050", "750") // move the mouse to a place without a tooltip
}
