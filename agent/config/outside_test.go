package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/internal/pagetest"
)

// An agent has what its table says, a preset's own for the rest.
func TestOutsideAgents(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	s, warnings := load(t, `[outside]
default = "mine"
check = true
[outside.mine]
command = ["agent", "--", "{request}"]
state = ["~/.mine", "/opt/mine"]
keep = ["~/.mine/sessions/", "~/.mine/token"]
env = ["MINE_KEY"]
network = ["api.mine.example", "*.mine.example:8443"]
memory_mb = 100
processes = 50
timeout_seconds = 60
[outside.codex]
network = "host"
[outside.claude]
command = ["claude", "-p"]
`, nil, nil)
	if len(warnings) != 0 || s.Outside.Default != "mine" || !s.Outside.Check {
		t.Fatalf("warnings %q, %+v", warnings, s.Outside)
	}
	mine, err := s.OutsideAgent("mine")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(mine), "{mine [agent -- {request}] [] [/home/ada/.mine /opt/mine] [/home/ada/.mine/sessions/ /home/ada/.mine/token] [MINE_KEY] [] [api.mine.example *.mine.example:8443] map[] 100 50 1m0s false false}"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	codex, _ := s.OutsideAgent("codex")
	if !codex.OnHost() || len(codex.ACP) == 0 || len(codex.Command) == 0 || codex.Preset || !slices.Equal(codex.State, []string{"/home/ada/.codex"}) || codex.Timeout != time.Hour {
		t.Errorf("codex is %+v", codex)
	}
	if claude, _ := s.OutsideAgent("claude"); claude.ACP != nil || len(claude.Command) != 2 || len(claude.Network) == 0 {
		t.Errorf("claude is %+v: a command of one's own replaces both ways of the preset", claude)
	}
	if gemini, _ := s.OutsideAgent("gemini"); !gemini.Preset {
		t.Errorf("gemini is %+v", gemini)
	}
	if _, err := s.OutsideAgent("none"); err == nil || !strings.Contains(err.Error(), "claude, codex, gemini, mine, opencode and pi") {
		t.Errorf("error %v", err)
	}
}

// A table that is wrong has no effect, and neither has the preset of its name.
func TestBadOutsideAgents(t *testing.T) {
	for text, want := range map[string]string{
		"[outside]\nmine = 1":                                                              "must be a table",
		"[outside.mine]":                                                                   "needs a command, or acp",
		"[outside.mine]\ncommand = []":                                                     "needs a command, or acp",
		"[outside.mine]\ncommand = [\"./agent\"]":                                          "by a name in PATH or by an absolute path",
		"[outside.mine]\ncommand = [\"agent\", \"{request}\"]":                             `"--" before "{request}"`,
		"[outside.mine]\ncommand = \"agent\"":                                              "must have a list of texts as its command",
		"[outside.mine]\ncommand = [\"a\"]\nsecret = \"sk-1\"":                             `has a key "secret"`,
		"[outside.mine]\ncommand = [\"a\"]\nenv = [\"KEY=sk-1\"]":                          "names of variables",
		"[outside.mine]\ncommand = [\"a\"]\nstate = [\"x\"]":                               "absolute names",
		"[outside.mine]\ncommand = [\"a\"]\nkeep = [\"/etc/passwd\"]":                      "in none of its state",
		"[outside.mine]\ncommand = [\"a\"]\nstate = [\"/a\"]\nkeep = [\"/a/../etc\"]":      "in none of its state",
		"[outside.mine]\ncommand = [\"a\"]\nstate = [\"/a\"]\nkeep = [\"/a/config.toml\"]": "may not keep /a/config.toml: ",
		"[outside.mine]\ncommand = [\"a\"]\nnetwork = [\"none\", \"x.example\"]":           "must stand alone",
		"[outside.mine]\ncommand = [\"a\"]\nnetwork = [\"http://x.example\"]":              "must be a host name",
		"[outside.mine]\ncommand = [\"a\"]\nmemory_mb = 0":                                 "at least 1",
		"[outside.Mine]\ncommand = [\"a\"]":                                                "small letters",
		"[outside.model]\ncommand = [\"a\"]":                                               "means something else",
		"[outside.codex]\nprocesses = \"many\"":                                            "at least 1",
		"[outside.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\ncommand = [\"agent\"]\n":  "at most 24",
	} {
		s, warnings := load(t, text, nil, nil)
		if len(warnings) != 1 || !strings.Contains(string(warnings[0]), want) || strings.Contains(string(warnings[0]), "sk-1") {
			t.Errorf("%s\nwarnings %q, want one with %q", text, warnings, want)
		}
		for _, name := range []string{"mine", "Mine", "model"} {
			if _, err := s.OutsideAgent(name); err == nil {
				t.Errorf("%s\nhas the agent", text)
			}
		}
		if _, err := s.OutsideAgent("codex"); err == nil == strings.Contains(text, "codex") {
			t.Errorf("%s\ncodex: error %v", text, err)
		}
	}
}

