package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"redline/agent/model/modeltest"
)

// agentStep is a step of an agent: one of reading a file, editing it, running a command, or its last
// words, all by the agent's own tools. Paths are those in the agent's folder.
type agentStep struct {
	Read string `json:",omitempty"`

	Edit     string `json:",omitempty"` // a file
	Old, New string `json:",omitempty"` // whole lines

	Run string `json:",omitempty"`
	Say string `json:",omitempty"`
}

// agentScript has the steps by a text of the request that they answer.
type agentScript map[string][]agentStep

// reply is the model's reply to a request of an agent whose tools are used by call. It depends on the
// request alone: on what the user asked last, and on how many calls have been answered since.
func (s agentScript) reply(ask modeltest.Request, call func(agentStep) modeltest.Part) modeltest.Reply {
	if len(ask.Tools) == 0 { // for a title, or a summary
		return modeltest.Stream(modeltest.Text("A title"))
	}
	var steps []agentStep
	done := 0
	for _, m := range ask.Messages {
		if m.Role == "tool" {
			done++
			continue
		}
		if m.Role != "user" {
			continue
		}
		last := -1 // a rework names the plan's request before its own
		for request, of := range s {
			if at := strings.LastIndex(m.Content, request); at > last {
				last, steps, done = at, of, 0
			}
		}
	}
	if done >= len(steps) {
		return modeltest.Fail(http.StatusBadRequest, fmt.Sprintf(`{"error":{"message":"the script has %d steps, and %d are done"}}`, len(steps), done))
	}
	if said := steps[done].Say; said != "" {
		return modeltest.Stream(modeltest.Text(said))
	}
	return modeltest.Stream(call(steps[done]))
}

// agentProgram is a program of others that edits files, with what makes it ask an endpoint of ours,
// run without asking and without a sandbox of its own, and leave the user's own files alone.
type agentProgram struct {
	// files are written into the home folder, by their names there. {base} is the endpoint's base URL,
	// without a path.
	files map[string]string
	env   []string // of the program; {base} as above
	args  []string // {request} is what it is asked
	stdin bool     // the request goes there

	acp  []string // its program that speaks ACP, with arguments; nil for none
	keep []string // of what is in the home folder: the sessions of that one, if they can be kept

	call func(agentStep) modeltest.Part
}

// toolCall is a call with arguments that are strings.
func toolCall(name string, args ...any) modeltest.Part {
	named := map[string]any{}
	for i := 0; i+1 < len(args); i += 2 {
		named[args[i].(string)] = args[i+1]
	}
	raw, _ := json.Marshal(named) // strings and such
	return modeltest.Call(name, string(raw))
}

// here returns the absolute name of a file, which some tools want.
func here(path string) string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// codexCall is a call of Codex, which has no tool to read a file.
func codexCall(s agentStep) modeltest.Part {
	switch {
	case s.Edit != "":
		lines := func(sign, text string) string {
			return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
		}
		return modeltest.Call("apply_patch", "*** Begin Patch\n*** Update File: "+s.Edit+"\n@@\n"+lines("-", s.Old)+lines("+", s.New)+"*** End Patch\n")
	case s.Read != "":
		return toolCall("exec_command", "cmd", "cat '"+s.Read+"'")
	}
	return toolCall("exec_command", "cmd", s.Run, "yield_time_ms", 30000)
}

const (
	codexSettings = `model = "gpt-5.5"
model_provider = "scripted"
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{base}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`
	opencodeSettings = `{"model": "scripted/m", "small_model": "scripted/m", "permission": "allow", "autoupdate": false, "share": "disabled", "provider": {"scripted": {
		"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": "{base}/v1", "apiKey": "none"}, "models": {"m": {"name": "m"}}}}}`
	piModels = `{"providers": {"scripted": {"baseUrl": "{base}/v1", "api": "openai-completions", "apiKey": "none", "models": [{"id": "m"}]}}}`
)

