package model

import "testing"

func TestRepair(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"a":1}`, `{"a":1}`},
		{` [1, 2] `, `[1, 2]`},
		{`[{"a":1,},]`, `[{"a":1}]`},
		{`[{'a': 'say "hi"'}]`, `[{"a": "say \"hi\""}]`},
		{"[{\"a\":\"x\ny\"}]", `[{"a":"x\ny"}]`},
	} {
		if got, ok := RepairJSON(test.text); !ok || got != test.want {
			t.Errorf("Repair(%q) = %q, %v, want %q", test.text, got, ok, test.want)
		}
	}
	for _, text := range []string{``, `"a"`, `[{"a":"x"]`, `["a" "b"]`, `[{"a":"\d"}]`, `[1] [2]`, `{"a":1}]`,
		`{""::"/*A"`, `{"a":,"b":1}`, `{"a","b":1}`, `[1,,2]`, `{{"a":1}}`, `[{"a":1} {"a":2}]`, `["a":1]`, `{"a":[1] [2]}`, `{"a":`, `{"a"`, `{[1]:2}`, `{"a":1,`, `[`} {
		if got, ok := RepairJSON(text); ok {
			t.Errorf("Repair(%q) = %q, want that it is left alone", text, got)
		}
	}
}
