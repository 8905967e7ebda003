package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/model"
	"redline/internal/pagetest"
)

// policyIn writes a policy as an administrator would, with the test's user in the place of root.
func policyIn(t *testing.T, text string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a policy on Windows must belong to the administrators: run this test on Linux or macOS")
	}
	ownedByTester(t)
	path := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// under loads a user's settings under a policy.
func under(t *testing.T, policy, file string, env, flags map[string]string) Settings {
	t.Helper()
	src := sources(t, file, env, flags)
	src.Policy = policyIn(t, policy)
	s, _, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The policy replaces a user's looser setting by what it allows; a tighter one stays.
func TestPolicyTightens(t *testing.T) {
	for _, c := range []struct{ name, policy, user, want string }{
		{"limits.requests", "10", "50", "10"},
		{"limits.requests", "10", "5", "5"},
		{"limits.steps", "10", "50", "10"},
		{"limits.tokens", "1000", "0", "1000"},
		{"limits.tokens", "0", "7", "7"},
		{"limits.tokens", "1000", "900", "900"},
		{"limits.repeats", "2", "9", "2"},
		{"limits.wall_seconds", "60", "0", "60"},
		{"limits.wall_seconds", "60", "30", "30"},
		{"limits.max_file", "1000", "2000", "1000"},
		{"limits.keep_days", "90", "7", "90"},
		{"limits.keep_days", "90", "0", "0"},
		{"limits.keep_days", "0", "90", "0"},
		{"limits.keep_mb", "2000", "1", "2000"},
		{"approval.decide", `"ask"`, `"plan"`, "ask"},
		{"approval.decide", `"plan"`, `"ask"`, "ask"},
		{"approval.second_look", `"drift"`, `"never"`, "drift"},
		{"approval.second_look", `"drift"`, `"always"`, "always"},
		{"approval.audit", `"require"`, `"auto"`, "require"},
		{"approval.audit", `"auto"`, `"require"`, "require"},
		{"approval.ways", `["choice", "cli"]`, `["words", "cli"]`, "cli"},
		{"approval.ways", `["choice"]`, `["choice", "words", "cli", "rules"]`, "choice"},
		{"approval.ways", `[]`, `["choice"]`, "(none)"},
		{"approval.ways", `["choice", "words"]`, `["choice"]`, "choice"},
		{"fetch.hosts", `["*.example.com", "go.dev"]`, `["docs.example.com", "go.dev", "evil.test", "http://go.dev"]`, "docs.example.com, go.dev"},
		{"fetch.private_hosts", `["localhost:8080"]`, `["localhost:8080", "localhost:22"]`, "localhost:8080"},
		{"fetch.hosts", `[]`, `["go.dev"]`, "(none)"},
		{"fetch.timeout_seconds", "5", "60", "5"},
		{"fetch.max_kb", "64", "1000", "64"},
		{"trials.mode", `"off"`, `"on"`, "off"},
		{"trials.mode", `"ask"`, `"on"`, "ask"},
		{"trials.mode", `"ask"`, `"off"`, "off"},
		{"languages.mode", `"off"`, `"on"`, "off"},
		{"languages.memory_mb", "1000", "2000", "1000"},
		{"trials.deny", `["make deploy"]`, `["curl"]`, "make deploy, curl"},
		{"trials.read", `["/opt/a"]`, `["/opt/a", "/opt/b"]`, "/opt/a"},
		{"trials.timeout_seconds", "5", "60", "5"},
		{"trials.max", "1", "8", "1"},
		{"trials.disk_mb", "16", "2000", "16"},
		{"trials.memory_mb", "64", "9000", "64"},
		{"commands.timeout_seconds", "5", "60", "5"},
		{"commands.wall_seconds", "60", "0", "60"},
		{"commands.confine", `"require"`, `"off"`, "require"},
		{"commands.confine", `"auto"`, `"off"`, "auto"},
		{"commands.confine", `"auto"`, `"require"`, "require"},
		{"commands.namespaces", `"auto"`, `"off"`, "auto"},
		{"commands.parallel", "1", "4", "1"},
		{"commands.caches", `["/opt/a"]`, `["/opt/a", "/opt/b"]`, "/opt/a"},
		{"commands.caches", `[]`, `["/opt/a"]`, "(none)"},
		{"commands.allow", `["go test"]`, `["go test", "rm"]`, "go test"},
		{"commands.allow", `[]`, `["go test"]`, "(none)"},
		{"commands.deny", `["git push"]`, `["rm"]`, "git push, rm"},
		{"commands.env", `["TOKEN"]`, `["TOKEN", "AWS_SECRET"]`, "TOKEN"},
		{"workspace.trusted_folders", `[]`, `["*"]`, "(none)"},
	} {
		table, entry, _ := strings.Cut(c.name, ".")
		in := func(value string) string { return "[" + table + "]\n" + entry + " = " + value + "\n" }
		s := under(t, in(c.policy), in(c.user), nil, nil)
		k, _ := find(c.name)
		if got := k.show(s); got != c.want {
			t.Errorf("%s: %s under %s is %s, want %s", c.name, c.user, c.policy, got, c.want)
		}
		alone := under(t, "", in(c.user), nil, nil)
		if changed := k.show(s) != k.show(alone); changed != (s.origin(c.name) == policyOrigin) {
			t.Errorf("%s: the policy changed it: %t, but its origin is %s", c.name, changed, s.origin(c.name))
		}
	}
}

// A policy also limits the settings with the highest precedence: flags and the environment.
func TestPolicyBoundsFlagsAndVariables(t *testing.T) {
	s := under(t, "[limits]\nrequests = 3\nsteps = 2\n", "", nil, map[string]string{"limits.requests": "99"})
	if s.Requests != 3 || s.Steps != 2 {
		t.Errorf("%d requests and %d steps, want 3 and 2", s.Requests, s.Steps)
	}
}

// Redline reads a policy when it starts: a later change applies from the next start on.
func TestAPolicyThatChanges(t *testing.T) {
	src := sources(t, "", nil, nil)
	src.Policy = policyIn(t, "[trials]\nmode = \"off\"\n[model]\nproviders = []\n")
	before, _, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	openai := model.Config{BaseURL: model.DefaultBaseURL}
	for text, fails := range map[string]bool{"": false, "[trials": true} {
		if err := os.WriteFile(src.Policy, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		edited, _ := before.WithEditor(map[string]any{"ui": map[string]any{"code_lens": false}})
		if before.Trials.Mode != "off" || before.Allowed(openai).Refused == "" || edited.Trials.Mode != "off" || edited.Allowed(openai).Refused == "" {
			t.Errorf("%q loosens what runs", text)
		}
		if after, _, err := Load(src); (err != nil) != fails || err == nil && after.Trials.Mode == "off" {
			t.Errorf("%q: the next start has trials %q, %v", text, after.Trials.Mode, err)
		}
	}
	if err := os.Remove(src.Policy); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(src); err != nil || before.Allowed(openai).Refused == "" {
		t.Errorf("without the file: %v", err)
	}
}

// Each setting can be tightened by a policy, or is listed here as one that a policy cannot tighten.
func TestWhichSettingsAPolicyHas(t *testing.T) {
	free := strings.Fields(`model.provider model.api_key_command model.base_url model.name model.classification model.api_key_env model.key_header model.api_version
		model.headers model.plan model.edit model.classify model.summarise model.edits model.tools model.stream model.system model.prices
		model.reuse_plans limits.provider_give_up_seconds limits.provider_silence_seconds editor.apply_timeout_seconds editor.review
		editor.attached context.tokens context.summaries context.rules context.facts heap.enabled ui.code_lens ui.inlay_hints
		ui.ask_when_ready ui.report workspace.charsets outside.default share.branch`)
	var all []string
	for _, k := range keys {
		if k.limit == nil {
			all = append(all, k.name)
		}
	}
	slices.Sort(all)
	slices.Sort(free)
	if diff := cmp.Diff(all, free); diff != "" {
		t.Errorf("each setting either has a limit or nothing that a policy should tighten (-settings +decided):\n%s", diff)
	}
}

func TestPolicyOnModels(t *testing.T) {
	for _, c := range []struct {
		hosts, base, key, refused string
	}{
		{`["api.openai.com"]`, "", "k", ""},
		{`["api.openai.com"]`, "", "", ""}, // the built-in model
		{`[]`, "", "", ""},
		{`[]`, "", "k", "it allows the built-in model only"},
		{`["*.corp.example"]`, "https://llm.corp.example/v1", "k", ""},
		{`["*.corp.example"]`, "https://corp.example.evil.test/v1", "k", "does not allow models at corp.example.evil.test; it allows *.corp.example"},
		{`["*.corp.example"]`, "http://llm.corp.example/v1", "k", "does not allow"},
		{`["http://localhost:11434"]`, "http://localhost:11434/v1", "", ""},
		{`["http://localhost:11434"]`, "http://localhost:8080/v1", "", "does not allow"},
	} {
		env := map[string]string{"OPENAI_API_KEY": c.key, "OPENAI_BASE_URL": c.base}
		s := under(t, "[model]\nhosts = "+c.hosts, "", env, nil)
		if got := s.Refused; (c.refused == "") != (got == "") || !strings.Contains(got, c.refused) {
			t.Errorf("hosts %s, model at %q: %q, want %q", c.hosts, c.base, got, c.refused)
		}
		if s.ModelConfig().Refused != s.Refused {
			t.Error("the model is not told that it is refused")
		}
		asked := s.ModelConfig()
		asked.Refused = ""
		if asked := UnderPolicy(Sources{Policy: policyIn(t, "[model]\nhosts = "+c.hosts)}, asked); (asked.Refused == "") != (c.refused == "") {
			t.Errorf("hosts %s, a connection to %q: %q", c.hosts, c.base, asked.Refused)
		}
	}
}

func TestPolicyOnToolServers(t *testing.T) {
	user := "[mcp.docs]\ncommand = \"docs-server\"\nargs = [\"--all\"]\nread_only = [\"find\", \"drop\"]\n[mcp.other]\ncommand = \"other\"\n[mcp.web]\nurl = \"https://a.example/mcp\"\n"
	for _, c := range []struct{ policy, want string }{
		{"", "docs other web"},
		{"[mcp]\n", ""},
		{"[mcp.d]\ncommand = \"docs-server\"\nargs = [\"--all\"]\n", "docs"},
		{"[mcp.docs]\ncommand = \"docs-server\"\n", ""},
		{"[mcp.web]\nurl = \"https://a.example/mcp\"\n", "web"},
		{"[mcp.web]\nurl = \"https://b.example/mcp\"\n", ""},
	} {
		var names []string
		for _, server := range under(t, c.policy, user, nil, nil).ToolServers {
			names = append(names, server.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("under %q: %s, want %s", c.policy, got, c.want)
		}
	}
	s := under(t, "[mcp.d]\ncommand = \"docs-server\"\nargs = [\"--all\"]\nread_only = [\"find\"]\n", user, nil, nil)
	if got := s.ToolServers[0].ReadOnly; !slices.Equal(got, []string{"find"}) {
		t.Errorf("the tools that may be called at once are %q, want find", got)
	}
}

// A policy that cannot be applied stops the program: continuing without it would loosen it.
func TestPolicyThatCannotBeApplied(t *testing.T) {
	for text, want := range map[string]string{
		"[limits":                            "line 1 is not TOML",
		"[trials]\nmode = \"\xff\"":          "is not TOML",
		"\xff\xfe[\x00t\x00":                 "is not TOML",
		"[trials]\nmode = \"off\"\x00":       "is not TOML",
		"[trials]\n[trials]\nmode=\"off\"":   "is not TOML",
		"[Trials]\nmode = \"off\"":           "this version of Redline does not know the table Trials",
		"[model]\nproviders = \"openai\"":    "model.providers must be a list of providers",
		"[model]\nproviders = [\"open ai\"]": "model.providers must be a list of: openai, anthropic",
		"[model]\nproviders = [1]":           "model.providers must be a list of: openai, anthropic",
		"[model]\nprovider = \"openai\"":     "a policy cannot limit model.provider",
		"[approval]\nways = [\"always\"]":    "approval.ways must be a list of: choice, words, cli, web, acp, rules",
		"[approval]\nway = [\"choice\"]":     "this version of Redline does not know approval.way",
		"[trails]\nmode = \"off\"":           "this version of Redline does not know the table trails",
		"[trails]":                           "this version of Redline does not know the table trails",
		"[trials]\nmod = \"off\"":            "this version of Redline does not know trials.mod",
		"[trials]\nmode = \"of\"":            "trials.mode must be one of: ask, on, off",
		"[ui]\ncode_lens = false":            "a policy cannot limit ui.code_lens",
		"[model]\nhosts = \"a\"":             "model.hosts must be a list of hosts",
		"[model]\nhosts = [\"*\"]":           "model.hosts must have host names",
		"[commands]\ndeny = [\"a; b\", 1]":   "commands.deny",
		"limits = 3":                         "limits must be a table, [limits]",
		"[mcp.a]\n":                          "mcp.a",
	} {
		src := sources(t, "", nil, nil)
		src.Policy = policyIn(t, text)
		_, _, err := Load(src)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "cannot be applied") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestPolicyIsShown(t *testing.T) {
	s := under(t, "[trials]\nmode = \"off\"\n[model]\nhosts = []\n[mcp]\n", "[trials]\nmode = \"on\"\n", nil, nil)
	var got []string
	for _, row := range Explain(s) {
		if row.Origin == policyOrigin || row.Key == "policy" {
			got = append(got, row.Key+" "+row.Value)
		}
	}
	want := []string{"trials.mode off", "model.hosts the built-in model only", "trials.mode no further than off", "mcp no tool servers", "outside no outside agents", "policy " + s.policy.file}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The page for teams explains each setting in a policy.
func TestTeamsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("| setting | the policy's value is |\n| --- | --- |\n")
	byMeaning := map[string][]string{}
	var order []string
	for _, k := range keys {
		if k.limit == nil {
			continue
		}
		meaning := "*" + k.limit.words + "*: " + k.limit.meaning
		if byMeaning[meaning] == nil {
			order = append(order, meaning)
		}
		byMeaning[meaning] = append(byMeaning[meaning], "`"+k.name+"`")
	}
	for _, meaning := range order {
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(byMeaning[meaning], ", "), meaning)
	}
	pagetest.Part(t, "docs/reference/policy.md", "limits", b.String(), *update)
}

// A user cannot remove plans by hand that the policy keeps.
func TestPolicyKeepsPlans(t *testing.T) {
	s := under(t, "[limits]\nkeep_days = 90\nkeep_mb = 100\n", "", nil, nil)
	for _, c := range []struct {
		days, wantDays int
		mb, wantMB     int64
	}{{1, 90, 1, 100}, {91, 91, 101, 101}, {0, 0, 0, 0}} {
		if days, mb := s.KeptAtLeast(c.days, c.mb); days != c.wantDays || mb != c.wantMB {
			t.Errorf("%d days and %d MiB are %d and %d, want %d and %d", c.days, c.mb, days, mb, c.wantDays, c.wantMB)
		}
	}
	if days, mb := under(t, "", "", nil, nil).KeptAtLeast(1, 1); days != 1 || mb != 1 {
		t.Errorf("without a limit they are %d and %d", days, mb)
	}
}
