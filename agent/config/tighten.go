package config

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"redline/agent/commands"
	"redline/agent/toolset"
)

// limit says how a policy tightens a setting.
type limit struct {
	words   string                        // goes before the policy's value: "at most"
	meaning string                        // for the page on policies
	tighten func(s *Settings, p Settings) // tightens s by p, which has the policy's value
}

// limits are the settings that a policy can tighten. A setting that is not here decides nothing
// that a policy should.
var limits = map[string]limit{
	"limits.requests":           atMost(func(s *Settings) *int { return &s.Requests }),
	"limits.steps":              atMost(func(s *Settings) *int { return &s.Steps }),
	"limits.tokens":             atMost(func(s *Settings) *int { return &s.TurnTokens }),
	"limits.repeats":            atMost(func(s *Settings) *int { return &s.Repeats }),
	"limits.wall_seconds":       atMost(func(s *Settings) *time.Duration { return &s.Wall }),
	"limits.max_file":           atMost(func(s *Settings) *int64 { return &s.MaxFile }),
	"limits.keep_days":          atLeast(func(s *Settings) *int { return &s.KeepDays }),
	"limits.keep_mb":            atLeast(func(s *Settings) *int { return &s.KeepMB }),
	"approval.decide":           noFurther(func(s *Settings) *string { return &s.Decide }, DecideAsk, DecidePlan),
	"approval.second_look":      noFurther(func(s *Settings) *string { return &s.SecondLook }, SecondLookAlways, SecondLookDrift, SecondLookNever),
	"approval.audit":            noFurther(func(s *Settings) *string { return &s.Audit }, AuditRequire, AuditAuto),
	"approval.ways":             among(func(s *Settings) *[]string { return &s.Ways }),
	"fetch.hosts":               hostsAmong(func(s *Settings) *[]toolset.Host { return &s.Fetch.Hosts }),
	"fetch.private_hosts":       hostsAmong(func(s *Settings) *[]toolset.Host { return &s.Fetch.Private }),
	"fetch.timeout_seconds":     atMost(func(s *Settings) *time.Duration { return &s.Fetch.Timeout }),
	"fetch.max_kb":              atMost(func(s *Settings) *int { return &s.Fetch.KB }),
	"trials.mode":               noFurther(func(s *Settings) *string { return &s.Trials.Mode }, "off", "ask", "on"),
	"trials.deny":               added(func(s *Settings) *[]commands.Rule { return &s.Trials.Deny }),
	"trials.read":               among(func(s *Settings) *[]string { return &s.Trials.Read }),
	"trials.show":               among(func(s *Settings) *[]string { return &s.Trials.Show }),
	"trials.timeout_seconds":    atMost(func(s *Settings) *time.Duration { return &s.Trials.Timeout }),
	"trials.max":                atMost(func(s *Settings) *int { return &s.Trials.Most }),
	"trials.disk_mb":            atMost(func(s *Settings) *int { return &s.Trials.DiskMB }),
	"trials.memory_mb":          atMost(func(s *Settings) *int { return &s.Trials.Memory }),
	"commands.timeout_seconds":  atMost(func(s *Settings) *time.Duration { return &s.Commands.Timeout }),
	"commands.wall_seconds":     atMost(func(s *Settings) *time.Duration { return &s.Commands.Wall }),
	"commands.confine":          noFurther(func(s *Settings) *string { return &s.Commands.Confine }, "require", "auto", "off"),
	"commands.namespaces":       noFurther(func(s *Settings) *string { return &s.Commands.Namespaces }, "auto", "off"),
	"commands.parallel":         atMost(func(s *Settings) *int { return &s.Commands.Parallel }),
	"commands.caches":           cachesAmong(),
	"commands.allow":            rulesAmong(func(s *Settings) *[]commands.Rule { return &s.Commands.Allow }),
	"commands.deny":             added(func(s *Settings) *[]commands.Rule { return &s.Commands.Deny }),
	"commands.env":              among(func(s *Settings) *[]string { return &s.Commands.Env }),
	"workspace.trusted_folders": among(func(s *Settings) *[]string { return &s.TrustedFolders }),
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
func noFurther(field func(*Settings) *string, words ...string) limit {
	meaning := "from tight to loose: `" + strings.Join(words, "`, `") + "`"
	return limit{"no further than", meaning, func(s *Settings, p Settings) {
		if slices.Index(words, *field(s)) > slices.Index(words, *field(&p)) {
			*field(s) = *field(&p)
		}
	}}
}

// among keeps the items that the policy has too.
func among(field func(*Settings) *[]string) limit {
	return limit{"only from", "only the entries that both have", func(s *Settings, p Settings) {
		*field(s) = slices.DeleteFunc(slices.Clone(*field(s)), func(one string) bool { return !slices.Contains(*field(&p), one) })
	}}
}

// cachesAmong does what among does, for folders with a default that means a list.
func cachesAmong() limit {
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
