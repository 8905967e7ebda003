package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// quick is the longest time that a newcomer may need until the first approved edit.
const quick = 3 * time.Minute

// newcomer is a person at a shell who has a repository, an empty home and the program. It records
// the time of each step.
type newcomer struct {
	*terminal
	w     *world
	model string // the base URL of an endpoint on this machine
	began time.Time
	marks []string
}

// arrive starts a newcomer's shell, and an endpoint whose address the newcomer knows.
func arrive(t *testing.T) *newcomer {
	t.Helper()
	t.Parallel()
	w := newWorld(t, till)
	server := httptest.NewServer(http.HandlerFunc(answerNewcomer))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return &newcomer{terminal: w.shell(100, 40), w: w, model: server.URL + "/v1", began: time.Now()}
}

// answerNewcomer is a model that answers the question of `redline setup`, and a request to charge
// shipping.
func answerNewcomer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":[{"id":"first-model"},{"id":"other-model"}]}`)
		return
	}
	var request struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.Messages) == 0 {
		http.NotFound(w, r)
		return
	}
	last := request.Messages[len(request.Messages)-1]
	content := fmt.Sprint(last.Content)
	w.Header().Set("Content-Type", "text/event-stream")
	switch {
	case last.Role == "tool":
		say(w, map[string]any{"content": "That is done."}, "stop")
	case strings.Contains(content, "hello.txt"):
		call(w, "read_file", map[string]any{"path": "hello.txt"})
	case strings.Contains(content, "charge shipping"):
		call(w, "edit_file", map[string]any{"path": "prices.go", "old_string": "\treturn food + books\n", "new_string": "\treturn food + books + shipping\n"})
	default:
		say(w, map[string]any{"content": "I know nothing about that."}, "stop")
	}
}

// mark records that a step is done.
func (n *newcomer) mark(step string) {
	n.marks = append(n.marks, fmt.Sprintf("%s %.1f s", step, time.Since(n.began).Seconds()))
}

// prompt waits until the shell shows its prompt again.
func (n *newcomer) prompt() {
	n.t.Helper()
	n.await("the shell asks", func(screen string) bool { return lastLine(screen) == "$" })
}

// connect runs `redline init` to write the editor's configuration, and reads from its output what
// to type.
func (n *newcomer) connect(editor, next string) {
	n.t.Helper()
	n.command("redline init " + editor)
	n.shows("Write this [y,n,?]?")
	n.says("y", "wrote ", "Next: ", next, "`redline setup` connects a model.")
	n.prompt()
	n.mark("connected")
}

// setUp connects the endpoint with `redline setup`, and takes the default answer wherever it is
// right.
func (n *newcomer) setUp() {
	n.t.Helper()
	n.command("clear; redline setup")
	n.shows("Which model provider should Redline ask?", "A number or a name [1]:")
	n.says("another", "Its base URL, ")
	n.says(strings.TrimPrefix(n.model, "http://"), "Where is the key?", "1  it needs no key", "A number or a name [1]:")
	n.says("", "Which model?", "1  first-model")
	n.says("", "ok tools", "Write this? [Y/n]")
	n.says("", "Written.")
	n.prompt()
	n.mark("model")
}

// done waits until the approved edit is saved, and reports the times.
func (n *newcomer) done() {
	n.t.Helper()
	n.w.awaitText("prices.go", strings.Replace(till["prices.go"], "return food + books\n", "return food + books + shipping\n", 1))
	n.mark("approved and saved")
	n.t.Logf("from nothing: %s", strings.Join(n.marks, ", "))
	if took := time.Since(n.began); took > quick {
		n.t.Errorf("it took %v, more than %v: %s", took, quick, strings.Join(n.marks, ", "))
	}
}

// proposed is what a newcomer sees of the plan.
const proposed = "return food + books + shipping"

func TestFromNothingInNeovim(t *testing.T) {
	path, version := findNewestNeovim(t)
	n := arrive(t)
	t.Log(version)
	n.connect("nvim", ":Redline rename greet to salute")
	n.setUp()

	server := n.w.listening(path, "-n", "prices.go") // its screen is another process, see screened
	s := &screened{n.w.terminal(path, "--server", server.socket, "--remote-ui"), nil}
	s.shows("func Total", "prices.go")
	n.mark("editor")
	s.command("Redline charge shipping")
	s.shows("is ready: 1 file, +1 −1. ]r goes to a change, \\ra approves it.", proposed)
	n.mark("plan")
	n.w.has("prices.go", till["prices.go"])
	s.write("]r")
	s.write(`\ra`)
	s.shows("Not saved yet: prices.go.", "[+]")
	s.command("wa")
	n.done()
}

func TestFromNothingInHelix(t *testing.T) {
	path, version := findHelix(t)
	n := arrive(t)
	t.Log(version)
	n.connect("helix", "Next: open a file of one of these languages in Helix and ask: :lsp-workspace-command")
	n.setUp()

	n.command("clear; " + path + " prices.go")
	h := helix{n.terminal}
	h.normal("prices.go", "func Total")
	n.mark("editor")
	h.ask("charge shipping")
	h.shows("# Plan 1, revision 1", "is ready: 1 file, +1 −1.")
	n.mark("plan")
	n.w.has("prices.go", till["prices.go"])
	h.press("g", "a")
	h.normal("prices.go", "func Total", proposed+" · change 1 of 1, plan 1")
	h.next()
	h.first("approve this change")
	h.press("Enter")
	h.shows("prices.go [+]", "Not saved yet: prices.go.")
	h.save()
	n.done()
	h.do("quit-all")
	n.prompt()
}

func TestFromNothingInEmacs(t *testing.T) {
	path, version := editor(t, "REDLINE_EMACS", "emacs")
	n := arrive(t)
	t.Log(version)
	n.connect("emacs", "Next: start Emacs again, open a file of a project and ask: C-c r r")
	n.setUp()

	n.command("clear; " + path + " -nw prices.go")
	p := packaged{emacs{n.terminal, n.w.dir}}
	p.terminal.shows("func Total")
	n.mark("editor")
	p.ask("charge shipping")
	p.proposes("1")
	n.mark("plan")
	n.w.has("prices.go", till["prices.go"])
	p.key("n")
	p.terminal.shows(proposed, "change 1 of 1 here: C-c r a approves")
	p.key("a")
	n.w.wantHunks("applied") // or "!", with nothing to save yet, is typed into the text
	p.settled()
	p.press("C-x", "s", "!")
	n.done()
	p.press("C-x", "C-c")
	n.prompt()
}

func TestFromNothingInKakoune(t *testing.T) {
	path, version := findKakoune(t)
	n := arrive(t)
	t.Log(version)
	n.connect("kakoune", "Next: open a file of a project in Kakoune and ask: :redline ")
	n.setUp()

	n.command("clear; PATH=$PATH" + string(os.PathListSeparator) + filepath.Dir(cached("kak-lsp")) + " " + path + " prices.go")
	k := kakoune{n.terminal}
	k.normal("prices.go", "func Total")
	n.mark("editor")
	k.ask("charge shipping")
	k.next()
	n.mark("plan")
	n.w.has("prices.go", till["prices.go"])
	k.act("approve this change", proposed)
	k.save()
	n.done()
}
