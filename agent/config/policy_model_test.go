package config

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/model"
)

// A provider is identified by its address.
func TestWhichProviderAnAddressIs(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.openai.com/v1":                            OpenAI,
		"https://API.OpenAI.com.:443/v1":                       OpenAI,
		"https://api.anthropic.com/v1":                         Anthropic,
		"https://openrouter.ai/api/v1":                         OpenRouter,
		"https://acme.openai.azure.com/openai/deployments/x":   Azure,
		"https://acme.services.ai.azure.com/models":            Azure,
		"http://localhost:11434/v1":                            "ollama",
		"http://127.0.0.1:11434/v1":                            "ollama",
		"http://[::1]:11434/v1":                                "ollama",
		"http://localhost:8080/v1":                             "llamacpp",
		"http://localhost:1234/v1":                             "lmstudio",
		"http://localhost:4000/v1":                             Other,
		"http://gpu.corp.example:11434/v1":                     Other,
		"http://api.openai.com/v1":                             Other, // unencrypted
		"https://api.openai.com:8443/v1":                       Other,
		"https://api.openai.com.evil.test/v1":                  Other,
		"https://api.openai.com@evil.test/v1":                  Other,
		"https://evil.test/api.openai.com/v1":                  Other,
		"https://openai.azure.com/v1":                          Other, // of no known provider
		"https://acme.openai.azure.com.evil.test/v1":           Other,
		"https://llm.corp.example/v1":                          Other,
		"https://evil.test/v1?x=https://api.openai.com/v1":     Other,
		"https://evil.test/v1#@api.openai.com":                 Other,
		"https://xn--pi-openai-3nd.com/v1":                     Other,
		"http://localhost.evil.test:11434/v1":                  Other,
		"http://localhost:11434@evil.test/v1":                  Other,
		"https://openrouter.ai.:8443/api/v1":                   Other,
		"https://sub.api.anthropic.com/v1":                     Other,
		"https://acme.cognitiveservices.azure.com/openai/v1":   Azure,
		"https://acme.cognitiveservices.azure.com:8443/openai": Other,
	} {
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := providerAt(at); got != want {
			t.Errorf("%s is %s, want %s", address, got, want)
		}
	}
	for _, p := range providers { // each provider with its own address is found by it
		if at := p.Config("", "", "").Address(); at != nil && providerAt(at) != p.ID {
			t.Errorf("%s is taken for %s", p.BaseURL, providerAt(at))
		}
	}
}

// However a user names a model, nothing is sent to a provider that the policy does not allow.
func TestPolicyOnProviders(t *testing.T) {
	const corp = "https://llm.corp.example/v1"
	table := func(lines ...string) string { return "[model]\n" + strings.Join(lines, "\n") + "\n" }
	for what, c := range map[string]struct {
		providers string
		file      string
		env       map[string]string
		flags     map[string]string
		refused   string // a part of the reason, "" if it is allowed
	}{
		"its own name":            {providers: `["openai"]`, file: table(`provider = "openai"`)},
		"another name":            {providers: `["openai"]`, file: table(`provider = "anthropic"`), refused: "models at api.anthropic.com (provider anthropic); it allows openai"},
		"a name with an address":  {providers: `["openai"]`, file: table(`provider = "openai"`, `base_url = "`+corp+`"`), refused: "llm.corp.example (provider other)"},
		"the address only":        {providers: `["openai"]`, file: table(`base_url = "https://api.openai.com/v1"`)},
		"another address":         {providers: `["openai", "azure"]`, file: table(`base_url = "` + corp + `"`), refused: "(provider other); it allows openai, azure"},
		"other is allowed":        {providers: `["other"]`, file: table(`base_url = "` + corp + `"`)},
		"other is not all":        {providers: `["other"]`, file: table(`provider = "openai"`), refused: "(provider openai)"},
		"a server of this one":    {providers: `["ollama"]`, file: table(`provider = "ollama"`)},
		"a server called local":   {providers: `["ollama"]`, file: table(`provider = "ollama"`, `base_url = "http://gpu.corp.example:11434/v1"`), refused: "(provider other)"},
		"the model is named":      {providers: `["openai"]`, file: table(`provider = "anthropic"`, `name = "gpt-4.1"`), refused: "(provider anthropic)"},
		"a header":                {providers: `["openai"]`, file: table(`base_url = "`+corp+`"`, `headers = { Host = "api.openai.com" }`), refused: "(provider other)"},
		"a key":                   {providers: `["openai"]`, env: map[string]string{"ANTHROPIC_API_KEY": "k"}, refused: "(provider anthropic)"},
		"an allowed key":          {providers: `["anthropic"]`, env: map[string]string{"ANTHROPIC_API_KEY": "k"}},
		"REDLINE_PROVIDER":        {providers: `["openai"]`, file: table(`provider = "openai"`), env: map[string]string{"REDLINE_PROVIDER": "openrouter"}, refused: "(provider openrouter)"},
		"REDLINE_BASE_URL":        {providers: `["openai"]`, file: table(`provider = "openai"`), env: map[string]string{"REDLINE_BASE_URL": corp}, refused: "(provider other)"},
		"OPENAI_BASE_URL":         {providers: `["openai"]`, env: map[string]string{"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": corp}, refused: "(provider other)"},
		"a flag":                  {providers: `["openai"]`, flags: map[string]string{"model.base_url": corp}, refused: "(provider other)"},
		"another flag":            {providers: `["openai"]`, flags: map[string]string{"model.provider": "anthropic"}, refused: "(provider anthropic)"},
		"a user's own list":       {providers: `["openai"]`, file: table(`providers = ["anthropic"]`, `provider = "anthropic"`), refused: "(provider anthropic)"},
		"recording":               {providers: `["openai"]`, file: table(`provider = "anthropic"`), env: map[string]string{"REDLINE_RECORD": t.TempDir()}, refused: "(provider anthropic)"},
		"a recording":             {providers: `["openai"]`, file: table(`provider = "anthropic"`), env: map[string]string{"REDLINE_REPLAY": t.TempDir()}},
		"nobody":                  {providers: `[]`, file: table(`provider = "openai"`), refused: "it allows the built-in model only"},
		"only the built-in model": {providers: `["builtin"]`, file: table(`provider = "ollama"`), refused: "it allows the built-in model only"},
		"the built-in model":      {providers: `["openai"]`, file: table(`provider = "builtin"`)},
		"no provider":             {providers: `["openai"]`},
	} {
		t.Run(what, func(t *testing.T) {
			s := under(t, "[model]\nproviders = "+c.providers+"\n", c.file, c.env, c.flags)
			if got := s.ModelConfig().Refused; (c.refused == "") != (got == "") || !strings.Contains(got, c.refused) {
				t.Errorf("refused because %q, want %q", got, c.refused)
			}
			if c.refused != "" && s.ChosenBy() != "" {
				t.Errorf("it is said that texts go there, because of %s", s.ChosenBy())
			}
			sent := map[string]any{"model": map[string]any{"provider": "openai", "base_url": "https://api.openai.com/v1", "providers": []any{"anthropic"}}}
			if edited, warnings := s.WithEditor(sent); edited.ModelConfig().Refused != s.ModelConfig().Refused || edited.BaseURL != s.BaseURL || len(warnings) == 0 {
				t.Errorf("the editor's settings count: %+v %q", edited.ModelConfig(), warnings)
			}
		})
	}
}

