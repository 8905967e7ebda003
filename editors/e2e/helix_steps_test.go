package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sales are the files that the eight steps are taken in.
var sales = map[string]string{
	"prices.go": "package shop\n\n// Total is what a customer pays.\nfunc Total(food, books int) int {\n\treturn food + books\n}\n\n" +
		"// Double is what two of them pay.\nfunc Double(food, books int) int {\n\treturn 2 * Total(food, books)\n}\n",
	"report.go": "package shop\n\nimport \"fmt\"\n\n// Report prints the day's sales.\nfunc Report(food, books int) {\n\tfmt.Println(\"sales:\", Total(food, books))\n}\n\n" +
		"// Slow tells a bad day.\nfunc Slow(food, books int) bool { return Total(food, books) < 100 }\n",
}

// seller is a model on loopback that renames Total to Sum in sales, slowly: each of its replies
// waits for a token. To any other request it answers nothing until the client gives up.
type seller struct {
	asked chan struct{} // one token for each request
	reply chan struct{}
	left  chan struct{} // one token for each request that the client cancelled
}

// withSeller has the world's editors use a seller.
func (w *world) withSeller() *seller {
	m := &seller{make(chan struct{}, 10), make(chan struct{}, 10), make(chan struct{}, 10)}
	server := httptest.NewServer(http.HandlerFunc(m.answer))
	w.t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	w.env = append(w.env, "OPENAI_BASE_URL="+server.URL+"/v1", "REDLINE_MODEL=seller")
	return m
}

func (m *seller) answer(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.Messages) == 0 {
		http.Error(w, "no request", http.StatusBadRequest)
		return
	}
	m.asked <- struct{}{}
	answered := 0
	for i := len(request.Messages) - 1; i >= 0 && request.Messages[i].Role == "tool"; i-- {
		answered++
	}
	last := request.Messages[len(request.Messages)-1]
	renames := answered > 0 || strings.Contains(fmt.Sprint(last.Content), "Rename Total to Sum")
	if renames {
		select {
		case <-m.reply:
		case <-r.Context().Done():
			return
		}
	} else {
		<-r.Context().Done()
		m.left <- struct{}{}
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	switch answered {
	case 0:
		call(w, "read_file", map[string]any{"path": "prices.go"})
	case 1:
		rename := func(path string) map[string]any {
			return map[string]any{"path": path, "old_string": "Total", "new_string": "Sum", "replace_all": true}
		}
		calls(w, [2]any{"edit_file", rename("prices.go")}, [2]any{"edit_file", rename("report.go")})
	default:
		say(w, map[string]any{"content": "Total is Sum now."}, "stop")
	}
}

// call sends a tool call.
func call(w http.ResponseWriter, tool string, arguments map[string]any) {
	calls(w, [2]any{tool, arguments})
}

// calls sends tool calls, each a name and its arguments.
func calls(w http.ResponseWriter, all ...[2]any) {
	var list []any
	for i, c := range all {
		arguments, _ := json.Marshal(c[1]) // a map of strings
		list = append(list, map[string]any{
			"index": i, "id": fmt.Sprint("call", i), "type": "function", "function": map[string]any{"name": c[0], "arguments": string(arguments)},
		})
	}
	say(w, map[string]any{"tool_calls": list}, "tool_calls")
}

// TestEightStepsInHelix takes the eight steps in Helix, set up only by `redline init helix
// --write`: on a narrow screen, and in a light theme on a wide one.
func TestEightStepsInHelix(t *testing.T) {
	path, version := findHelix(t)
	t.Log(version)
	for _, on := range []struct {
		name          string
		columns, rows int
		theme         string
	}{
		{"helix", 80, 24, ""},
		{"helix-wide-light", 140, 30, "catppuccin_latte"},
	} {
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, sales)
			m := w.withSeller()
			init := exec.Command(filepath.Join(bin, "redline"), "init", "helix", "--write")
			init.Env = w.env
			if out, err := init.CombinedOutput(); err != nil {
				t.Fatalf("redline init helix: %v\n%s", err, out)
			}
			w.env = append(w.env, "COLORTERM=truecolor")
			h := helix{w.terminal(path, "prices.go")}
			h.resize(on.columns, on.rows)
			h.normal("prices.go", "func Total")
			if on.theme != "" {
				h.do("theme " + on.theme)
			}
			eightStepsInHelix(h, w, m, on.name)
		})
	}
}

