package config

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/view"
)

// waysToApprove is a list of ways in which plans can be approved.
func waysToApprove() kind {
	k := list(way, among, func(s *Settings) *[]string { return &s.Ways })
	k.values = "a list of `" + strings.Join(allWays(), "`, `") + "`"
	k.reset = func(s *Settings) { s.Ways = allWays() }
	return k
}

// allWays returns the names of all ways to approve.
func allWays() []string {
	var all []string
	for _, w := range view.Ways() {
		all = append(all, string(w))
	}
	return all
}

// way reads the name of a way to approve.
func way(text string) (string, error) {
	if !slices.Contains(allWays(), text) {
		return "", fmt.Errorf("must be a list of: %s", strings.Join(allWays(), ", "))
	}
	return text, nil
}

// withoutRules takes the rules that approve out of the settings if approval.ways does not have them.
func (s *Settings) withoutRules() {
	if slices.Contains(s.Ways, string(view.ByRule)) {
		return
	}
	if s.SecondLook != SecondLookAlways {
		s.SecondLook, s.origins["approval.second_look"] = SecondLookAlways, s.origin("approval.ways")
	}
	if s.Commands.Allow != nil {
		s.Commands.Allow, s.origins["commands.allow"] = nil, s.origin("approval.ways")
	}
}

// Forbidden returns the ways in which nothing can be approved.
func (s Settings) Forbidden() view.Forbidden {
	forbidden := view.Forbidden{}
	for _, w := range view.Ways() {
		if slices.Contains(s.Ways, string(w)) {
			continue
		}
		forbidden[w] = "Your setting approval.ways"
		if slices.Contains(s.policy.names, "approval.ways") && !slices.Contains(s.policy.values.Ways, string(w)) {
			forbidden[w] = "The policy in " + s.policy.file
		}
	}
	return forbidden
}

// MustAsk reports whether the policy has the user asked about each edit as it is staged, in every
// conversation.
func (s Settings) MustAsk() bool {
	return slices.Contains(s.policy.names, "approval.decide") && s.policy.values.Decide == DecideAsk
}
