package orchestrator

import (
	"fmt"
	"testing"
)

func TestParseQuestions(t *testing.T) {
	for _, c := range []struct{ object, want string }{
		{`{"question":"Which?","options":["a","b"]}`, "[{Which? [a b]}] false"},
		{`{"questions":[{"question":"Which?","options":["a"]}," And when? ",{"question":" "}]}`, "[{Which? [a]} {And when? []}] false"},
		{`{"question":"Which?","questions":["And when?"]}`, "[{Which? []} {And when? []}] false"},
		{`{"questions":["Which?"],"priorityOrder":["code"]}`, "[{Which? []}] true"},
		{`{"questions":[],"priorityOrder":["code"]}`, "[] true"},
		{`{"question":"Which?","priorityOrder":[]}`, "[{Which? []}] false"},
		{`{"priorityOrder":["code"]}`, "[] true"},
		{`{"questions":[7]}`, "[] false"},
		{`{"questions":"Which?"}`, "[] false"},
	} {
		questions, planned := ParseQuestions(c.object)
		if got := fmt.Sprint(questions, planned); got != c.want {
			t.Errorf("%s: %s, want %s", c.object, got, c.want)
		}
	}
}