// The policy's hosts and its providers must both allow a model.
func TestPolicyOnHostsAndProviders(t *testing.T) {
	for base, refused := range map[string]bool{
		"https://acme.openai.azure.com/v1":  false,
		"https://other.openai.azure.com/v1": true,
		"https://acme.corp.example/v1":      true,
	} {
		s := under(t, "[model]\nhosts = [\"acme.openai.azure.com\", \"acme.corp.example\"]\nproviders = [\"azure\"]\n", "[model]\nbase_url = \""+base+"\"\n", nil, nil)
		if (s.Refused != "") != refused {
			t.Errorf("%s: %q", base, s.Refused)
		}
	}
}

// The connection that redline setup tests before there are settings is refused too.
func TestPolicyOnAConnectionOfSetup(t *testing.T) {
	src := Sources{Policy: policyIn(t, "[model]\nproviders = [\"openai\"]\n")}
	for _, id := range []string{OpenAI, Anthropic} {
		p, _ := ProviderOf(id)
		c := UnderPolicy(src, p.Config("", "", "k"))
		if (c.Refused == "") != (id == OpenAI) {
			t.Errorf("%s: %q", id, c.Refused)
		}
	}
	if c := under(t, "[model]\nproviders = []\n", "", nil, nil).Allowed(model.Config{BaseURL: "https://api.openai.com/v1"}); c.Refused == "" {
		t.Error("a connection that setup tries is allowed")
	}
}

// The place of the policy does not depend on anything that a user can set.
func TestWhereThePolicyIs(t *testing.T) {
	before := usualPolicy()
	for _, name := range []string{"HOME", "USERPROFILE", "ProgramData", "ALLUSERSPROFILE", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS",
		"REDLINE_POLICY", "REDLINE_CONFIG", "REDLINE_STATE_DIR"} {
		t.Setenv(name, t.TempDir())
	}
	if got := usualPolicy(); got != before || !filepath.IsAbs(got) {
		t.Errorf("it is %s, and was %s", got, before)
	}
	src := sources(t, "[trials]\nmode = \"on\"\n", nil, nil)
	src.Policy = policyIn(t, "[trials]\nmode = \"off\"\n")
	own := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(own, []byte("[trials]\nmode = \"on\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lookup := src.Env
	src.Env = func(name string) (string, bool) {
		if strings.HasSuffix(name, "POLICY") {
			return own, true
		}
		return lookup(name)
	}
	if s, _, err := Load(src); err != nil || s.Trials.Mode != "off" {
		t.Errorf("trials are %s, %v", s.Trials.Mode, err)
	}
}
