package language

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Pyright is the adapter of pyright, for Python. Basedpyright, which is made from it, leaves files unchecked by
// the same rule (seen in 1.40.1).
func Pyright() *Adapter {
	return &Adapter{
		Name: "pyright", Command: []string{"pyright-langserver", "--stdio"},
		Languages: map[string]string{".py": "python", ".pyi": "python"},
		Roots:     []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"}, Anywhere: true,
		Settings: map[string]json.RawMessage{"python": json.RawMessage(`{"analysis": {"diagnosticMode": "workspace", "autoSearchPaths": true, "logLevel": "Information"}}`)},
		defaults: pyrightSettings, reads: []string{".json", ".toml", ".typed", ".pth"},
		// It says when it has files left to check, and when it has not, right after what it publishes;
		// LSP's own progress would begin later: pyright asks us for it first.
		announce: func(c *protocol.ClientCapabilities) { c.Window = nil },
		hears: map[string]func(*heard, json.RawMessage){
			"pyright/beginProgress":  func(h *heard, _ json.RawMessage) { h.works[markURI] = &work{title: "checking"} },
			"pyright/reportProgress": func(*heard, json.RawMessage) {},
			"pyright/endProgress":    func(h *heard, _ json.RawMessage) { delete(h.works, markURI) },
		},
		logs: pyrightLogs, ready: settlePyright, files: pyrightFiles, settle: settlePyright,
	}
}

// environments are the usual folders of virtual environments.
var environments = []string{".venv", "venv", ".pixi/envs/default", ".conda", "env"}

// pyrightSettings returns the Python of the folder's own environment, if it has one.
func pyrightSettings(folder string) map[string]map[string]json.RawMessage {
	for _, name := range environments {
		program := filepath.Join(folder, filepath.FromSlash(name), "bin", "python")
		if info, err := os.Stat(program); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if text, err := json.Marshal(program); err == nil {
			return map[string]map[string]json.RawMessage{"python": {"pythonPath": text}}
		}
	}
	return nil
}

// configFile matches what pyright logs when it cannot read a file with the project's settings.
var configFile = regexp.MustCompile(`^Config file ".*" could not be (?:read|parsed)`)

// pyrightLogs records that pyright cannot read the project's settings. It checks with its own then, which says
// nothing about this project.
func pyrightLogs(h *heard, message string) {
	if found := configFile.FindString(message); found != "" {
		h.broken = found
	}
}

// pyrightFiles makes pyright look for the project's settings again, which may be in any file of these kinds: it looks
// only for changes of those that it has read, and not for another one that comes first now.
func pyrightFiles(ctx context.Context, c *Client, paths []string) error {
	if !slices.ContainsFunc(paths, func(path string) bool { return slices.Contains([]string{".json", ".toml"}, filepath.Ext(path)) }) {
		return nil
	}
	c.heard.tell(func() { c.heard.broken = "" })
	if err := c.conn.Notify(ctx, protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{}); err != nil {
		return c.reason("it takes no settings", err)
	}
	return nil
}

// markURI names the mark of a client: pyright counts a document without a file as one of the workspace, and
// no other file imports it.
const markURI = "untitled:redline-mark"

// settlePyright waits until pyright has checked all files that are touched by what it was shown.
//
// It takes all changes in order, then checks open documents, then the other files, for a time, and publishes
// what it has found. If files are left, it says so at once, and when none is. So the mark is
// changed last, and when a new version of it is reported, the changes before it are checked too, or pyright has
// said that files are left.
func settlePyright(ctx context.Context, c *Client) error {
	h := &c.heard
	if c.mark.version == 0 || c.mark.told != c.told {
		if err := c.changeMark(ctx); err != nil {
			return err
		}
	}
	version := c.mark.version
	if err := h.until(ctx, func() bool { return h.marked >= version }); err != nil {
		return err
	}
	// The answer to a request comes after what was said with that report.
	id := protocol.TextDocumentIdentifier{URI: markURI}
	if err := c.conn.Call(ctx, protocol.MethodTextDocumentDocumentHighlight, &protocol.DocumentHighlightParams{
		TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: id},
	}, nil); err != nil {
		return c.reason("it does not answer", err)
	}
	broken := ""
	err := h.until(ctx, func() bool { broken = h.broken; return h.works[markURI] == nil })
	if err == nil && broken != "" {
		err = errors.New(broken)
	}
	return err
}

// changeMark gives the mark a new version.
func (c *Client) changeMark(ctx context.Context) error {
	c.mark.version++
	text := "# " + strings.Repeat("mark ", int(c.mark.version%2)) + "\n"
	var err error
	if c.mark.version == 1 {
		err = c.conn.Notify(ctx, protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{
			URI: markURI, LanguageID: "python", Version: c.mark.version, Text: text,
		}})
	} else {
		err = c.conn.Notify(ctx, protocol.MethodTextDocumentDidChange, &protocol.DidChangeTextDocumentParams{
			TextDocument:   protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri.URI(markURI)}, Version: c.mark.version},
			ContentChanges: []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: text}},
		})
	}
	if err != nil {
		return c.reason("it takes no texts", err)
	}
	c.mark.told = c.told
	return nil
}
