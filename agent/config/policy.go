package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"redline/agent/commands"
	"redline/agent/model"
	"redline/agent/toolset"
)

// policyOrigin is the origin of a value that the policy decided.
const policyOrigin = "policy"

// policy is what the administrator of a machine allows: settings that nobody else can loosen.
// The zero policy allows everything.
type policy struct {
	file   string // an absolute path; "" if there is no policy
	values *Settings
	names  []string // the settings that it has, sorted
	models models   // who may be asked
	tools  bool     // it has the table mcp: other tool servers are not allowed

	outside bool // it has the table outside: other outside agents are not allowed

	broken error // why it cannot be applied: nothing may be sent then
}

// readPolicy reads the policy at a path. Its author meant to forbid something, so anything in it
// that cannot be applied is an error: a wrong owner, a key that this version does not know, a
// bad value. If the file is missing, there is no policy.
func readPolicy(path string, env func(string) (string, bool)) (policy, *Unusable) {
	if path == "" {
		return policy{}, nil
	}
	broken := func(why string) (policy, *Unusable) {
		err := &Unusable{file: path, policy: true, why: errors.New(why)}
		return policy{broken: err}, err
	}
	switch there, why := findPolicy(path); {
	case why != "":
		return broken(why)
	case !there:
		return policy{}, nil
	}
	data, err := read(path)
	if err != nil {
		return broken(err.Error())
	}
	parsed, err := parse(data)
	if err != nil {
		return broken(err.Error())
	}
	p := policy{file: path}
	l := &loader{settings: defaults(), env: env}
	for _, table := range slices.Sorted(maps.Keys(parsed)) {
		entries, ok := parsed[table].(map[string]any)
		if !ok {
			return broken(fmt.Sprintf("%s must be a table, [%s]", table, table))
		}
		if table != "mcp" && !knownTable(table) {
			return broken("this version of Redline does not know the table " + table)
		}
		if table == "mcp" {
			p.tools = true
			l.toolServers(parsed[table], path)
			if len(l.warnings) > 0 {
				return broken(strings.TrimSuffix(string(l.warnings[0]), "."))
			}
			continue
		}
		if table == "outside" {
			if err := p.setOutside(l, entries, path); err != nil {
				return broken(err.Error())
			}
			continue
		}
		for _, entry := range slices.Sorted(maps.Keys(entries)) {
			if err := p.set(l, table+"."+entry, entries[entry]); err != nil {
				return broken(err.Error())
			}
		}
	}
	if p.models.hosts != nil || p.models.providers != nil {
		p.outside = true // an agent would ask models elsewhere
	}
	p.values = &l.settings
	slices.Sort(p.names)
	return p, nil
}

// set reads one setting of the policy. The error is a part of a sentence.
func (p *policy) set(l *loader, name string, value any) error {
	if read, ok := modelLimits[name]; ok {
		if err := read(&p.models, value); err != nil {
			return fmt.Errorf("%s %w", name, err)
		}
		p.names = append(p.names, name)
		return nil
	}
	k, known := find(name)
	switch {
	case !known:
		return fmt.Errorf("this version of Redline does not know %s", name)
	case k.limit == nil:
		return fmt.Errorf("a policy cannot limit %s", name)
	}
	text, err := k.form.text(value)
	if err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	if err := k.set(&l.settings, text); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	p.names = append(p.names, name)
	return nil
}

// apply tightens the settings to what the policy allows.
func (p policy) apply(s *Settings) {
	for _, name := range p.names {
		k, ok := find(name)
		if !ok { // it is about models
			continue
		}
		before := k.show(*s)
		k.limit.tighten(s, *p.values)
		if k.show(*s) != before {
			s.origins[name] = policyOrigin
		}
	}
	if slices.Contains(p.names, "trials.mode") { // language servers run code of the repository too
		noFurther(modes...)(func(s *Settings) *string { return &s.Languages.Mode }).tighten(s, Settings{Languages: LanguageSettings{Mode: p.values.Trials.Mode}})
	}
	if p.tools {
		p.keepServers(s)
	}
	if p.outside {
		p.keepAgents(s)
	}
	s.Refused = p.refusal(s.ModelConfig())
	s.policy = p
}

