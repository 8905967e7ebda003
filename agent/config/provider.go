package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"redline/agent/model"
)

// ProviderInfo is a provider that Redline knows by name: `provider = "anthropic"` means a base
// URL and the environment variable of its key.
type ProviderInfo struct {
	ID          string `json:"id"`          // the value of the setting model.provider
	Name        string `json:"name"`        // the name that users know
	BaseURL     string `json:"baseUrl"`     // "" if the user must give it, and for the built-in model
	Variable    string `json:"variable"`    // the environment variable that usually holds the key, "" for none
	NeedsKey    bool   `json:"needsKey"`    // it refuses requests without a key
	AsksBaseURL bool   `json:"asksBaseUrl"` // each user has another base URL
	Local       bool   `json:"local"`       // a server on this machine
	Model       string `json:"-"`           // the default model; "" if only the user can know
	KeyHeader   string `json:"-"`           // the header that carries the key; "" for Authorization
}

// The providers whose names are used elsewhere.
const (
	OpenAI     = "openai"
	Anthropic  = "anthropic"
	OpenRouter = "openrouter"
	Azure      = "azure"
	Other      = "other"
	Builtin    = "builtin" // the built-in model, which needs no network
)

// providers are in the order in which users are offered them.
var providers = []ProviderInfo{
	{ID: OpenAI, Name: "OpenAI", BaseURL: model.DefaultBaseURL, Variable: "OPENAI_API_KEY", NeedsKey: true, Model: model.DefaultName},
	{ID: Anthropic, Name: "Anthropic", BaseURL: "https://api.anthropic.com/v1", Variable: "ANTHROPIC_API_KEY", NeedsKey: true, Model: "claude-sonnet-4-5"},
	{ID: OpenRouter, Name: "OpenRouter", BaseURL: "https://openrouter.ai/api/v1", Variable: "OPENROUTER_API_KEY", NeedsKey: true, Model: "anthropic/claude-sonnet-4.5"},
	{ID: Azure, Name: "Azure OpenAI", Variable: "AZURE_OPENAI_API_KEY", NeedsKey: true, AsksBaseURL: true, KeyHeader: "api-key"},
	{ID: "ollama", Name: "Ollama", BaseURL: "http://localhost:11434/v1", Local: true},
	{ID: "llamacpp", Name: "llama.cpp", BaseURL: "http://localhost:8080/v1", Local: true, Model: "default"},
	{ID: "lmstudio", Name: "LM Studio", BaseURL: "http://localhost:1234/v1", Local: true},
	{ID: Other, Name: "Another OpenAI-compatible endpoint", Variable: "OPENAI_API_KEY", AsksBaseURL: true},
	{ID: Builtin, Name: "Built-in model, offline", Local: true},
}

// Providers returns the providers that Redline knows, in the order in which users are offered them.
func Providers() []ProviderInfo { return slices.Clone(providers) }

// ProviderOf returns a provider by its id.
func ProviderOf(id string) (p ProviderInfo, ok bool) {
	i := slices.IndexFunc(providers, func(p ProviderInfo) bool { return p.ID == id })
	if i < 0 {
		return ProviderInfo{}, false
	}
	return providers[i], true
}

// ProviderIDs returns the ids of all providers.
func ProviderIDs() []string {
	var ids []string
	for _, p := range providers {
		ids = append(ids, p.ID)
	}
	return ids
}

// Config returns the configuration of a connection to the provider. An empty base or name means
// the provider's default. For the built-in model it returns the zero value.
func (p ProviderInfo) Config(base, name, key string) model.Config {
	if p.ID == Builtin {
		return model.Config{}
	}
	return model.Config{
		BaseURL: cmp.Or(strings.TrimSpace(base), p.BaseURL), APIKey: key, Name: cmp.Or(name, p.Model),
		KeyHeader: p.KeyHeader, KeyFrom: p.Variable,
	}
}

