package lsp

import (
	"encoding/json"
	"errors"
	"testing"

	"redline/lsp/command"
	"redline/lsp/lsptest"
)

// Params of any shape, in any method, are answered or dropped, and the server continues.
func TestMalformedParams(t *testing.T) {
	c := connect(t, lsptest.Honest(), map[string]string{"a.txt": twoFruits})
	c.must(c.Open("a.txt"))
	c.plan(`replace "apple" with "pear"`)
	uri, err := json.Marshal(c.URI("a.txt"))
	c.must(err)
	document := `{"uri":` + string(uri) + `,"version":5}`
	params := []string{
		`null`, `[]`, `{}`, `7`, `"x"`, `{"textDocument":null}`, `{"textDocument":[]}`, `{"textDocument":{"uri":7}}`,
		`{"textDocument":{"uri":"nonsense:%zz"},"position":{"line":-1,"character":4294967296}}`,
		`{"textDocument":` + document + `,"range":{"start":{"line":9e99,"character":0}}}`,
		`{"textDocument":` + document + `,"range":{"start":{"line":99,"character":99},"end":{"line":1,"character":0}},"context":{"diagnostics":[null,7,{"range":[]}],"only":null}}`,
		`{"textDocument":` + document + `,"contentChanges":[{"range":{"start":{"line":3,"character":0},"end":{"line":0,"character":0}},"text":""}]}`,
		`{"textDocument":` + document + `,"position":{"line":4294967295,"character":4294967295}}`,
		`{"command":7}`, `{"command":"redline.approve","arguments":[1,2]}`, `{"command":"redline.chat","arguments":[null]}`,
		`{"command":"redline.approve","arguments":[{"plan":1e99}]}`, `{"command":"redline.show","arguments":["x"]}`,
		`{"event":{"added":[{"uri":"x"}],"removed":[{}]}}`, `{"token":{}}`, `{"settings":[[[]]]}`, "{\"text\":\"\\ud800\"}",
	}
	requests := []string{"textDocument/codeAction", "textDocument/hover", "workspace/executeCommand", "initialize", "no/such", "$/x"}
	notifications := []string{
		"initialized", "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
		"workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders", "workspace/didChangeConfiguration",
		"window/workDoneProgress/cancel", "no/such", "$/x",
	}
	for _, p := range params {
		for _, method := range notifications {
			c.must(c.Notify(method, json.RawMessage(p)))
		}
		for _, method := range requests {
			if _, err := c.Call(c.ctx, method, json.RawMessage(p)); err != nil {
				if _, ok := errors.AsType[*lsptest.Refusal](err); !ok {
					t.Fatalf("%s with %s: %v", method, p, err)
				}
			}
		}
	}
	if _, err := c.Execute(c.ctx, command.State, nil); err != nil {
		t.Errorf("the server does not go on: %v", err)
	}
}
