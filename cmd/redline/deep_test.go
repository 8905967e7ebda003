package main

import (
	"fmt"
	"strings"
	"testing"
)

// A message that is nested a million levels deep, of whatever kind, does not end the server: it
// answers the next request.
func TestDeepFrames(t *testing.T) {
	const n = 1_000_000
	deep := map[string]string{
		"a list":      strings.Repeat("[", n) + strings.Repeat("]", n),
		"an object":   strings.Repeat(`{"a":`, n/5) + "1" + strings.Repeat("}", n/5),
		"not closed":  strings.Repeat("[", n),
		"uri":         `{"textDocument":{"uri":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`,
		"arguments":   `{"command":"redline.chat","arguments":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`,
		"argument":    `{"command":"redline.approve","arguments":[{"plan":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}]}`,
		"settings":    `{"settings":` + strings.Repeat(`{"redline":`, n/11) + "1" + strings.Repeat("}", n/11) + `}`,
		"many values": `{"settings":[` + strings.Repeat("1,", n) + `1]}`,
	}
	methods := []string{
		"initialize", "textDocument/didOpen", "textDocument/didChange", "workspace/executeCommand", "workspace/didChangeConfiguration",
		"workspace/didChangeWorkspaceFolders", "textDocument/codeAction", "$/cancelRequest", "window/workDoneProgress/cancel", "no/such",
	}
	for name, params := range deep {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := begin(t, "redline", "serve", "--stdio")
			c.initialized(t)
			for i, method := range methods {
				c.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
				c.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, 100+i, method, params))
			}
			c.send(t, strings.Replace(shutdown, `"id":2`, `"id":"end"`, 1))
			for !strings.Contains(c.receive(t), `"id":"end"`) {
			}
			c.send(t, exit)
			c.wantExit(t, exitOK)
		})
	}
}