// IsLocal reports whether a base URL is a server on this machine, so that texts sent there do
// not leave it.
func IsLocal(base string) bool {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// unnamed are the providers that are used if only their key is in the environment, in the order
// in which they are tried.
var unnamed = []string{OpenAI, Anthropic, OpenRouter}

// otherConnection resets the settings of another provider than the named one: its address, its
// key and its models' names must not be used with this one.
func (l *loader) otherConnection() {
	for _, k := range keys {
		if k.ofProvider {
			k.reset(&l.settings)
			delete(l.settings.origins, k.name)
		}
	}
}

// beginEnvironment prepares for the environment's settings. If they name another provider than
// the file does, the file's connection is ignored.
func (l *loader) beginEnvironment() {
	if id, ok := l.lookup("REDLINE_PROVIDER"); ok && strings.ToLower(strings.TrimSpace(id)) != l.settings.Provider {
		if setProvider(&Settings{}, id) == nil {
			l.otherConnection()
		}
	}
}

// openAIBase uses OPENAI_BASE_URL, unless the named provider has its own address or
// REDLINE_BASE_URL is set: then the address would get the key of another provider.
func (l *loader) openAIBase() {
	s := &l.settings
	text, ok := l.lookup("OPENAI_BASE_URL")
	if _, ours := l.lookup("REDLINE_BASE_URL"); !ok || ours || s.origins["model.base_url"] == "flag" {
		return
	}
	if s.Provider == "" || s.Provider == OpenAI || s.Provider == Other {
		s.BaseURL, s.origins["model.base_url"] = strings.TrimSpace(text), "OPENAI_BASE_URL"
	}
}

// resolveProvider finds out where models are asked, and with which key.
func (l *loader) resolveProvider() {
	s := &l.settings
	l.openAIBase()
	own, hasOwn := l.lookup("REDLINE_API_KEY")
	p, named := ProviderOf(s.Provider)
	switch {
	case s.Provider == Builtin:
		l.otherConnection()
		return
	case !named && s.BaseURL == "":
		if p, named = l.unnamedProvider(); named {
			_, chosen := s.origins["model.api_key_env"]
			s.ByEnvironment = !chosen
		}
		if hasOwn && !named {
			l.warn("REDLINE_API_KEY has no effect, because no provider is named: set REDLINE_PROVIDER or REDLINE_BASE_URL too.")
		}
		hasOwn = false
	case !named:
		s.ByEnvironment = s.origins["model.base_url"] == "OPENAI_BASE_URL"
	}
	if named {
		l.useProvider(p)
	}
	switch {
	case hasOwn:
		s.APIKey, s.KeyCommand, s.KeyFrom = own, nil, "REDLINE_API_KEY"
	case len(s.KeyCommand) > 0:
		s.KeyFrom = "api_key_command"
	default:
		s.APIKey, _ = l.lookup(s.APIKeyEnv)
		s.KeyFrom = s.APIKeyEnv
	}
}

// unnamedProvider returns the provider of the first key that is set, if no setting names one.
func (l *loader) unnamedProvider() (ProviderInfo, bool) {
	for _, id := range unnamed {
		p, _ := ProviderOf(id)
		variable := p.Variable
		if id == OpenAI {
			variable = l.settings.APIKeyEnv // which a setting may have named
		} else if l.settings.APIKeyEnv != "OPENAI_API_KEY" {
			break // only that one is wanted
		}
		if _, ok := l.lookup(variable); ok {
			return p, true
		}
	}
	if len(l.settings.KeyCommand) > 0 {
		l.warn("model.api_key_command has no effect, because no provider is named: set model.provider or model.base_url too.")
		l.settings.KeyCommand = nil
	}
	return ProviderInfo{}, false
}

// useProvider fills in the provider's defaults for what no setting says.
func (l *loader) useProvider(p ProviderInfo) {
	s := &l.settings
	s.Used = p.ID
	s.BaseURL = cmp.Or(s.BaseURL, p.BaseURL)
	s.Config.Name = cmp.Or(s.Config.Name, p.Model)
	s.KeyHeader = cmp.Or(s.KeyHeader, p.KeyHeader)
	if _, set := s.origins["model.api_key_env"]; !set && p.Variable != "" {
		s.APIKeyEnv = p.Variable
	} else if !set {
		s.APIKeyEnv = "" // it needs no key, and must not get one that is meant for another
	}
	switch {
	case s.BaseURL == "":
		l.warn("The provider %s has another address for each user, and none is set, so the built-in model answers: set model.base_url, or run redline setup.", p.ID)
		s.KeyCommand, s.APIKeyEnv = nil, ""
	case s.Config.Name == "":
		l.warn("The provider %s is set, but no model: set model.name, or run redline setup.", p.ID)
	}
}

// Asks reports whether a model outside the program is asked; else the built-in one is.
func (s Settings) Asks() bool { return s.BaseURL != "" }

// ChosenBy returns the environment variable that alone has chosen where models are asked, if what is
// sent there leaves this machine; else "". What the policy refuses is not sent.
func (s Settings) ChosenBy() string {
	switch {
	case !s.ByEnvironment || s.Replay != "" || s.Refused != "" || IsLocal(s.BaseURL):
		return ""
	case s.origins["model.base_url"] == "OPENAI_BASE_URL":
		return "OPENAI_BASE_URL"
	}
	return s.KeyFrom
}

// BaseFrom returns the variable or setting that has the base URL.
func (s Settings) BaseFrom() string {
	switch origin := s.origins["model.base_url"]; {
	case origin == "OPENAI_BASE_URL" || origin == "REDLINE_BASE_URL":
		return origin
	case origin == "" && s.Provider != "":
		return "model.provider"
	case origin == "" && s.Used != "": // by its key
		return "the address"
	}
	return "model.base_url"
}

// setProvider sets the provider.
func setProvider(s *Settings, text string) error {
	id := strings.ToLower(strings.TrimSpace(text))
	if _, ok := ProviderOf(id); !ok {
		return fmt.Errorf("must be one of: %s", strings.Join(ProviderIDs(), ", "))
	}
	s.Provider = id
	return nil
}

// showProvider returns the name of the provider, even if only a key in the environment has
// chosen it.
func showProvider(s Settings) string {
	switch {
	case s.Provider != "":
		return s.Provider
	case s.Used != "":
		return s.Used + " (by the key in the environment)"
	case s.BaseURL != "":
		return "(by the base URL)"
	}
	return "(none: the built-in model)"
}

// keyCommand is the setting with the command that prints the key.
const keyCommand = "model.api_key_command"

// setKeyCommand reads a program and its arguments: a list as JSON, or a line that is split as a
// shell splits it. Its errors quote nothing, since a user may have written a key there by
// mistake.
func setKeyCommand(s *Settings, text string) error {
	var words []string
	if strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &words) != nil {
			return errors.New("must be a list of texts")
		}
	} else {
		var err error
		if words, err = shell.Fields(text, nil); err != nil {
			return errors.New(`must be a program and its arguments; for more than that write ["sh", "-c", "…"]`)
		}
	}
	if len(words) == 0 || words[0] == "" {
		return errors.New("must name a program")
	}
	s.KeyCommand = words
	return nil
}

// showKeyCommand returns only the name of the program, since its arguments may hold a secret.
func showKeyCommand(s Settings) string {
	if len(s.KeyCommand) == 0 {
		return "(none)"
	}
	shown := filepath.Base(s.KeyCommand[0])
	if len(s.KeyCommand) > 1 {
		shown += " (arguments not shown)"
	}
	return shown
}