// A policy forbids other agents and narrows those that it has.
func TestPolicyOnOutsideAgents(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	const user = `[outside.mine]
command = ["agent"]
state = ["/opt/a", "~/b"]
keep = ["~/b/sessions/"]
env = ["A", "B"]
network = "host"
memory_mb = 9000
[outside.codex]
network = ["api.openai.com", "evil.example"]
`
	s := under(t, `[outside]
check = true
[outside.mine]
command = ["agent"]
state = ["/opt/a"]
env = ["B"]
network = ["api.mine.example"]
memory_mb = 1000
[outside.codex]
`, user, nil, nil)
	var names []string
	for _, a := range s.Outside.Agents {
		names = append(names, a.Name)
	}
	mine, _ := s.OutsideAgent("mine")
	codex, _ := s.OutsideAgent("codex")
	if !slices.Equal(names, []string{"codex", "mine"}) || !s.Outside.Check ||
		fmt.Sprint(mine.State, mine.Keep, mine.Env, mine.Network, mine.Memory) != "[/opt/a] [] [B] [api.mine.example] 1000" ||
		fmt.Sprint(codex.Network) != "[api.openai.com]" {
		t.Errorf("agents %v, %+v, %+v", names, mine, codex)
	}
	if _, err := s.OutsideAgent("claude"); err == nil || !strings.Contains(err.Error(), "the policy in ") {
		t.Errorf("error %v", err)
	}
	hosts := under(t, "[outside.mine]\ncommand = [\"agent\"]\nnetwork = [\"api.mine.example:443\", \"*.b.example\"]\n",
		"[outside.mine]\ncommand = [\"agent\"]\nnetwork = [\"API.mine.example\", \"x.B.example:8080\", \"*.x.b.example\", \"b.example\"]\n", nil, nil)
	if a, err := hosts.OutsideAgent("mine"); err != nil || fmt.Sprint(a.Network) != "[*.x.b.example api.mine.example:443]" {
		t.Errorf("hosts are not compared as hosts: %v %v", a.Network, err)
	}
	if s := under(t, "[model]\nproviders = [\"azure\"]\n", user, nil, nil); len(s.Outside.Agents) != 0 {
		t.Errorf("a policy on models leaves %+v", s.Outside.Agents)
	}
	if s := under(t, "[outside]\n", user, nil, nil); len(s.Outside.Agents) != 0 {
		t.Errorf("an empty table leaves %+v", s.Outside.Agents)
	}
	if s := under(t, "[outside.mine]\ncommand = [\"other\"]\n", user, nil, nil); len(s.Outside.Agents) != 0 {
		t.Errorf("another program of that name leaves %+v", s.Outside.Agents)
	}
}

// The settings page has every key of the tables of outside agents.
func TestSettingsPageOnOutsideAgents(t *testing.T) {
	var b strings.Builder
	b.WriteString("| key | meaning |\n| --- | --- |\n")
	for _, k := range agentKeys {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.name, k.about)
	}
	pagetest.Part(t, "docs/reference/settings.md", "outside.NAME", b.String(), *update)
}

// The configuration on the page about outside agents is valid.
func TestOutsidePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/outside-agents.md")
	if err != nil {
		t.Fatal(err)
	}
	block := tomlBlock.FindStringSubmatch(string(page))
	if block == nil {
		t.Fatal("found no configuration: does this test still look in the right place?")
	}
	s, warnings := load(t, block[1], nil, nil)
	if len(warnings) != 0 || len(s.Outside.Agents) != 6 {
		t.Errorf("warnings %q, agents %v", warnings, s.Outside.Agents)
	}
}
