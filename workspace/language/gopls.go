package language

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"redline/internal/phrase"
)

// Gopls is the adapter of Go's language server.
func Gopls() *Adapter {
	// verboseWorkDoneProgress reports the work of each notification: when that has ended, all is said.
	settings := json.RawMessage(`{"diagnosticsDelay": "0s", "verboseWorkDoneProgress": true, "semanticTokens": false, "analyses": {}}`)
	return &Adapter{
		Name: "gopls", Command: []string{"gopls", "serve"}, Version: []string{"version"},
		Languages: map[string]string{".go": "go", ".mod": "go.mod", ".sum": "go.sum", ".work": "go.work"},
		Roots:     []string{"go.work", "go.mod"}, Initialization: settings, Settings: map[string]json.RawMessage{"gopls": settings},
		// It reports nothing of new packages that import each other if it hears of their files while it
		// loads what was opened, or before (seen in 0.21.1).
		texts: worked, settle: settleGopls,
	}
}

// settleGopls waits until gopls has ended its work, and has loaded the workspace.
func settleGopls(ctx context.Context, c *Client) error {
	if err := worked(ctx, c); err != nil {
		return err
	}
	if why := c.heard.running("Error loading workspace"); why != "" { // it stays until the workspace can be loaded
		return fmt.Errorf("it could not load the workspace: %s", phrase.OneLine(why))
	}
	return nil
}

// worked waits until gopls has ended the work that each notification causes. It begins that work, and
// says so, before it handles the next notification.
func worked(ctx context.Context, c *Client) error {
	h := &c.heard
	ended := map[string]int{
		"diagnosing initial workspace load": 1,
		"diagnosing opened files":           c.told.opened,
		"diagnosing changed files":          c.told.changed,
		"diagnosing close files":            c.told.closed,
		"diagnosing files changed on disk":  c.told.files,
	}
	return h.until(ctx, func() bool {
		for title, n := range ended {
			if h.done[title] < n {
				return false
			}
		}
		for _, w := range h.works {
			if w.title == "Setting up workspace" || strings.HasPrefix(w.title, "diagnosing ") {
				return false
			}
		}
		return true
	})
}
