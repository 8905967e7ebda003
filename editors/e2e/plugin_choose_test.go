package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model/modeltest"
)

// Started without a file, a request starts the server for the folder; its plan is drawn in the files,
// to which the keys lead.
func TestNeovimPluginFromAnEmptyBuffer(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": "package main // greet\n"})
		s := w.screenedAtOnce(nvim, "", "")
		s.resize(80, 24)
		s.command("enew")
		s.server.is("", "vim.api.nvim_buf_get_name(0)")
		s.command("Redline rename greet to salute in *.go")
		s.shows("plan 1 is ready")
		s.write("]r")
		s.shows("package main // greet", "package main // salute", "change 1 of 1")
		s.server.is("main.go 1", "vim.fn.expand('%:t') .. ' ' .. #vim.lsp.get_clients({ name = 'redline' })")
		s.write(`\ra`)
		s.server.is("package main // salute", "vim.fn.getline(1)")
		s.server.is("completed", "State(1)")
		s.command("enew")
		s.command("Redline rename salute to wave in *.go")
		s.server.is("awaiting_approval", "State(2)")
		s.server.is("1", "#vim.lsp.get_clients({ name = 'redline' })")
	})
}

// The model is one of those that the endpoint lists, or is named; requests go to it from then on. The
// chat says what a turn has used.
func TestNeovimPluginChoosesTheModel(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{"main.go": before})
		model := w.modelled(modeltest.Stream(modeltest.Text("Hello.")), modeltest.Stream(modeltest.Text("Hello again.")))
		w.env = append(w.env, "OPENAI_BASE_URL="+listing(t, w, "scripted", "large", "scripted-small"))
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("lua Choose = 'large'")
		p.run("Redline model")
		p.holds("Noted('the model is large, until you leave Neovim.')")
		p.run("Redline hello")
		p.holds("Text('redline://chat'):find('Hello.', 1, true) ~= nil")
		p.holds(fmt.Sprintf("Text('redline://chat'):find('*%d tokens sent, %d received*', 1, true) ~= nil", modeltest.UsagePrompt, modeltest.UsageCompletion))
		p.run("Redline model scripted-small")
		p.holds("Noted('the model is scripted-small, until you leave Neovim.')")
		p.run("Redline hello again")
		p.holds("Text('redline://chat'):find('Hello again.', 1, true) ~= nil")
		var asked []string
		for _, r := range model.Requests() {
			asked = append(asked, r.Model)
		}
		if got := strings.Join(asked, " "); got != "large scripted-small" {
			t.Errorf("asked were %q", got)
		}
	})
}

// listing is an endpoint in front of the world's model that lists these models.
func listing(t *testing.T, w *world, names ...string) string {
	var base string
	for _, set := range w.env {
		if url, ok := strings.CutPrefix(set, "OPENAI_BASE_URL="); ok {
			base = url
		}
	}
	to, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: to.Scheme, Host: to.Host})
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/models") {
			proxy.ServeHTTP(answer, r)
			return
		}
		var list []string
		for _, name := range names {
			list = append(list, fmt.Sprintf(`{"id":%q,"object":"model"}`, name))
		}
		answer.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(answer, `{"object":"list","data":[%s]}`, strings.Join(list, ","))
	}))
	t.Cleanup(server.Close)
	return server.URL + to.Path
}

// The agent of the conversation is one of the user's own, chosen from a list; the chat says which.
func TestNeovimPluginChoosesTheAgent(t *testing.T) {
	eachPlugin(t, func(t *testing.T, nvim string) {
		w := pluginWorld(t, map[string]string{
			"main.go": before,
			filepath.Join(".redline", "agents", "careful.md"): "---\nmode: primary\ndescription: looks twice\n---\nLook twice.\n",
		})
		model := w.modelled(modeltest.Stream(modeltest.Text("Hello.")))
		p := w.plugged(nvim, "main.go")
		p.attached()
		p.run("lua Choose = 'careful'")
		p.run("Redline agent")
		p.holds("Noted('careful')")
		p.holds("Text('redline://chat'):find('/agent careful', 1, true) ~= nil")
		p.run("Redline hello")
		p.holds("Text('redline://chat'):find('Hello.', 1, true) ~= nil")
		if body := string(model.Requests()[0].Body); !strings.Contains(body, "Look twice.") {
			t.Errorf("the model was not told of the agent:\n%s", body)
		}
	})
}
