package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/agent/toolset"
)

// models is who a policy allows to be asked. The zero value allows everybody.
type models struct {
	hosts     []toolset.Host // model.hosts; nil for anywhere
	providers []string       // model.providers; nil for all
}

// modelLimits are the settings of [model] that only a policy has, with how each is read. Their
// errors are parts of a sentence that begins with the name.
var modelLimits = map[string]func(*models, any) error{
	"model.hosts":     (*models).setHosts,
	"model.providers": (*models).setProviders,
}

func (m *models) setHosts(value any) error {
	values, ok := value.([]any)
	text, err := items(values)
	if !ok || err != nil {
		return errors.New("must be a list of hosts")
	}
	hosts, err := toolset.ParseHosts(strings.ReplaceAll(text, separator, "\n"))
	m.hosts = append([]toolset.Host{}, hosts...)
	return err
}

func (m *models) setProviders(value any) error {
	values, ok := value.([]any)
	if !ok {
		return errors.New("must be a list of providers")
	}
	m.providers = []string{}
	for _, one := range values {
		id, _ := one.(string)
		if _, ok := ProviderOf(id); !ok {
			return fmt.Errorf("must be a list of: %s", strings.Join(ProviderIDs(), ", "))
		}
		m.providers = append(m.providers, id)
	}
	return nil
}

// onlyBuiltin says that a policy allows no model outside the program.
const onlyBuiltin = "the built-in model only"

// allowed lists who one of modelLimits allows, for the user.
func (m models) allowed(name string) string {
	all := slices.DeleteFunc(slices.Clone(m.providers), func(id string) bool { return id == Builtin })
	if name == "model.hosts" {
		all = nil
		for _, h := range m.hosts {
			all = append(all, h.String())
		}
	}
	return cmp.Or(strings.Join(all, ", "), onlyBuiltin)
}

// refusal returns why no request may go to a model, as a part of a sentence; "" if it may. The
// built-in model and a recording are at no host, and are always allowed.
func (p policy) refusal(c model.Config) string {
	at := c.Address()
	if at == nil || c.Replay != "" {
		return ""
	}
	if p.broken != nil {
		return p.broken.Error()
	}
	if p.models.hosts != nil && !toolset.Allows(p.models.hosts, at) {
		return fmt.Sprintf("the policy in %s does not allow models at %s; it allows %s", p.file, at.Host, p.models.allowed("model.hosts"))
	}
	if id := providerAt(at); p.models.providers != nil && !slices.Contains(p.models.providers, id) {
		return fmt.Sprintf("the policy in %s does not allow models at %s (provider %s); it allows %s", p.file, at.Host, id, p.models.allowed("model.providers"))
	}
	return ""
}

// providerAt returns the provider that answers at an address: by its scheme, host and port, never
// by what a user calls it. It is [Other] where none of the known ones is.
func providerAt(at *url.URL) string {
	for _, p := range providers {
		if toolset.Allows(p.hosts(), at) {
			return p.ID
		}
	}
	return Other
}

// hosts returns where a provider answers; nil if that is not known.
func (p ProviderInfo) hosts() []toolset.Host {
	text := strings.Join(azureHosts, " ")
	if p.ID != Azure {
		base, err := url.Parse(p.BaseURL)
		if err != nil || base.Host == "" {
			return nil
		}
		text = base.Host
		if p.Local {
			text = fmt.Sprintf("http://localhost:%[1]s http://127.0.0.1:%[1]s http://[::1]:%[1]s", base.Port())
		}
	}
	hosts, _ := toolset.ParseHosts(text)
	return hosts
}

// azureHosts are where Azure serves models. A name below them is the customer's.
var azureHosts = []string{"*.openai.azure.com", "*.cognitiveservices.azure.com", "*.services.ai.azure.com"}

// Allowed applies the policy to a connection that is not made from s, see [UnderPolicy].
func (s Settings) Allowed(c model.Config) model.Config {
	c.Refused = s.policy.refusal(c)
	return c
}

// UnderPolicy applies the policy of the machine to a connection that is not made from the
// settings: a connection that the policy forbids sends nothing, and says why. src.Flags do not
// matter.
func UnderPolicy(src Sources, c model.Config) model.Config {
	p, _ := readPolicy(cmp.Or(src.Policy, usualPolicy()), src.Env) // a broken policy forbids every connection
	c.Refused = p.refusal(c)
	return c
}
