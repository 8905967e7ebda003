package language

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"redline/internal/phrase"
)

// RustAnalyzer is the adapter of Rust's language server.
func RustAnalyzer() *Adapter {
	return &Adapter{
		Name: "rust-analyzer", Command: []string{"rust-analyzer"},
		Languages: map[string]string{".rs": "rust"}, Roots: []string{"Cargo.lock", "Cargo.toml"},
		// Problems are those of `cargo check`, on the world's files, when Redline asks for it: its own are others by
		// other names, and miss a function that is not defined (seen in 1.95).
		Initialization: json.RawMessage(`{
			"checkOnSave": false, "check": {"command": "check", "workspace": true}, "diagnostics": {"enable": false},
			"cargo": {"extraArgs": ["--offline"], "extraEnv": {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"}},
			"files": {"watcher": "client"}, "cachePriming": {"enable": false}, "numThreads": 1
		}`),
		announce: func(c *protocol.ClientCapabilities) {
			c.Experimental = protocol.LSPAny(`{"serverStatusNotification": true}`)
		},
		hears: map[string]func(*heard, json.RawMessage){"experimental/serverStatus": hearRust},
		reads: []string{".toml", ".lock", "rust-toolchain"},
		files: filesRust, settle: settleRust, check: checkRust, current: currentRust,
		problem: problemRust,
	}
}

// problemRust leaves hints out: they are parts of errors. And rustc does not check types while names are unknown, nor
// cargo what depends on a crate with errors.
func problemRust(p *Problem) bool {
	p.Hides = p.Severity == Error
	return p.Severity != Hint
}

// rustStatus is what rust-analyzer says about itself (lsp-extensions.md, "Server Status").
type rustStatus struct {
	Health    string `json:"health"`    // "ok", "warning" or "error"
	Quiescent bool   `json:"quiescent"` // it has loaded the workspace, and does nothing
	Message   string `json:"message"`

	loads int // how often it has begun to load the workspace
}

func hearRust(h *heard, params json.RawMessage) {
	var s rustStatus
	if json.Unmarshal(params, &s) != nil {
		return
	}
	s.Message = clip(s.Message)
	if h.rust != nil {
		s.loads = h.rust.loads
	}
	if !s.Quiescent && (h.rust == nil || h.rust.Quiescent) {
		s.loads++
	}
	h.rust = &s
}

// settleRust waits until rust-analyzer has loaded the workspace with what it was shown. It takes changed documents
// before it answers the next request.
func settleRust(ctx context.Context, c *Client) error {
	if c.rust.rebuild {
		if err := c.conn.Call(ctx, "rust-analyzer/reloadWorkspace", nil, nil); err != nil {
			return c.reason("it does not load the workspace again", err)
		}
		c.rust.rebuild = false
	}
	if err := c.answered(ctx); err != nil { // it has said whether it has to load something
		return err
	}
	if err := c.quiescent(ctx); err != nil {
		return err
	}
	if s := c.rustStatus(); s.Health != "ok" && !rustChecked(s) {
		return fmt.Errorf("it could not load the workspace: %s", rustSays(s))
	}
	return nil
}

// quiescent waits until rust-analyzer has nothing to load.
func (c *Client) quiescent(ctx context.Context) error {
	h := &c.heard
	return h.until(ctx, func() bool { return h.rust != nil && h.rust.Quiescent })
}

func (c *Client) rustStatus() rustStatus {
	c.heard.mu.Lock()
	defer c.heard.mu.Unlock()
	return *c.heard.rust
}

// rustChecks begins what rust-analyzer says when `cargo check` could not run.
const rustChecks = "cargo check failed to start"

// rustChecked reports whether the last check is all that rust-analyzer complains about.
func rustChecked(s rustStatus) bool {
	return strings.HasPrefix(s.Message, rustChecks) && !strings.Contains(s.Message, "\n\n")
}

// rustSays returns what rust-analyzer complains about, in a line.
func rustSays(s rustStatus) string {
	if s.Message == "" {
		return "its state is " + phrase.OneLine(clip(s.Health))
	}
	return phrase.OneLine(s.Message)
}

// checkRust lets rust-analyzer run `cargo check`, and waits for its end: it says when one ends, and
// publishes what that has found before it answers the next request. It runs none by itself, and not two at
// a time, so as many have to end as it was asked for.
func checkRust(ctx context.Context, c *Client) error {
	h := &c.heard
	ended := func() bool { return h.done["cargo check"] >= c.rust.checks }
	if err := h.until(ctx, ended); err != nil { // of one that nobody has waited for
		return err
	}
	now := rustSeen{c.told, c.rustStatus().loads}
	if c.rust.checks > 0 && c.rust.checked == now {
		return nil
	}
	c.rust.checks++
	if err := c.conn.Notify(ctx, "rust-analyzer/runFlycheck", json.RawMessage(`{"textDocument": null}`)); err != nil {
		return c.reason("it does not check", err)
	}
	if err := h.until(ctx, ended); err != nil {
		return err
	}
	if err := c.answered(ctx); err != nil {
		return err
	}
	if s := c.rustStatus(); strings.HasPrefix(s.Message, rustChecks) {
		return errors.New(rustSays(s))
	}
	c.rust.checked = now
	return nil
}

// currentRust reports whether what rust-analyzer has reported is still that of the last check. It drops that when it loads the
// workspace, which it may do some time after it has heard of a file, and says so first.
func currentRust(c *Client) bool { return c.rust.checked.loads == c.rustStatus().loads }

// answered waits until rust-analyzer has said what it has to say before it answers. It publishes by its only worker,
// which also answers this.
func (c *Client) answered(ctx context.Context) error {
	err := c.conn.Call(ctx, protocol.MethodTextDocumentFoldingRange, &protocol.FoldingRangeParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(filepath.Join(c.Folder, "Cargo.toml"))}, // it has no such file, and says so
	}, nil)
	if _, answered := errors.AsType[*jsonrpc2.Error](err); err != nil && !answered {
		return c.reason("it does not answer", err)
	}
	return nil
}

// rustClient is what a client of rust-analyzer remembers.
type rustClient struct {
	rebuild bool // cargo has to look again which packages and targets there are
	checks  int  // how many checks it was asked for
	checked rustSeen
}

// rustSeen is what a check is about.
type rustSeen struct {
	told  told // what was sent before
	loads int
}

// rustBuild are files that tell cargo what to build, and folders in which each file is a target.
var (
	rustBuild   = []string{"Cargo.toml", "Cargo.lock", "config.toml", "build.rs", "rust-toolchain", "rust-toolchain.toml"}
	rustTargets = []string{"main.rs", "lib.rs", "bin", "examples", "tests", "benches"}
)

// filesRust notes whether cargo may know other packages or targets after changes of files. Of a new target
// rust-analyzer knows by its document.
func filesRust(_ context.Context, c *Client, paths []string) error {
	for _, path := range paths {
		name, dir := filepath.Base(path), filepath.Dir(path)
		if slices.Contains(rustBuild, name) {
			c.rust.rebuild = true
		}
		if filepath.Ext(name) != ".rs" || c.open[path] != nil {
			continue
		}
		for _, part := range []string{name, filepath.Base(dir), filepath.Base(filepath.Dir(dir))} {
			c.rust.rebuild = c.rust.rebuild || slices.Contains(rustTargets, part)
		}
	}
	return nil
}
