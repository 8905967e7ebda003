package config

import (
	"maps"
	"testing"

	"redline/agent/view"
)

// A way to approve that the settings leave out is forbidden, and the message names who forbids it.
func TestForbiddenWays(t *testing.T) {
	for _, c := range []struct {
		policy, user string
		want         view.Forbidden // "P" for the policy
	}{
		{"", "", view.Forbidden{}},
		{`["choice"]`, "", view.Forbidden{"words": "P", "cli": "P", "web": "P", "acp": "P", "rules": "P"}},
		{"", `["choice", "words"]`, view.Forbidden{"cli": "Your setting approval.ways", "web": "Your setting approval.ways", "acp": "Your setting approval.ways", "rules": "Your setting approval.ways"}},
		{`["choice", "words", "rules"]`, `["choice", "cli", "rules"]`, view.Forbidden{"words": "Your setting approval.ways", "cli": "P", "web": "P", "acp": "P"}},
		{`[]`, `["choice", "words", "cli", "web", "acp", "rules"]`, view.Forbidden{"choice": "P", "words": "P", "cli": "P", "web": "P", "acp": "P", "rules": "P"}},
		{`["choice", "words", "cli", "web", "acp", "rules"]`, "", view.Forbidden{}},
	} {
		in := func(ways string) string {
			if ways == "" {
				return ""
			}
			return "[approval]\nways = " + ways + "\n"
		}
		s := under(t, in(c.policy), in(c.user), nil, nil)
		got := s.Forbidden()
		for way, by := range got {
			if by == "The policy in "+s.policy.file {
				got[way] = "P"
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("policy %s, user %s: %v, want %v", c.policy, c.user, got, c.want)
		}
	}
}

// Without the way "rules" no rule of the user approves anything, and the user sees why.
func TestRulesThatMustNotApprove(t *testing.T) {
	const user = "[approval]\nsecond_look = \"never\"\n[commands]\nallow = [\"go test\"]\ndeny = [\"rm\"]\n"
	s := under(t, "[approval]\nways = [\"choice\"]\n", user, nil, nil)
	if s.SecondLook != SecondLookAlways || s.Commands.Allow != nil || len(s.Commands.Deny) != 1 {
		t.Errorf("second_look %s, allow %v, deny %v", s.SecondLook, s.Commands.Allow, s.Commands.Deny)
	}
	for _, name := range []string{"approval.second_look", "commands.allow", "approval.ways"} {
		if got := s.origin(name); got != policyOrigin {
			t.Errorf("the origin of %s is %s", name, got)
		}
	}
	if s = under(t, "[approval]\nways = [\"choice\", \"rules\"]\n", user, nil, nil); s.SecondLook != SecondLookNever || len(s.Commands.Allow) != 1 {
		t.Errorf("with rules: second_look %s, allow %v", s.SecondLook, s.Commands.Allow)
	}
}

// A list with an unknown way has no effect, and a message says so.
func TestAWayThatDoesNotExist(t *testing.T) {
	s, warnings := load(t, "[approval]\nways = [\"chioce\"]\n", nil, nil)
	if len(warnings) != 1 || len(s.Forbidden()) != 0 {
		t.Errorf("%v, warnings %q", s.Forbidden(), warnings)
	}
}

// The policy makes Redline ask the user about each edit, even where the user's settings would not.
func TestWhetherEachEditMustBeAskedAbout(t *testing.T) {
	for policy, want := range map[string]bool{"": false, "[approval]\ndecide = \"plan\"\n": false, "[approval]\ndecide = \"ask\"\n": true} {
		if s := under(t, policy, "[approval]\ndecide = \"plan\"\n", nil, map[string]string{"approval.decide": "plan"}); s.MustAsk() != want || s.Decide == DecideAsk != want {
			t.Errorf("%q: %t, %s", policy, s.MustAsk(), s.Decide)
		}
	}
}
