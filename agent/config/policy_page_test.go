package config

import (
	"os"
	"slices"
	"strings"
	"testing"

	"redline/agent/commands"
	"redline/agent/toolset"
	"redline/agent/view"
)

// asLooseAsPossible are the settings of a user who allows everything.
const asLooseAsPossible = `
[model]
base_url = "https://api.openai.com/v1"
[fetch]
hosts = ["go.dev", "docs.corp.example"]
private_hosts = ["localhost:8080"]
[commands]
confine = "off"
allow = ["go test"]
env = ["AWS_SECRET"]
[trials]
mode = "on"
[approval]
second_look = "never"
[limits]
keep_days = 1
[mcp.docs]
command = "docs-server"
`

// Each policy on the page for teams changes that user's settings as the page says.
func TestPoliciesOfTheTeamsPage(t *testing.T) {
	data, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	blocks := tomlBlock.FindAllStringSubmatch(page, -1)
	if len(blocks) != 4 {
		t.Fatalf("found %d policies, want 4", len(blocks))
	}
	of := func(i int) Settings { return under(t, blocks[i][1], asLooseAsPossible, nil, nil) }
	check := func(what string, ok bool) {
		t.Helper()
		if !ok {
			t.Errorf("%s: this is not so", what)
		}
	}
	allows := func(s Settings, base string) bool {
		return s.Allowed(ProviderInfo{}.Config(base, "m", "k")).Refused == ""
	}
	allowed := func(s Settings) string {
		var ways []string
		for _, w := range view.Ways() {
			if s.Forbidden()[w] == "" {
				ways = append(ways, string(w))
			}
		}
		return strings.Join(ways, " ")
	}

	s := of(0) // the example
	check("the refusal on the page", strings.Contains(strings.Join(strings.Fields(page), " "), strings.Replace(s.Refused, s.policy.file, "/etc/redline/policy.toml", 1)) && s.Refused != "")
	check("the example allows its own resource only", allows(s, "https://acme.openai.azure.com/v1") && !allows(s, "https://evil.openai.azure.com/v1"))
	check("the example approves by choice and words", allowed(s) == "choice words")
	check("the example asks before trials", s.Trials.Mode == "ask")

	s = of(1)
	check("an open team asks any model", s.Refused == "" && allows(s, "https://llm.corp.example/v1"))
	check("an open team passes no secrets to commands", len(s.Commands.Env) == 0 && s.Commands.Confine == "auto")
	check("an open team keeps its records", s.KeepDays == 90)
	check("an open team approves as it likes, runs and tries what it likes", allowed(s) == "choice words cli web acp rules" && len(s.Commands.Allow) == 1 && s.Trials.Mode == "on" && len(s.ToolServers) == 1)

	s = of(2)
	check("a company has one provider", s.Refused != "" && allows(s, "https://api.anthropic.com/v1") && !allows(s, "https://llm.corp.example/v1"))
	check("a company fetches its own pages", len(s.Fetch.Private) == 0)
	check("a company's hosts", slices.Equal(hostNames(s.Fetch.Hosts), []string{"docs.corp.example"}))
	check("a company approves by choice", allowed(s) == "choice" && s.SecondLook == SecondLookAlways && s.Commands.Allow == nil)
	check("a company keeps an audit log for a year", s.Audit == AuditRequire && s.KeepDays == 365)
	check("a company has no tool servers", len(s.ToolServers) == 0)

	s = of(3)
	check("who is locked down has one model", s.Refused != "" && allows(s, "https://llm.corp.example/v1") && !allows(s, "https://other.corp.example/v1"))
	check("who is locked down fetches nothing", len(s.Fetch.Hosts)+len(s.Fetch.Private)+len(s.ToolServers) == 0)
	judge, wrong := commands.New(s.Commands.Allow, s.Commands.Deny)
	check("who is locked down runs nothing", len(wrong) == 0 && judge.Judge("true", "").Answer == commands.Deny && s.Trials.Mode == "off")
	check("who is locked down is asked about each edit", s.MustAsk() && allowed(s) == "choice")
	check("who is locked down keeps all records", s.Audit == AuditRequire && s.KeepDays == 0)
}

func hostNames(hosts []toolset.Host) []string {
	var names []string
	for _, h := range hosts {
		names = append(names, h.String())
	}
	return names
}

// The page begins with its question and an example, and is short.
func TestThePolicyPageIsShort(t *testing.T) {
	data, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if n := len(strings.Fields(page)); n > 650 {
		t.Errorf("it has %d words, want at most 650", n)
	}
	question, example := strings.Index(page, "?*\n"), strings.Index(page, "```toml")
	if question < 0 || example < question || strings.Contains(page[:example], "\n## ") {
		t.Error("it does not begin with its question and an example")
	}
}
