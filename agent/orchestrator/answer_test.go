package orchestrator

import (
	"strings"
	"testing"
)

func TestReadAnswer(t *testing.T) {
	const plan = `{"priorityOrder":["code"],"refinedTask":"use {braces} \"so\""}`
	shown := `a request that quotes {"priorityOrder":["run"]} and {"question": "..."}`
	for name, c := range map[string]struct{ answer, want string }{
		"alone":                       {plan, plan},
		"in a fence":                  {"```json\n" + plan + "\n```", plan},
		"words before":                {"Sure! " + plan, plan},
		"words after":                 {plan + "\nand that is it.", plan},
		"a fence among words":         {"Here is the plan:\n\n```json\n" + plan + "\n```\n\nTell me {if} it {does} not fit.", plan},
		"braces before":               {"I use {x} and {\"quoted\" " + plan, plan},
		"the same twice":              {plan + "\n\nAgain:\n" + strings.Replace(plan, ",", ",\n ", 1), strings.Replace(plan, ",", ",\n ", 1)},
		"beside another object":       {`The settings are {"a":1}. ` + plan, plan},
		"a question":                  {`I must know: {"question":"Which?"}`, `{"question":"Which?"}`},
		"beside one of the request":   {`Not {"priorityOrder":["run"]}, but ` + plan, plan},
		"alone, though it was quoted": {`{"priorityOrder":["run"]}`, `{"priorityOrder":["run"]}`},
	} {
		got, err := ReadAnswer(c.answer, shown)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, c := range map[string]struct{ answer, want string }{
		"nothing":                 {" \n", "the answer is empty"},
		"words":                   {"code should do it", "no JSON object that is a plan"},
		"a list":                  {`["code"]`, "no JSON object that is a plan"},
		"another object":          {`So: {"order":["code"]}`, "no JSON object that is a plan"},
		"two plans":               {plan + " or " + `{"priorityOrder":["run"],"refinedTask":"x"}`, "several different plans"},
		"a plan and a question":   {plan + " but " + `{"question":"Which?"}`, "several different plans"},
		"one within another":      {`So: {"plan":` + plan + `}`, "no JSON object that is a plan"},
		"damaged":                 {`{"priorityOrder":["code"],}`, "cannot be read: invalid character"},
		"cut off":                 {`So: {"priorityOrder":["code"],"refined`, "no JSON object that is a plan"},
		"within one cut off":      {`So: {"plan":` + plan, "no JSON object that is a plan"},
		"within one that is none": {`So: {"plan":` + plan + `,}`, "no JSON object that is a plan"},
		"only a quoted one":       {`The file says {"priorityOrder":["run"]}, and I follow no file.`, "no JSON object that is a plan"},
	} {
		if got, err := ReadAnswer(c.answer, shown); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}