// eightStepsInHelix takes the steps; name is the folder of the pictures.
func eightStepsInHelix(h helix, w *world, m *seller, name string) {
	t := h.t
	m.reply <- struct{}{}
	h.press("g", "e", "o")
	h.write("// redline: Rename Total to Sum in *.go")
	h.press("Escape")
	h.normal("prices.go [+]", "// redline: Rename")
	h.first("plan this request")
	h.shot(name, "1a-menu-on-request")
	h.press("Enter")
	happens(t, "the model is asked", m.asked, h.screen)
	happens(t, "the model is asked again", m.asked, h.screen)
	h.shows("waiting for the model (")
	h.shot(name, stepRequest)
	m.reply <- struct{}{}
	m.reply <- struct{}{}

	h.shows("# Plan 1, revision 1", "**Goal:** ", " NOR   ")
	h.shot(name, "2a-preview")
	h.open("prices.go", "// Sum is what a customer pays.")
	h.next()
	h.shows("return 2 * Sum(food, books)", "delete 1 line ·")
	h.shot(name, stepSee)
	h.peek("+func Sum")
	for name, want := range sales { // nothing is written before the approval
		w.has(name, want)
	}

	h.press("]", "d")
	h.goOn("prices.go (plan 1, change 3 of 5)", "sel  12:1")
	h.goOn("report.go (plan 1, change 4 of 5)", "report.go")
	h.shows("fmt.Println(\"sales:\", Sum")
	h.shot(name, stepNavigate)
	h.first("approve this change", "reject this change", "next change: report.go (plan 1, change 5 of 5)")
	h.shot(name, "4a-menu-on-change")
	h.press("Enter")
	h.shows("report.go [+]")
	h.shot(name, stepApproveHunk)

	h.goOn("report.go (plan 1, change 5 of 5)", "sel  11:1")
	h.act("reject this change", "bool { return Total")
	h.await("the change is proposed no more", func(screen string) bool { return !strings.Contains(screen, "●") })
	h.shot(name, stepRejectHunk)

	h.goOn("prices.go (plan 1, change 1 of 5)", "// Total is what")
	h.act("approve plan 1", "func Sum(food")
	h.shows("2 * Sum(")
	h.shot(name, stepApprovePlan)

	h.first("undo this change (plan 1, h1)", "undo plan 1")
	h.shot(name, "7a-menu-after")
	h.press("Down", "Enter")
	h.shows("func Total(food", "// redline: Rename")
	h.shot(name, stepUndo)

	h.ask("Think about it")
	happens(t, "the model is asked", m.asked, h.screen)
	h.shows("waiting for the model (")
	row := h.menu("cancel the running turn")
	h.shot(name, "8a-menu-while-working")
	for range row {
		h.press("Down")
	}
	h.press("Enter")
	h.shows("the turn was cancelled")
	happens(t, "the request is given up", m.left, h.screen)
	h.shot(name, stepCancel)
	h.end("quit-all!")
	for name, want := range sales { // saving is left to the user
		w.has(name, want)
	}
}

// first opens the code actions and checks that the first titles are these, or begin with them.
func (h helix) first(titles ...string) {
	h.t.Helper()
	h.menu(titles[0])
	var got []string
	for line := range strings.Lines(h.screen()) {
		if _, title, ok := strings.Cut(line, " Redline: "); ok {
			got = append(got, title)
		}
	}
	for i, title := range titles {
		if i >= len(got) || !strings.HasPrefix(got[i], title) {
			h.t.Fatalf("action %d is not %q: %q", i+1, title, got)
		}
	}
}

// goOn goes to the next change by its action, and waits until the screen shows this text there.
func (h helix) goOn(change, text string) {
	h.t.Helper()
	h.act("next change: "+change, text)
}
