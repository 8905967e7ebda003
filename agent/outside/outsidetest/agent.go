// Package outsidetest has an outside agent for tests: a program that speaks the Agent Client Protocol and
// does what it is asked, word by word, without a model.
package outsidetest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Main is the program. It does what the lines of a request say, one after the other; "; " separates
// lines too:
//
//	write FILE LINE    append a line to a file
//	run COMMAND        run a command line
//	ask KIND TITLE     ask whether it may use a tool, and say the answer
//	say TEXT           say it
//	think TEXT         think it
//	tell               say what it was asked, all of it
//	plan               have a plan of two steps, and begin the second
//	follow FILE        do the lines of a file
//	wait ADDRESS       wait until the one who listens at ADDRESS sends a line
//	during ADDRESS KIND TITLE    call a tool, and wait at ADDRESS before it ends
//	spawn COMMAND      start a command line, and leave it running
//	hang [ADDRESS]     work until it is cancelled, and say "cancelled" at ADDRESS then
//	deaf ADDRESS       say "cancelled" at ADDRESS too, but work on, whatever signals come
//	flood              write text without an end
//	flood tools        call tools without an end
//	stop REASON        end the turn for a reason
//	refuse CODE WORDS  answer with an error, after words on stderr
//	die                exit with 3, and last words on stderr
//	kill               be killed
//
// Its sessions are files in ~/.acp-agent/sessions, where it also has its memory of them: all requests.
func Main() {
	a := &agent{out: bufio.NewWriter(os.Stdout), messages: make(chan message)}
	go func() {
		defer close(a.messages)
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var m message
			if json.Unmarshal(lines.Bytes(), &m) == nil {
				a.messages <- m
			}
		}
	}()
	for m := range a.messages {
		a.answer(m)
	}
}

type message struct {
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

type agent struct {
	out      *bufio.Writer
	messages chan message
	session  string
	calls    int
}

func (a *agent) send(format string, args ...any) {
	fmt.Fprintf(a.out, format+"\n", args...)
	a.out.Flush()
}

func encoded(v any) string {
	text, _ := json.Marshal(v) // of strings alone
	return string(text)
}

func (a *agent) update(update string) {
	a.send(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, a.session, update)
}

func (a *agent) say(text string) { a.speak("agent_message_chunk", text) }

func (a *agent) speak(update, text string) {
	a.update(fmt.Sprintf(`{"sessionUpdate":%q,"content":{"type":"text","text":%s}}`, update, encoded(text)))
}

// tool tells of a call of a tool, and returns what tells of its end.
func (a *agent) tool(kind, title string) (end func(ok bool)) {
	a.calls++
	id := a.calls
	a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","kind":%q,"title":%s,"status":"in_progress"}`, id, kind, encoded(title)))
	return func(ok bool) {
		state := "completed"
		if !ok {
			state = "failed"
		}
		a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"c%d","status":%q}`, id, state))
	}
}

func (a *agent) file(session string) string {
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".acp-agent", "sessions", filepath.Base(session)+".jsonl")
}

func (a *agent) answer(m message) {
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
		if code, words, refused := strings.Cut(reason, " "); refused {
			fmt.Fprintf(os.Stderr, "error: {\n  code: %s\n}\n", code)
			a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":%s}}`, m.ID, code, encoded(words))
			return
		}
		reply(fmt.Sprintf(`{"stopReason":%q,"usage":{"inputTokens":120,"outputTokens":30,"totalTokens":150}}`, reason))
	case "session/cancel":
	default:
		a.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
	}
}

// work does what a request says, and returns the reason for which it ends.
func (a *agent) work(prompt string) (reason string) {
	const mark = "The request:\n\n"
	request, _, _ := strings.Cut(prompt[strings.LastIndex(prompt, mark)+len(mark):], "\n\n") // not an earlier one
	memory, _ := os.ReadFile(a.file(a.session))                                              // none in a new session
	_ = os.MkdirAll(filepath.Dir(a.file(a.session)), 0o700)
	if err := os.WriteFile(a.file(a.session), append(memory, request+"\n"...), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	lines := strings.Split(strings.ReplaceAll(request, "; ", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "write":
			name, text, _ := strings.Cut(rest, " ")
			full, _ := filepath.Abs(name) // as agents name files
			end := a.tool("edit", "Edit "+full)
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
		case "think":
			a.speak("agent_thought_chunk", rest)
		case "tell":
			a.say(fmt.Sprintf("Session %s was asked before: %q. Now:\n\n%s", a.session, memory, prompt))
		case "plan":
			a.update(`{"sessionUpdate":"plan","entries":[{"content":"look","priority":"high","status":"completed"},{"content":"act","priority":"high","status":"in_progress"}]}`)
		case "follow":
			text, err := os.ReadFile(rest)
			if err != nil {
				a.say(err.Error())
			}
			lines = append(lines, strings.Split(strings.TrimSpace(string(text)), "\n")...)
		case "wait":
			if err := waits(rest); err != nil {
				a.say(err.Error())
			}
		case "during":
			address, rest, _ := strings.Cut(rest, " ")
			kind, title, _ := strings.Cut(rest, " ")
			end := a.tool(kind, title)
			end(waits(address) == nil)
		case "spawn":
			if err := exec.Command("sh", "-c", rest).Start(); err != nil {
				a.say(err.Error())
			}
		case "stop", "refuse":
			return rest
		case "hang":
			a.say("I hang. ")
			if a.cancelled(rest) {
				return "cancelled"
			}
		default:
			a.misbehave(verb, rest)
		}
	}
	return "end_turn"
}

// misbehave does what no agent should: it returns only if the verb is none of its own.
func (a *agent) misbehave(verb, rest string) {
	switch verb {
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		a.say("I hang, whatever comes. ")
		a.cancelled(rest)
		for {
			time.Sleep(time.Hour)
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

// waits waits until the one who listens at an address sends a line.
func waits(address string) error {
	at, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer at.Close()
	_, err = bufio.NewReader(at).ReadString('\n')
	return err
}

// cancelled waits until the turn is cancelled, and says so at an address, "" for none. It keeps that
// connection, so that who listens there sees when this process is gone.
func (a *agent) cancelled(address string) bool {
	var at io.Writer = io.Discard
	if address != "" {
		c, err := net.Dial("tcp", address)
		if err != nil {
			a.say(err.Error())
			return false
		}
		at = c
		fmt.Fprintln(at, "hanging")
	}
	for m := range a.messages {
		if m.Method == "session/cancel" {
			fmt.Fprintln(at, "cancelled")
			return true
		}
	}
	return false
}

// asks asks for a permission and returns the answer.
func (a *agent) asks(kind, title string) string {
	a.calls++
	a.send(`{"jsonrpc":"2.0","id":"ask%d","method":"session/request_permission","params":{"sessionId":%q,"toolCall":{"toolCallId":"c%d","kind":%q,"title":%s},"options":[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`,
		a.calls, a.session, a.calls, kind, encoded(title))
	for m := range a.messages {
		if m.Method == "" {
			return m.Result.Outcome.Outcome + " " + m.Result.Outcome.OptionID
		}
	}
	return "nothing"
}