// KeptAtLeast returns for how many days, and in how many MiB, the policy has plans kept where a user
// asks for these; 0 is for ever, and no bound.
func (s Settings) KeptAtLeast(days int, mb int64) (int, int64) {
	asked := Settings{KeepDays: days, KeepMB: int(mb)}
	for _, name := range []string{"limits.keep_days", "limits.keep_mb"} {
		if slices.Contains(s.policy.names, name) {
			k, _ := find(name)
			k.limit.tighten(&asked, *s.policy.values)
		}
	}
	return asked.KeepDays, int64(asked.KeepMB)
}

// keepServers keeps the tool servers that the policy has: the same program with the same
// arguments, or the same address. Names, variables and headers are the user's. Of the tools
// that may be called at once, those count that the policy has too, if it names any.
func (p policy) keepServers(s *Settings) {
	var kept []toolset.Server
	for i := range s.ToolServers {
		server := s.ToolServers[i]
		at := slices.IndexFunc(p.values.ToolServers, func(of toolset.Server) bool {
			return server.Command == of.Command && server.URL == of.URL && slices.Equal(server.Args, of.Args)
		})
		if at < 0 {
			continue
		}
		if allowed := p.values.ToolServers[at].ReadOnly; allowed != nil {
			server.ReadOnly = bothHave(server.ReadOnly, allowed)
		}
		kept = append(kept, server)
	}
	s.ToolServers = kept
}

// bothHave returns the tools of a user's list that the policy allows. A user without a list gets
// the policy's.
func bothHave(mine, allowed []string) []string {
	if mine == nil {
		return allowed
	}
	return slices.DeleteFunc(slices.Clone(mine), func(tool string) bool { return !slices.Contains(allowed, tool) })
}

// setOutside reads the table [outside] of the policy. The error is a part of a sentence.
func (p *policy) setOutside(l *loader, entries map[string]any, path string) error {
	p.outside = true
	agents := maps.Clone(entries)
	for _, k := range outsideKeys {
		_, entry, _ := strings.Cut(k.name, ".")
		if value, ok := entries[entry]; ok {
			if err := p.set(l, k.name, value); err != nil {
				return err
			}
			delete(agents, entry)
		}
	}
	l.outsideAgents(agents, path)
	if len(l.warnings) > 0 {
		return errors.New(strings.TrimSuffix(string(l.warnings[0]), "."))
	}
	return nil
}

// rows lists what the policy has, for the user.
func (p policy) rows() []Row {
	var rows []Row
	for _, name := range p.names {
		row := Row{Key: name, Origin: policyOrigin}
		if k, ok := find(name); ok {
			row.Value = k.limit.words + " " + k.show(*p.values)
		} else {
			row.Value = p.models.allowed(name)
			if row.Value != onlyBuiltin {
				row.Value = "one of " + row.Value
			}
		}
		rows = append(rows, row)
	}
	if p.tools {
		row := Row{Key: "mcp", Value: "no tool servers", Origin: policyOrigin}
		var names []string
		for i := range p.values.ToolServers {
			names = append(names, p.values.ToolServers[i].Name)
		}
		if names != nil {
			row.Value = "only " + strings.Join(names, ", ") + ", as the policy has them"
		}
		rows = append(rows, row)
	}
	if p.outside {
		row := Row{Key: "outside", Value: "no outside agents", Origin: policyOrigin}
		var names []string
		for i := range p.values.Outside.Agents {
			if a := &p.values.Outside.Agents[i]; !a.Preset {
				names = append(names, a.Name)
			}
		}
		if names != nil {
			row.Value = "only " + strings.Join(names, ", ") + ", as the policy has them"
		}
		rows = append(rows, row)
	}
	return rows
}

// usualPolicy returns the path of this machine's policy.
func usualPolicy() string { return filepath.Join(systemFolder(), "policy.toml") }

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

