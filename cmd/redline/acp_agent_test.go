package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// acpAgent is an agent that speaks ACP and does what the lines of a request say, one after the other:
//
//	write FILE LINE    append a line to a file
//	run COMMAND        run a command line
//	ask KIND TITLE     ask whether it may use a tool, and say the answer
//	say TEXT           say it
//	tell               say what it was asked, all of it
//	plan               have a plan of two steps, and begin the second
//	hang               work until it is cancelled
//	flood              write text without an end
//	flood tools        call tools without an end
//	stop REASON        end the turn for a reason
//	die                exit with 3, and last words on stderr
//	kill               be killed
//
// Its sessions are files in ~/.acp-agent/sessions, where it also has its memory of them: all requests.
func acpAgent() {
	a := &acpTestAgent{out: bufio.NewWriter(os.Stdout), messages: make(chan acpMessage)}
	go func() {
		defer close(a.messages)
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var m acpMessage
			if json.Unmarshal(lines.Bytes(), &m) == nil {
				a.messages <- m
			}
		}
	}()
	for m := range a.messages {
		a.answer(m)
	}
}

type acpMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string                  `json:"sessionId"`
		Prompt    []struct{ Text string } `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct{ Outcome, OptionID string } `json:"outcome"`
	} `json:"result"`
}

type acpTestAgent struct {
	out      *bufio.Writer
	messages chan acpMessage
	session  string
	calls    int
}

func (a *acpTestAgent) send(format string, args ...any) {
	fmt.Fprintf(a.out, format+"\n", args...)
	a.out.Flush()
}

func acpJSON(v any) string {
	text, _ := json.Marshal(v) // of strings alone
	return string(text)
}

func (a *acpTestAgent) update(update string) {
	a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, a.session, update)
}

func (a *acpTestAgent) say(text string) {
	a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":` + acpJSON(text) + `}}`)
}

// tool tells of a call of a tool, and returns what tells of its end.
func (a *acpTestAgent) tool(kind, title string) (end func(ok bool)) {
	a.calls++
	id := a.calls
	a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","kind":%q,"title":%s,"status":"in_progress"}`, id, kind, acpJSON(title)))
	return func(ok bool) {
		state := "completed"
		if !ok {
			state = "failed"
		}
		a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c%d","status":%q}`, id, state))
	}
}

func (a *acpTestAgent) file(session string) string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".acp-agent", "sessions", filepath.Base(session)+".jsonl")
}

func (a *acpTestAgent) answer(m acpMessage) {
	reply := func(result string) { a.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result) }
	switch m.Method {
	case "initialize":
		reply(`{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}}`)
	case "session/new":
		for i := 1; ; i++ {
			a.session = fmt.Sprintf("s%d", i)
			if _, err := os.Stat(a.file(a.session)); err != nil {
				break
			}
		}
		reply(fmt.Sprintf(`{"sessionId":%q}`, a.session))
	case "session/resume":
		if _, err := os.Stat(a.file(m.Params.SessionID)); err != nil {
			a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32002,"message":"no such session"}}`, m.ID)
			return
		}
		a.session = m.Params.SessionID
		reply(`{}`)
	case "session/prompt":
		reason := a.work(m.Params.Prompt[0].Text)
		reply(fmt.Sprintf(`{"stopReason":%q,"usage":{"inputTokens":120,"outputTokens":30,"totalTokens":150}}`, reason))
	case "session/cancel":
	default:
		a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	}
}

// work does what a request says, and returns the reason for which it ends.
func (a *acpTestAgent) work(prompt string) (reason string) {
	const mark = "The request:\n\n"
	request, _, _ := strings.Cut(prompt[strings.LastIndex(prompt, mark)+len(mark):], "\n\n") // not an earlier one
	memory, _ := os.ReadFile(a.file(a.session))                                              // none in a new session
	_ = os.MkdirAll(filepath.Dir(a.file(a.session)), 0o700)
	if err := os.WriteFile(a.file(a.session), append(memory, request+"\n"...), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	for _, line := range strings.Split(strings.ReplaceAll(request, "; ", "\n"), "\n") {
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "write":
			name, text, _ := strings.Cut(rest, " ")
			end := a.tool("edit", "Edit "+here(name))
			old, _ := os.ReadFile(name) // it may be new
			end(os.WriteFile(name, append(old, text+"\n"...), 0o644) == nil)
		case "run":
			end := a.tool("execute", rest)
			end(exec.Command("sh", "-c", rest).Run() == nil)
		case "ask":
			kind, title, _ := strings.Cut(rest, " ")
			a.say(fmt.Sprintf("It may %s: %s.", kind, a.asks(kind, title)))
		case "say":
			a.say(rest)
		case "tell":
			a.say(fmt.Sprintf("Session %s was asked before: %q. Now:\n\n%s", a.session, memory, prompt))
		case "plan":
			a.update(`{"sessionUpdate":"plan","entries":[{"content":"look","priority":"high","status":"completed"},{"content":"act","priority":"high","status":"in_progress"}]}`)
		case "stop":
			return rest
		case "hang":
			a.say("I hang. ")
			for m := range a.messages {
				if m.Method == "session/cancel" {
					return "cancelled"
				}
			}
		case "flood":
			for {
				if rest == "tools" {
					a.tool("execute", "true")(true)
				} else {
					a.say(strings.Repeat("flood ", 1000))
				}
				if a.out.Buffered() > 0 { // nobody reads any more
					os.Exit(1)
				}
			}
		case "die":
			fmt.Fprintln(os.Stderr, "no luck today")
			os.Exit(3)
		case "kill":
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			select {}
		}
	}
	return "end_turn"
}

// asks asks for a permission and returns the answer.
func (a *acpTestAgent) asks(kind, title string) string {
	a.calls++
	a.send(`{"jsonrpc":"2.0","id":"ask%d","method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"c%d","kind":%q,"title":%s},"options":[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`,
		a.calls, a.session, a.calls, kind, acpJSON(title))
	for m := range a.messages {
		if m.Method == "" {
			return m.Result.Outcome.Outcome + " " + m.Result.Outcome.OptionID
		}
	}
	return "nothing"
}
