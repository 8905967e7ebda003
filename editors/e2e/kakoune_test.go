package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// kakoune drives Kakoune with kakoune-lsp.
type kakoune struct{ *terminal }

// startKakoune shows a file in Kakoune, configured as the page says.
func startKakoune(w *world, path, file, text string) kakoune {
	w.t.Helper()
	w.write(filepath.Join(w.home, "config_home", "kak", "kakrc"), snippet(w.t, "kakoune", "# Redline in Kakoune", "kak"))
	w.env[0] += string(os.PathListSeparator) + filepath.Dir(cached("kak-lsp")) // after the machine's own PATH
	w.endsProcesses()                                                          // kakoune-lsp is a daemon
	k := kakoune{w.terminal(path, file)}
	k.normal(file, text)
	return k
}

func sitAtKakoune(w *world, path, _, file, text string) person {
	return startKakoune(w, path, file, text)
}

// findKakoune finds Kakoune where kakoune-lsp is there too. Kakoune itself knows no
// --version.
func findKakoune(t *testing.T) (path, version string) {
	t.Helper()
	path, version = answering(t, "REDLINE_KAK", "-version", "kak")
	_, lsp := answering(t, "REDLINE_KAK_LSP", "--version", "kak-lsp", cached("kak-lsp"))
	return path, version + ", " + lsp
}

// normal waits until Kakoune shows a file and is in normal mode. A message covers the file's name
// until a key is pressed.
func (k kakoune) normal(name string, texts ...string) {
	k.t.Helper()
	status := regexp.MustCompile(regexp.QuoteMeta(name) + ` \d+:\d+ .* sel`)
	again := time.Now().Add(patience / 90)
	k.await("Kakoune shows "+strings.Join(append(texts, name), " and "), func(screen string) bool {
		if !status.MatchString(lastLine(screen)) && time.Now().After(again) {
			k.press("Escape")
			again = time.Now().Add(patience / 90)
		}
		return status.MatchString(lastLine(screen)) && holds(screen, texts...)
	})
}

func (k kakoune) open(name, text string) {
	k.t.Helper()
	k.do("edit " + name)
	k.normal(name, text)
}

func (k kakoune) ask(request string) {
	k.t.Helper()
	k.do("redline " + request)
}

// act opens the code actions, types the letters of the title to filter them, and takes the first.
// (A space would insert the only one that is left.) A change that is still being verified is not
// offered yet, so act tries again until it is.
func (k kakoune) act(title, until string) {
	k.t.Helper()
	letters := strings.ReplaceAll(title, " ", "")
	k.await("there is a code action "+title, func(string) bool {
		k.do("lsp-code-actions")
		again := time.Now().Add(patience / 6)
		screen := k.await("the code actions are shown", func(screen string) bool {
			return len(kakouneMenu(screen)) > 0 || strings.Contains(screen, "no actions available") || time.Now().After(again)
		})
		if len(kakouneMenu(screen)) == 0 { // kakoune-lsp drops requests while a server starts
			k.press("Escape")
			return false
		}
		k.write(letters)
		var titles []string
		k.await("only what has these letters is listed", func(screen string) bool {
			titles = kakouneMenu(screen)
			return strings.HasPrefix(lastLine(screen), letters) &&
				!slices.ContainsFunc(titles, func(title string) bool { return !hasInOrder(title, letters) })
		})
		if len(titles) > 0 && strings.HasPrefix(titles[0], title) {
			k.press("Enter")
			return true
		}
		k.press("Escape")
		k.await("the menu is closed", func(screen string) bool { return len(kakouneMenu(screen)) == 0 })
		return false
	})
	k.await("the menu is closed", func(screen string) bool { return len(kakouneMenu(screen)) == 0 })
	k.shows(until)
}

// hasInOrder reports whether a text has the letters in this order, with others between
// them.
func hasInOrder(text, letters string) bool {
	for _, letter := range letters {
		i := strings.IndexRune(text, letter)
		if i < 0 {
			return false
		}
		text = text[i+utf8.RuneLen(letter):]
	}
	return true
}

// kakouneMenu returns the titles in a menu of code actions. Short titles share a line; with several
// servers, each title follows the server's name.
func kakouneMenu(screen string) (titles []string) {
	for line := range strings.Lines(screen) {
		line = strings.TrimRight(line, "█░ \n")
		if !strings.HasPrefix(strings.TrimPrefix(line, "[redline] "), actionMark) {
			continue
		}
		for _, title := range strings.Split(line, actionMark)[1:] {
			titles = append(titles, strings.TrimSpace(strings.TrimSuffix(title, "[redline] ")))
		}
	}
	return titles
}

// actionMark is what the titles of all code actions begin with.
const actionMark = "Redline: "

func (k kakoune) preview() { k.open(".redline/plans/0001-r1.md", "# Plan 1, revision 1") }

