package outside

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// preset is what Redline knows of an agent. State and keep are in the home folder.
type preset struct {
	name        string
	command     []string
	acp         []string
	state, keep []string
	env, set    []string
	meta        map[string]any
	network     []string
	signIn      string // how to sign in, a part of a sentence
}

// presets are the agents that need no settings. Each has its own sandbox and its own questions switched
// off by flags, never by a change to its configuration: the copy is its sandbox, and the plan is the
// question. Those that ask by ACP are answered, see [Converse].
var presets = []preset{
	{
		name:    "claude",
		command: []string{"claude", "-p", "--dangerously-skip-permissions", "--strict-mcp-config"},
		acp:     []string{"claude-agent-acp"},
		meta:    map[string]any{"claudeCode": map[string]any{"options": map[string]any{"strictMcpConfig": true}}},
		state:   []string{".claude", ".claude.json"}, keep: []string{".claude/.credentials.json", ".claude/projects/"},
		env:     []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_MODEL"},
		set:     []string{"IS_SANDBOX=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
		network: []string{"api.anthropic.com", "console.anthropic.com", "claude.ai", "platform.claude.com"},
		signIn:  "run claude once, or set ANTHROPIC_API_KEY",
	},
	{
		name:    "codex",
		command: []string{"codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "-c", "mcp_servers={}", "-c", "notify=[]", "-"},
		acp:     []string{"codex-acp", "-c", `sandbox_mode="danger-full-access"`, "-c", `approval_policy="never"`, "-c", "mcp_servers={}", "-c", "notify=[]"},
		state:   []string{".codex"}, keep: []string{".codex/auth.json", ".codex/sessions/"},
		env:     []string{"OPENAI_API_KEY", "CODEX_API_KEY"},
		network: []string{"api.openai.com", "chatgpt.com", "auth.openai.com"},
		signIn:  "run codex login, or set OPENAI_API_KEY",
	},
	{
		name:    "gemini",
		command: []string{"gemini", "--yolo"},
		acp:     []string{"gemini", "--acp"},
		state:   []string{".gemini"}, keep: []string{".gemini/oauth_creds.json", ".gemini/tmp/"},
		env:     []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		set:     []string{"GEMINI_SANDBOX=false", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		network: []string{"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"},
		signIn:  "run gemini once, or set GEMINI_API_KEY",
	},
	{
		name:    "opencode",
		command: []string{"opencode", "run", "--auto"},
		acp:     []string{"opencode", "acp"},
		state:   []string{".config/opencode", ".local/share/opencode/auth.json"},
		keep:    []string{".local/share/opencode/auth.json"},
		env:     []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"},
		set:     []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"},
		network: []string{"api.anthropic.com", "api.openai.com", "openrouter.ai", "opencode.ai", "models.dev"},
		signIn:  "run opencode auth login",
	},
	{
		name:    "pi",
		command: []string{"pi", "-p"},
		state:   []string{".pi/agent"}, keep: []string{".pi/agent/auth.json", ".pi/agent/sessions/"},
		env:     []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"},
		set:     []string{"PI_TELEMETRY=0"},
		network: []string{"api.anthropic.com", "api.openai.com", "openrouter.ai"},
		signIn:  "run pi once and use /login, or set ANTHROPIC_API_KEY",
	},
}

// Presets returns the agents that need no settings, sorted by name. Without a home folder they have no
// state.
func Presets() []Agent {
	home, _ := os.UserHomeDir()
	in := func(names []string) (paths []string) {
		for _, name := range names {
			if !filepath.IsAbs(home) {
				break
			}
			path := filepath.Join(home, filepath.FromSlash(name))
			if strings.HasSuffix(name, "/") {
				path += "/"
			}
			paths = append(paths, path)
		}
		return paths
	}
	var all []Agent
	for _, p := range presets {
		all = append(all, Agent{
			Name: p.name, Command: p.command, ACP: p.acp, State: in(p.state), Keep: in(p.keep), Env: p.env, Set: p.set, Meta: p.meta,
			Network: p.network, Memory: UsualMemory, Processes: UsualProcesses, Timeout: UsualTimeout, Preset: true,
		})
	}
	return all
}

// SignIn says how a user signs in to an agent of a preset, as a part of a sentence; "" for another.
func SignIn(name string) string {
	for _, p := range presets {
		if p.name == name {
			return p.signIn
		}
	}
	return ""
}

// Unsigned says, as a part of a sentence, that the user may not be signed in to an agent, and what to do;
// "" if they seem to be.
func (a *Agent) Unsigned(env func(string) (string, bool)) string {
	if a.SignedIn(env) {
		return ""
	}
	return fmt.Sprintf("you may not be signed in to %s: %s", a.Name, SignIn(a.Name))
}

// SignedIn reports whether an agent has what its preset needs to sign in: a file with tokens, or one of
// the variables. Nobody knows what another agent needs.
func (a *Agent) SignedIn(env func(string) (string, bool)) bool {
	if SignIn(a.Name) == "" || len(a.Keep) == 0 {
		return true
	}
	if text, err := os.ReadFile(a.Keep[0]); err == nil && !slices.Contains([]string{"", "{}"}, strings.TrimSpace(string(text))) {
		return true // pi writes one without tokens too
	}
	return slices.ContainsFunc(a.Env, func(name string) bool {
		value, _ := env(name)
		return value != ""
	})
}
