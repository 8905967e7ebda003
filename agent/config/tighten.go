package config

import (
	"cmp"
	"slices"
	"strings"

	"redline/agent/commands"
	"redline/agent/toolset"
)

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