// agentPrograms are what .ci/install-agents installs, by their names.
var agentPrograms = map[string]agentProgram{
	"codex": {
		files: map[string]string{".codex/config.toml": codexSettings}, env: []string{"SCRIPTED_KEY=none"}, stdin: true,
		args: []string{"exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "-"},
		acp:  []string{"codex-acp", "-c", `sandbox_mode="danger-full-access"`, "-c", `approval_policy="never"`}, keep: []string{"~/.codex/sessions/"},
		call: codexCall,
	},
	"opencode": {
		files: map[string]string{".config/opencode/opencode.json": opencodeSettings},
		env:   []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
		args:  []string{"run", "--auto", "{request}"}, acp: []string{"opencode", "acp"},
		call: func(s agentStep) modeltest.Part {
			switch {
			case s.Read != "":
				return toolCall("read", "filePath", here(s.Read))
			case s.Edit != "":
				return toolCall("edit", "filePath", here(s.Edit), "oldString", s.Old, "newString", s.New)
			}
			return toolCall("bash", "command", s.Run, "description", "runs a command")
		},
	},
	"pi": {
		files: map[string]string{".pi/agent/models.json": piModels}, env: []string{"PI_OFFLINE=1", "PI_TELEMETRY=0"},
		args: []string{"-p", "--provider", "scripted", "--model", "m", "{request}"},
		call: func(s agentStep) modeltest.Part {
			switch {
			case s.Read != "":
				return toolCall("read", "path", s.Read)
			case s.Edit != "":
				return toolCall("edit", "path", s.Edit, "edits", []any{map[string]string{"oldText": s.Old, "newText": s.New}})
			}
			return toolCall("bash", "command", s.Run)
		},
	},
	"claude": {
		env:  []string{"ANTHROPIC_BASE_URL={base}", "ANTHROPIC_API_KEY=none", "IS_SANDBOX=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		args: []string{"-p", "--dangerously-skip-permissions"}, stdin: true,
		acp: []string{"claude-agent-acp"}, keep: []string{"~/.claude/projects/"},
		call: func(s agentStep) modeltest.Part {
			switch {
			case s.Read != "":
				return toolCall("Read", "file_path", here(s.Read))
			case s.Edit != "":
				return toolCall("Edit", "file_path", here(s.Edit), "old_string", s.Old, "new_string", s.New)
			}
			return toolCall("Bash", "command", s.Run, "description", "runs a command")
		},
	},
	"gemini": {
		files: map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`},
		env:   []string{"GOOGLE_GEMINI_BASE_URL={base}", "GEMINI_API_KEY=none", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		args:  []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-p", "{request}"},
		acp:   []string{"gemini", "--acp", "-m", "gemini-2.5-pro"},
		call: func(s agentStep) modeltest.Part {
			switch {
			case s.Read != "":
				return toolCall("read_file", "file_path", here(s.Read))
			case s.Edit != "":
				return toolCall("replace", "file_path", here(s.Edit), "old_string", s.Old, "new_string", s.New, "instruction", "what the user asked")
			}
			return toolCall("run_shell_command", "command", s.Run, "description", "runs a command")
		},
	},
}

// scriptedAgent runs an agent of others with an endpoint on loopback, in the process's own network:
//
//	scripted-agent NAME PROGRAM SCRIPT REQUEST
//
// SCRIPT is the file of an agentScript. It exits as the program does, and without the endpoint.
func scriptedAgent() {
	status, err := runScriptedAgent(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "scripted-agent:", err)
		status = 125
	}
	os.Exit(status)
}

func runScriptedAgent(args []string) (status int, err error) {
	if len(args) != 4 {
		return 0, errors.New("usage: scripted-agent NAME PROGRAM SCRIPT REQUEST")
	}
	of, known := agentPrograms[args[0]]
	if !known {
		return 0, fmt.Errorf("there is no agent %q", args[0])
	}
	var script agentScript
	text, err := os.ReadFile(args[2])
	if err == nil {
		err = json.Unmarshal(text, &script)
	}
	if err != nil {
		return 0, err
	}
	server := modeltest.NewOf(func(ask modeltest.Request) modeltest.Reply { return script.reply(ask, of.call) })
	base, err := server.Start()
	if err != nil {
		return 0, err
	}
	defer server.Close()
	cmd, err := of.command(args[1], strings.TrimSuffix(base, "/v1"), os.Getenv("HOME"), args[3])
	if err != nil {
		return 0, err
	}
	cmd.Env = append(os.Environ(), cmd.Env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// command returns a command that runs the program for a request. Its environment is what must be
// added to another.
func (p agentProgram) command(program, base, home, request string) (*exec.Cmd, error) {
	for name, text := range p.files {
		name = filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "{base}", base)), 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(program)
	for _, arg := range p.args {
		cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "{request}", request))
	}
	for _, value := range p.env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(value, "{base}", base))
	}
	if p.stdin {
		cmd.Stdin = strings.NewReader(request)
	}
	return cmd, nil
}