func (k kakoune) top() { k.press("g", "g") }

func (k kakoune) next() {
	k.t.Helper()
	k.await("a change is proposed", kakouneFlag.MatchString)
	k.do("lsp-find-error info")
}

// kakouneFlag is beside the first line of a proposed change.
var kakouneFlag = regexp.MustCompile(`(?m)^i`)

func (k kakoune) previous() { k.do("lsp-find-error --previous info") }

func (k kakoune) peek(texts ...string) {
	k.t.Helper()
	k.do("lsp-hover")
	k.shows(append(texts, hoverMark)...)
	k.press("Escape")
	k.await("the popup is closed", func(screen string) bool { return !strings.Contains(screen, hoverMark) })
}

// bereft learns by asking that the server has ended: Kakoune does not report it.
func (k kakoune) bereft() {}

func (k kakoune) restart() {
	k.t.Helper()
	k.do("lsp-restart")
	k.shows("Restarted LSP servers")
}

func (k kakoune) save() {
	k.t.Helper()
	k.do("write-all")
	k.await("all is saved", func(screen string) bool { return !strings.Contains(screen, "[+]") })
}

func (k kakoune) quit() {
	k.t.Helper()
	k.end("kill!")
}

// TestKakouneAlone works in a file whose server is not installed, and in one of a type that Kakoune
// does not know.
func TestKakouneAlone(t *testing.T) {
	path, _ := findKakoune(t)
	for _, file := range []string{"greet.cr", "greet.abc"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{file: before})
			k := startKakoune(w, path, file, "func greet() {}")
			k.ask("rename greet to salute in " + file)
			k.shows("plan 1 is ready")
			k.top()
			k.next()
			k.act("approve plan 1", "func salute() {}")
			w.wantPlan("completed", "applied applied")
			k.quit()
		})
	}
}

// TestEightStepsInKakoune takes the eight steps in files whose server is not installed: another
// server's diagnostics on half-made changes would cover the text.
func TestEightStepsInKakoune(t *testing.T) {
	path, version := findKakoune(t)
	t.Log(version)
	w := newWorld(t, map[string]string{"greet.cr": before, "other/greet.cr": before})
	w.withScripted()
	k := startKakoune(w, path, "greet.cr", "func greet() {}")
	const name = "kakoune"

	k.ask(renameIn + `greet.cr and other/greet.cr, but don't touch "main"`)
	k.shows("Redline is working.")
	k.shot(name, stepRequest)
	k.shows("plan 1 is ready: 2 files")
	w.has("greet.cr", before)

	k.top()
	k.next()
	k.do("lsp-hover")
	k.shows("-func greet() {}", "+func salute() {}", hoverMark)
	k.shot(name, stepSee)
	k.press("Escape")

	k.do("lsp-diagnostics")
	k.shows("*diagnostics*", "other/greet.cr:3", "change 3 of 4")
	k.shot(name, "3-list")
	k.write("/other.greet.cr:3")
	k.press("Enter", "Enter")
	k.normal("other/greet.cr", "func greet() {}")
	k.next()
	k.shot(name, stepNavigate)

	k.top()
	k.next()
	k.do("lsp-code-actions")
	k.await("the code actions are shown", func(screen string) bool { return len(kakouneMenu(screen)) > 0 })
	k.shot(name, "4-menu")
	k.press("Escape")
	k.await("the menu is closed", func(screen string) bool { return len(kakouneMenu(screen)) == 0 })
	k.act("approve this change (plan 1, h", "func salute() {}")
	k.shows("func main() { greet() }")
	k.shot(name, stepApproveHunk)

	k.shows("1 change in 1 file applied")
	k.do("lsp-find-error info")
	k.shows("other/greet.cr 6:1 ")
	k.act("reject this change (plan 1, h", "func main() { greet() }")
	w.wantHunks("pending pending applied rejected")
	k.await("no change is proposed here", func(screen string) bool { return !kakouneFlag.MatchString(screen) })
	k.shot(name, stepRejectHunk)

	k.open("greet.cr", "func greet() {}")
	k.act("approve plan 1", "func salute() {}")
	k.shows("func main() { salute() }")
	w.wantPlan("completed", "applied applied applied rejected")
	w.awaitText("greet.cr", after)
	k.shot(name, stepApprovePlan)

	k.act("undo plan 1", "func greet() {}")
	k.shows("func main() { greet() }")
	w.wantPlan("awaiting_approval", "pending pending pending rejected")
	w.awaitText("greet.cr", before)
	w.awaitText("other/greet.cr", before)
	k.shot(name, stepUndo)

	k.ask(think)
	happens(t, "the model thinks", w.model.begun, k.screen)
	k.act("cancel the running turn", "the turn was cancelled")
	happens(t, "the model is left alone", w.model.left, k.screen)
	k.shot(name, stepCancel)
	k.quit()
}
