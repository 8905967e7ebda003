package intent_test

import (
	"testing"

	"redline/agent/intent"
)

func TestGoesOn(t *testing.T) {
	for _, text := range []string{
		"yes, do it", "Yes do it.", "go ahead please", "LGTM", "lgtm!", "proceed with the plan", "Looks good to me, go ahead", "ok", "yes",
		"Sure, go for it!", "Great, apply the changes", "please do it", "do it now", "ship it", "make it so", "Perfect. Apply all.", "go on",
		"carry on", "okay, proceed with that please", "sounds good", "that works for me", "I agree", "I approve the plan", "approved", "accept it",
		"Let's do it", "you can go ahead", "yes please", "execute the plan", "fine, go ahead and apply it", "all good, thanks", "go ahead with plan 2",
		"I'm fine with that", "yes, let's go", "Alright, carry it out", "proceed!!", "implement the plan as proposed", "could you apply it",
	} {
		if !intent.GoesOn(text) {
			t.Errorf("%q does not say to go on", text)
		}
	}
	for _, text := range []string{
		"yes, but rename it to Sum", "go ahead and add a test", "do it without the test", "don't do it", "no", "not yet", "apply it to b.txt",
		"should I approve it?", "ok?", "yes please also update the docs", "proceed with the second step only", "go ahead, then run the tests",
		"looks good, except for the name", "LGTM if the tests pass", "apply the changes of a.txt", "approve h1", "do it again", "do it in Go",
		"continue the loop after an error", "run the tests", "start the server", "fine-tune it", "why does it go on", "implement sort",
		"execute go vet", "good catch, fix the other one too", "thanks, now delete it", "yes\nno", "that works badly", "sure it is wrong",
		"accept a path", "approve nothing", "i agree with the reviewer", "рroceed", "all the plans are wrong", "make it so that it compiles",
		"okay so what now", "right, the total is wrong", "replace yes with no", "",
	} {
		if intent.GoesOn(text) {
			t.Errorf("%q says to go on", text)
		}
	}
}
