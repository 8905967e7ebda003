package loop_test

import (
	"strings"
	"testing"

	"redline/agent/loop"
)

// The arguments of an edit that is written as a call are read in whatever form they have.
func TestTextCalls(t *testing.T) {
	const inJSON = `{"path":"a/b.go","old_string":"one","new_string":"two"}`
	for name, text := range map[string]string{
		"tags":       "<edit_file>\n<path>a/b.go</path>\n<old_string>one</old_string>\n<new_string>two</new_string>\n</edit_file>",
		"parameters": "<invoke name=\"edit_file\">\n<parameter name=\"path\">a/b.go</parameter>\n<parameter name=\"old_string\">one</parameter>\n<parameter name=\"new_string\">two</parameter>\n</invoke>",
		"function":   "<function=edit_file>\n<parameter=path>\na/b.go\n</parameter>\n<parameter=old_string>\none\n</parameter>\n<parameter=new_string>\ntwo\n</parameter>\n</function>",
		"keys":       "<tool_call>edit_file\n<arg_key>path</arg_key>\n<arg_value>a/b.go</arg_value>\n<arg_key>old_string</arg_key>\n<arg_value>one</arg_value>\n<arg_key>new_string</arg_key>\n<arg_value>two</arg_value>\n</tool_call>",
		"JSON":       "So: " + `{"name":"edit_file","arguments":` + inJSON + "}",
		"tokens":     "<|tool_call_begin|>functions.edit_file:0<|tool_call_argument_begin|>" + `{"path":"a/b.go","old_string":"one","new_string":"two"}` + "<|tool_call_end|>",
		"Python":     `<|python_tag|>edit_file(path="a/b.go", old_string='one', new_string="two")`,
	} {
		calls := loop.TextCalls(text)
		if len(calls) == 0 {
			t.Errorf("%s: none", name)
			continue
		}
		if c := calls[0]; c.Tool != "edit_file" || c.Path != "a/b.go" || c.Old != "one" || c.New != "two" || c.Whole {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if calls := loop.TextCalls("<write_file>\n<path>a</path>\n<content>\nx\ny\n</content>\n</write_file>"); len(calls) != 1 || !calls[0].Whole || calls[0].New != "x\ny" {
		t.Errorf("a whole file: %+v", calls)
	}
}

func FuzzTextCalls(f *testing.F) {
	f.Add("<edit_file>\n<path>a</path>\n</edit_file>")
	f.Add("<tool_call>edit_file\n<arg_key>path</arg_key><arg_value>a</arg_value>")
	f.Add(`x {"edits":[{"path":"a","search":"b","replace":"c"}]}`)
	f.Add("<|python_tag|>edit_file(path='a\\'b', old=\"c)")
	f.Add("```tool_code\nprint(default_api.write_file(path=\"a\", content='b'))\n```")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range loop.TextCalls(text) {
			if c.Path == "" && c.Tool == "" || strings.ContainsAny(c.Path, "\n<>") {
				t.Errorf("%+v", c)
			}
			if !c.JSON && !strings.Contains(text, c.Written) {
				t.Errorf("%q is not there", c.Written)
			}
		}
	})
}
