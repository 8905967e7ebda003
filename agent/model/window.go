package model

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"redline/internal/lazyregexp"
)

// server is a kind of program that serves models and can say how much they can read at once.
type server string

// The servers that are recognised by their answers.
const (
	unknownServer server = ""
	ollama        server = "Ollama"
	llamaServer   server = "llama.cpp"
	lmStudio      server = "LM Studio"
)

// window is how much a model can read at once.
type window struct {
	tokens int // in tokens; 0 if not known
	server server
}

// windowPatience is the time limit for all questions about the window together.
const windowPatience = 5 * time.Second

// numCtx matches the context length among the parameters of a model of Ollama: "num_ctx 8192".
var numCtx = lazyregexp.New(`(?m)^\s*num_ctx\s+(\d+)\s*$`)

// window finds out how much the model can read at once. It must have answered before, since
// Ollama reports the length only for a loaded model. If there is no answer, the window is
// unknown; that is not an error.
func (p *client) window(ctx context.Context) window {
	ctx, cancel := context.WithTimeout(ctx, windowPatience)
	defer cancel()
	if p.base == nil {
		return window{}
	}
	if isNear(p.base) { // other servers have no such addresses
		for _, ask := range []func(context.Context, *url.URL) (window, bool){p.ollamaWindow, p.llamaWindow, p.studioWindow} {
			if w, ok := ask(ctx, p.serverRoot()); ok {
				return w
			}
		}
	}
	all, err := p.list(ctx)
	if err != nil {
		return window{}
	}
	for _, m := range all {
		if m.ID == p.info.Name {
			return window{tokens: max(m.Window, m.MaxModel)}
		}
	}
	return window{}
}

// serverRoot returns the base URL without the path of the OpenAI API.
func (p *client) serverRoot() *url.URL {
	root := *p.base
	root.Path, root.RawPath = strings.TrimSuffix(strings.TrimSuffix(root.Path, "/"), "/v1"), ""
	return &root
}

// isNear reports whether a server is on this machine or in a private network.
func isNear(u *url.URL) bool {
	host := u.Hostname()
	ip := net.ParseIP(host)
	return u.Scheme == "http" || !strings.Contains(host, ".") || ip != nil && (ip.IsLoopback() || ip.IsPrivate())
}

// ollamaWindow asks Ollama which models are loaded, and with how long a context. Older versions
// report only the length in the model's own file.
func (p *client) ollamaWindow(ctx context.Context, root *url.URL) (window, bool) {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Model   string `json:"model"`
			Context int    `json:"context_length"`
		} `json:"models"`
	}
	if p.document(ctx, http.MethodGet, root.JoinPath("api", "ps"), nil, &running) != nil || running.Models == nil {
		return window{}, false
	}
	w := window{server: ollama}
	for _, m := range running.Models {
		if name := p.info.Name; m.Context > 0 && (m.Name == name || m.Model == name || m.Name == name+":latest") {
			w.tokens = m.Context
			return w, true
		}
	}
	var model struct {
		Parameters string `json:"parameters"`
	}
	body, _ := json.Marshal(map[string]string{"model": p.info.Name}) // strings always marshal
	if p.document(ctx, http.MethodPost, root.JoinPath("api", "show"), body, &model) == nil {
		if of := numCtx().FindStringSubmatch(model.Parameters); of != nil {
			w.tokens, _ = strconv.Atoi(of[1]) // digits; one too long for a number stays unknown
		}
	}
	return w, true
}

// llamaWindow asks llama.cpp's server how much one of its slots can read.
func (p *client) llamaWindow(ctx context.Context, root *url.URL) (window, bool) {
	var props struct {
		Generation *struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if p.document(ctx, http.MethodGet, root.JoinPath("props"), nil, &props) != nil || props.Generation == nil {
		return window{}, false
	}
	return window{props.Generation.Context, llamaServer}, true
}

// studioWindow asks LM Studio, which has its own address for it.
func (p *client) studioWindow(ctx context.Context, root *url.URL) (window, bool) {
	var answer struct {
		Data []struct {
			ID     string `json:"id"`
			Loaded int    `json:"loaded_context_length"`
		} `json:"data"`
	}
	if p.document(ctx, http.MethodGet, root.JoinPath("api", "v0", "models"), nil, &answer) != nil || answer.Data == nil {
		return window{}, false
	}
	for _, m := range answer.Data {
		if m.ID == p.info.Name {
			return window{m.Loaded, lmStudio}, true
		}
	}
	return window{server: lmStudio}, true
}
