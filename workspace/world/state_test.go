package world

import "testing"

// Only data may be written back: nothing that an agent, a shell or an editor runs or reads as settings.
func TestMayKeep(t *testing.T) {
	const home = "/home/skills" // a part of the name of the home folder says nothing
	for name, want := range map[string]error{
		"~/.codex/auth.json":            nil,
		"~/.codex/sessions/":            nil,
		"~/.codex/sessions":             nil,
		"/home/skills/.codex/auth.json": nil,
		"~/.codex/sessions/2026/11/28/rollout-2026-11-28T04-abc.jsonl": nil,
		"~/.claude/.credentials.json":                                  nil,
		"~/.claude/projects/":                                          nil,
		"~/.claude/projects/-home-me-skills/0f1e.jsonl":                nil,
		"~/.claude/projects/-home-me/agent-0f1e.jsonl":                 nil,
		"~/.gemini/oauth_creds.json":                                   nil,
		"~/.gemini/tmp/0f1e/chats/session-2026-11-28T04-0f1e.json":     nil,
		"~/.gemini/installation_id":                                    nil,
		"~/.local/share/opencode/auth.json":                            nil,
		"~/.pi/agent/auth.json":                                        nil,
		"~/.pi/agent/sessions/--home-me--/2026_0f1e.jsonl":             nil,
		"~/.x/token":   nil,
		"~/.x/log.txt": nil,

		"~/.codex/config.toml":                      errConfiguration,
		"~/.codex/Config.TOML":                      errConfiguration,
		"~/.codex/work.config.toml":                 errConfiguration,
		"~/.codex/hooks.json":                       errConfiguration,
		"~/.codex/AGENTS.md":                        errConfiguration,
		"~/.codex/AGENTS.override.md":               errConfiguration,
		"~/.codex/rules/default.rules":              errConfiguration,
		"~/.codex/skills/x/a.json":                  errConfiguration,
		"~/.codex/prompts/":                         errConfiguration,
		"~/.codex/plugins":                          errConfiguration,
		"~/.codex/memories/raw.txt":                 errConfiguration,
		"~/.codex/.env":                             errConfiguration,
		"~/.codex/.env.json":                        errConfiguration,
		"~/.codex/state_5.sqlite":                   errDatabase,
		"~/.codex/state_5.sqlite-wal":               errDatabase,
		"~/.claude.json":                            errConfiguration,
		"~/.claude/settings.json":                   errConfiguration,
		"~/.claude/settings.local.json":             errConfiguration,
		"~/.claude/CLAUDE.md":                       errConfiguration,
		"~/.claude/projects/-home-me/memory/a.txt":  errConfiguration,
		"~/.claude/agents/":                         errConfiguration,
		"~/.claude/plugins/known_marketplaces.json": errConfiguration,
		"~/.claude/keybindings.json":                errConfiguration,
		"~/.mcp.json":                               errConfiguration,
		"~/.x/mcp_servers.json":                     errConfiguration,
		"~/.x/userSettings.json":                    errConfiguration,
		"~/.gemini/settings.json":                   errConfiguration,
		"~/.gemini/GEMINI.md":                       errConfiguration,
		"~/.gemini/trustedFolders.json":             errConfiguration,
		"~/.gemini/extensions/":                     errConfiguration,
		"~/.gemini/policies/a.toml":                 errConfiguration,
		"~/.config/opencode/opencode.json":          errConfiguration,
		"~/.config/opencode/opencode.jsonc":         errConfiguration,
		"~/.local/share/opencode/opencode.db":       errDatabase,
		"~/.pi/agent/settings.json":                 errConfiguration,
		"~/.pi/agent/models.json":                   errConfiguration,
		"~/.pi/agent/extensions/x.ts":               errConfiguration,
		"~/.bashrc":                                 errConfiguration,
		"~/.profile":                                errConfiguration,
		"~/.zshenv":                                 errConfiguration,
		"~/.npmrc":                                  errConfiguration,
		"~/.gitconfig":                              errConfiguration,
		"~/.ssh/known.txt":                          errConfiguration,
		"~/.ssh/":                                   errConfiguration,
		"~/.config/fish/config.fish":                errConfiguration,
		"~/.config/autostart/x.desktop":             errConfiguration,
		"~/.vscode/tasks.json":                      errConfiguration,
		"~/.local/bin/x":                            errConfiguration,
		"~/x/Makefile":                              errConfiguration,
		"~/.x/picture.png":                          errKind,
		"~/.x/a\nb.jsonl":                           errName,
		"~/.x/../.ssh/a.jsonl":                      errName,
	} {
		if got := MayKeep(name, home); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"~", "~/", "/etc/a.json", "/home/skills", "../a.json", "~other/a.json"} {
		if err := MayKeep(name, home); err == nil {
			t.Errorf("%q may be kept", name)
		}
	}
}

// What only a folder names must look like data too.
func TestMayKeepIn(t *testing.T) {
	const home = "/home/me"
	for name, want := range map[string]error{
		"/home/me/.x/auth.json": nil, "/home/me/.x/oauth_creds.json": nil, "/home/me/.x/.credentials.json": nil, "/home/me/.x/token": nil, "/home/me/.x/history.jsonl": nil,
		"/home/me/.x/log.txt": nil, "/home/me/.x/sessions/2026/0f1e.json": nil, "/home/me/.x/tmp/p/chats/session-1.json": nil, "/home/me/.x/projects/-p/0f1e.jsonl": nil,
		"/home/me/.x/exact.json": nil,

		"/home/me/.x/state.json": errShape, "/home/me/.x/0f1e.json": errShape, "/home/me/.x/notes.txt": errShape, "/home/me/.x/run": errShape, "/home/me/.x/sub/data.json": errShape,
		"/home/me/.x/tools.json": errConfiguration, "/home/me/.x/sessions/tools.json": errConfiguration, "/home/me/.x/config.toml": errConfiguration, "/home/me/.x/AGENTS.md": errConfiguration,
		"/home/me/.x/sessions/hooks/a.jsonl": errConfiguration, "/home/me/.x/hooks.jsonl": errConfiguration, "/home/me/.x/mcp.json": errConfiguration, "/home/me/.x/servers.json": errConfiguration,
		"/home/me/.x/sessions/x.js": errConfiguration, "/home/me/.x/session-settings.json": errConfiguration, "/home/me/.x/auth.sh": errConfiguration,
	} {
		kept := "/home/me/.x/"
		if name == "/home/me/.x/exact.json" {
			kept = name
		}
		if got := MayKeepIn(name, kept, home); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