// limit says how a policy tightens a setting.
type limit struct {
	words   string                        // goes before the policy's value: "at most"
	meaning string                        // for the page on policies
	tighten func(s *Settings, p Settings) // tightens s by p, which has the policy's value
}

// limiter returns how a policy tightens a setting with this field.
type limiter[T any] func(at func(*Settings) *T) limit

// of returns the limit of a field, nil if there is none.
func (l limiter[T]) of(at func(*Settings) *T) *limit {
	if l == nil {
		return nil
	}
	tighten := l(at)
	return &tighten
}

// atMost limits a number from above. 0 counts as the largest number, because it means no limit;
// settings in which it would mean something else cannot be 0.
func atMost[T cmp.Ordered](field func(*Settings) *T) limit {
	return limit{"at most", "the smaller number counts; 0, where it means *no limit*, is the largest", func(s *Settings, p Settings) {
		var none T
		if most := *field(&p); most != none && (*field(s) == none || *field(s) > most) {
			*field(s) = most
		}
	}}
}

// atLeast limits a number from below. 0 counts as the largest number, because it means for ever.
func atLeast[T cmp.Ordered](field func(*Settings) *T) limit {
	return limit{"at least", "the larger number counts; 0 means *for ever*, and is the largest", func(s *Settings, p Settings) {
		var ever T
		if least := *field(&p); *field(s) != ever && (least == ever || *field(s) < least) {
			*field(s) = least
		}
	}}
}

// noFurther limits a choice. words begin with the tightest.
func noFurther(words ...string) limiter[string] {
	meaning := "from tight to loose: `" + strings.Join(words, "`, `") + "`"
	return func(field func(*Settings) *string) limit {
		return limit{"no further than", meaning, func(s *Settings, p Settings) {
			if slices.Index(words, *field(s)) > slices.Index(words, *field(&p)) {
				*field(s) = *field(&p)
			}
		}}
	}
}

// among keeps the items that the policy has too.
func among(field func(*Settings) *[]string) limit {
	return limit{"only from", "only the entries that both have", func(s *Settings, p Settings) {
		*field(s) = slices.DeleteFunc(slices.Clone(*field(s)), func(one string) bool { return !slices.Contains(*field(&p), one) })
	}}
}

// cachesAmong does what among does, for folders with a default that means a list.
func cachesAmong(func(*Settings) *[]string) limit {
	return limit{"only from", "only the folders that both have; a user who sets none has the usual caches", func(s *Settings, p Settings) {
		kept, theirs := []string{}, p.Commands.CacheFolders()
		for _, dir := range s.Commands.CacheFolders() {
			if slices.Contains(theirs, dir) {
				kept = append(kept, dir)
			}
		}
		s.Commands.Caches = kept
	}}
}

// hostsAmong keeps the hosts for which an entry of the policy allows everything that they allow.
func hostsAmong(field func(*Settings) *[]toolset.Host) limit {
	return limit{"only from", "only hosts that the policy's hosts cover", func(s *Settings, p Settings) {
		*field(s) = slices.DeleteFunc(slices.Clone(*field(s)), func(one toolset.Host) bool {
			return !slices.ContainsFunc(*field(&p), func(of toolset.Host) bool { return of.Covers(one) })
		})
	}}
}

// rulesAmong keeps the rules that the policy has, word for word.
func rulesAmong(field func(*Settings) *[]commands.Rule) limit {
	return limit{"only from", "only the rules that both have, word for word", func(s *Settings, p Settings) {
		*field(s) = slices.DeleteFunc(slices.Clone(*field(s)), func(one commands.Rule) bool { return !slices.Contains(*field(&p), one) })
	}}
}

// added adds the policy's rules to those of the user.
func added(field func(*Settings) *[]commands.Rule) limit {
	return limit{"also", "the rules of both deny", func(s *Settings, p Settings) {
		*field(s) = slices.Concat(*field(&p), *field(s))
	}}
}
