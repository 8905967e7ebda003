package mcptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Script is a server that writes what no library would write. It says what the server does when it
// starts and when a method is called.
type Script struct {
	Start   Step
	Methods map[string]Step // by method; "initialize" and "tools/list" have a usual answer otherwise
}

// Step is what a scripted server does once. In its texts %ID% stands for the id of the call, and
// %LONG% for a text of 3 MiB.
type Step struct {
	Out    string // written to the standard output, with a line end
	Err    string // written to the standard error, as it is
	Result string // the result of an answer; "" for none
	Exit   bool   // the server then ends
}

// Encode returns the script as the value of [ScriptVariable].
func (s Script) Encode() string {
	doc, err := json.Marshal(s)
	if err != nil { // it has nothing but texts
		panic(err)
	}
	return string(doc)
}

// usual are the answers of a server with one tool, look, which answers "seen".
var usual = map[string]string{
	"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1"}}`,
	"tools/list": `{"tools":[{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`,
	"tools/call": `{"content":[{"type":"text","text":"seen"}]}`,
}

func runScript(text string) {
	var s Script
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s.Start.do("")
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(lines.Bytes(), &call) != nil {
			continue
		}
		step, ok := s.Methods[call.Method]
		if !ok {
			step.Result = usual[call.Method]
		}
		step.do(string(call.ID))
	}
}

func (s Step) do(id string) {
	fill := func(text string) string {
		text = strings.ReplaceAll(text, "%ID%", id)
		return strings.ReplaceAll(text, "%LONG%", strings.Repeat("x", 3<<20))
	}
	fmt.Fprint(os.Stderr, fill(s.Err))
	if s.Out != "" {
		fmt.Println(fill(s.Out))
	}
	if s.Result != "" {
		fmt.Println(`{"jsonrpc":"2.0","id":` + id + `,"result":` + s.Result + "}")
	}
	if s.Exit {
		os.Exit(3)
	}
}
