package loop

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tools are those that there are in these tests.
var tools = []string{"read_file", "edit_file", "write_file", "search"}

func known(name string) bool { return slices.Contains(tools, name) }

const (
	look = `{"action":"tool","tool":"read_file","args":{"path":"a.txt"},"note":"to see it"}`
	says = `{"action":"final","answer":"It is so."}`
)

// brief is a plan in one line.
func brief(p WrittenPlan) string {
	var parts []string
	for _, c := range p.Calls {
		parts = append(parts, c.Tool+string(c.Args))
	}
	if p.Final {
		parts = append(parts, "final: "+p.Answer)
	}
	if p.Prose != "" {
		parts = append(parts, "prose: "+p.Prose)
	}
	return strings.Join(parts, "; ")
}

// TestWrappings shows what a model that was asked to write its calls may wrap them
// in, and in which other words it may put them.
func TestWrappings(t *testing.T) {
	const read = `read_file{"path":"a.txt"}`
	for _, test := range []struct{ name, reply, want string }{
		{"bare", `[` + look + `]`, read},
		{"fence", "```json\n[" + look + "]\n```", read},
		{"fence without a name", "```\n[" + look + "]\n```\n", read},
		{"another name", "```javascript\n[" + look + "]\n```", read},
		{"tildes", "~~~json\n[" + look + "]\n~~~", read},
		{"a fence in capitals", "```JSON\n[" + look + "]\n```", read},
		{"only the fence's name is left", "json\n[" + look + "]", read},
		{"no closing fence", "```json\n[" + look + "]", read},
		{"four backticks", "````json\n[" + look + "]\n````", read},
		{"prose around", "First I look.\n\n```json\n[" + look + "]\n```\n\nThen I see.", read + "; prose: First I look.\n\n\n\n\nThen I see."},
		{"in a sentence", "My plan: [" + look + "] as you see.", read + "; prose: My plan: \n as you see."},
		{"with its answer", "[" + look + ",\n" + says + "]", read + "; final: It is so."},
		{"the answer alone", "[" + says + "]", "final: It is so."},
		{"several", "[" + look + "]\n\n[" + says + "]", read + "; final: It is so."},
		{"the same twice", "```json\n[" + look + "]\n```\n[" + look + "]", read},
		{"one object", look, read},
		{"objects, a line each", look + "\n" + says, read + "; final: It is so."},
		{"steps", `{"goal":"x","steps":[` + look + `]}`, read},
		{"plan", `{"plan":[` + look + `,` + says + `]}`, read + "; final: It is so."},
		{"name and arguments", `[{"name":"read_file","arguments":{"path":"a.txt"}}]`, read},
		{"arguments in a string", `[{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}]`, read},
		{"OpenAI's own", `[{"id":"1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.txt\"}"}}]`, read},
		{"input", `[{"action":"tool","tool":"read_file","input":{"path":"a.txt"}}]`, read},
		{"the action is the tool", `[{"action":"read_file","action_input":{"path":"a.txt"}}]`, read},
		{"arguments beside", `[{"action":"tool","tool":"read_file","path":"a.txt","note":"x"}]`, read},
		{"a tag", "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\":\"a.txt\"}}\n</tool_call>", read},
		{"two tags", "<tool_call>" + look + "</tool_call>\n<tool_call>" + says + "</tool_call>", read + "; final: It is so."},
		{"a comma too many", "[" + look + ",]", read},
		{"single quotes", `[{'action':'tool','tool':'read_file','args':{'path':'a.txt'}}]`, `read_file{"path":"a.txt"}`},
		{"a line break in a string", "[{\"action\":\"tool\",\"tool\":\"write_file\",\"args\":{\"path\":\"a\",\"content\":\"1\n2\"}}]", `write_file{"path":"a","content":"1\n2"}`},
		{"brackets and fences in strings", "[{\"action\":\"tool\",\"tool\":\"write_file\",\"args\":{\"path\":\"a.md\",\"content\":\"```json\\n[{\\\"action\\\":\\\"final\\\"}]\\n``` ]\"}}]",
			"write_file{\"path\":\"a.md\",\"content\":\"```json\\n[{\\\"action\\\":\\\"final\\\"}]\\n``` ]\"}"},
		{"a tool that there is not", `[{"action":"tool","tool":"fly","args":{}}]`, `fly{}`},
		{"no arguments", `[{"action":"tool","tool":"search"}]`, `search{}`},
		{"an answer of another name", `[{"action":"final_answer","action_input":"It is so."}]`, "final: It is so."},
		{"an answer in an object", `[{"action":"final","answer":{"text":"It is so."}}]`, "final: It is so."},
		{"other JSON before", "The list is [1, 2] and {\"a\": 1}.\n[" + look + "]", read + "; prose: The list is [1, 2] and {\"a\": 1}."},
		{"Go before", "if x[i] { return []string{\"a\"} }\n[" + look + "]", read + "; prose: if x[i] { return []string{\"a\"} }"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, verdict := WrittenReader{Asked: true, Known: known}.Read(test.reply)
			if verdict != Found {
				t.Fatalf("the verdict is %d", verdict)
			}
			got := brief(p)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoPlan shows what is no plan, of a model that was asked for one and of one
// that was not.
func TestNoPlan(t *testing.T) {
	for _, test := range []struct {
		name, reply      string
		asked, not       WrittenVerdict
		quotes, mentions string // what the model was shown
	}{
		{name: "words", reply: "It is so."},
		{name: "nothing", reply: ""},
		{name: "an empty list", reply: "[]"},
		{name: "another list", reply: `[{"name":"Ada","arguments":{}}]`},
		{name: "one element of another kind", reply: `[` + look + `, "and so on"]`},
		{name: "a plan within another value", reply: `{"example":[` + look + `]}`},
		{name: "a plan in a string", reply: `{"text":"[{\"action\":\"final\",\"answer\":\"x\"}]"}`},
		{name: "marked as a quotation", reply: "> [" + look + "]", asked: Quoted, not: Quoted},
		{name: "between backticks", reply: "It writes `[" + look + "]` then.", asked: Quoted, not: Quoted},
		{name: "out of a file", reply: "The file has:\n```json\n[" + look + "]\n```", quotes: "x = [\n  " + look + "\n]\n", asked: Quoted, not: Quoted},
		{name: "out of a file, set anew", reply: `[` + strings.ReplaceAll(look, ",", ",\n  ") + `]`, quotes: look, asked: Quoted, not: Quoted},
		{name: "in a fence within prose", reply: "I look first:\n```json\n[" + look + "]\n```\nThen I see.", asked: Found, not: Found},
		{name: "no fence, within prose", reply: "[" + look + "]\nThis is how I would do it.", asked: Found},
		{name: "one call and no list", reply: "So:\n```json\n" + look + "\n```", asked: Found},
		{name: "items that do not say that they are calls", reply: "So:\n```json\n" + `[{"name":"read_file","arguments":{"path":"a.txt"}}]` + "\n```", asked: Found},
		{name: "two plans to choose from", reply: "So:\n```json\n[" + look + "]\n```\nOr so:\n```json\n[" + says + "]\n```", asked: Found},
		{name: "more in its fence", reply: "So:\n```\nplan:\n[" + look + "]\n```", asked: Found},
		{name: "a broken one beside it", reply: "So:\n```json\n[" + look + "]\n```\n[" + `{"action":"tool","tool":"search"`, asked: Broken},
		{name: "only tools that there are not, within prose", reply: "So:\n```json\n" + `[{"action":"tool","tool":"fly","args":{}}]` + "\n```", asked: Found},
		{name: "only tools that there are not", reply: `[{"action":"tool","tool":"fly","args":{}}]`, asked: Found, not: Found},
		{name: "a name that is no tool's", reply: `[{"name":"fly","arguments":{}}]`},
		{name: "the whole reply", reply: "```json\n[" + look + "]\n```", asked: Found, not: Found},
		{name: "the answer", reply: "[" + says + "]", asked: Found, not: Found},
		{name: "cut", reply: `[{"action":"tool","tool":"write_file","args":{"path":"a","content":"1`, asked: Broken},
		{name: "not closed", reply: `[` + look, asked: Broken},
		{name: "half of it", reply: `[` + look + `, {"action":"tool","tool":"write_file","args":{"content":"say "hi", ok"}}]`, asked: Broken},
		{name: "a backslash", reply: `[{"action":"tool","tool":"search","args":{"pattern":"\d"}}]`, asked: Broken},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := WrittenReader{Known: known, Shown: []string{test.quotes}}
			if _, got := r.Read(test.reply); got != test.not {
				t.Errorf("of any model the verdict is %d, want %d", got, test.not)
			}
			r.Asked = true
			if p, got := r.Read(test.reply); got != test.asked {
				t.Errorf("of a model that was asked the verdict is %d, want %d: %s", got, test.asked, brief(p))
			}
		})
	}
}

// A model that has tools and repeats a call from what it was shown does not carry it out, whatever
// else it changes of it. What is about another thing is its own.
func TestQuotationsWithChanges(t *testing.T) {
	const shown = "Do this:\n" + `[{"action":"tool","tool":"delete_file","args":{"path":"a.txt"},"note":"now"}]` + "\n"
	for _, test := range []struct {
		name, shown, call string
		asked, not        WrittenVerdict
	}{
		{"spaces", shown, `{ "action" : "tool", "tool": "delete_file",` + "\n" + `"args": { "path": "a.txt" }, "note": "now" }`, Quoted, Quoted},
		{"single quotes", shown, `{'action':'tool','tool':'delete_file','args':{'path':'a.txt'},'note':'now'}`, Quoted, Quoted},
		{"order", shown, `{"args":{"path":"a.txt"},"tool":"delete_file","action":"tool"}`, Quoted, Quoted},
		{"another note", shown, `{"action":"tool","tool":"delete_file","args":{"path":"a.txt"},"note":"as asked"}`, Quoted, Quoted},
		{"another tool", shown, `{"action":"tool","tool":"write_file","args":{"path":"a.txt","content":""}}`, Found, Quoted},
		{"another name of the path", shown, `{"action":"tool","tool":"delete_file","args":{"file":"./a.txt"}}`, Found, Quoted},
		{"another thing", shown, `{"action":"tool","tool":"delete_file","args":{"path":"b.txt"}}`, Found, Found},
		{"escaped", `text := "[{\"action\":\"tool\",\"tool\":\"delete_file\",\"args\":{\"path\":\"a.txt\"}}]"`, `{"action":"tool","tool":"delete_file","args":{"path":"a.txt"}}`, Quoted, Quoted},
		{"escaped, another note", `text := "[{\"action\":\"tool\",\"tool\":\"delete_file\",\"args\":{\"path\":\"a.txt\"}}]"`, `{"note":"x","action":"tool","tool":"delete_file","args":{"path":"a.txt"}}`, Quoted, Quoted},
		{"deep inside", `{"todo":{"calls":[{"tool":"delete_file","args":{"path":"a.txt"}}]}}`, `{"note":"x","action":"tool","tool":"delete_file","args":{"path":"a.txt"}}`, Quoted, Quoted},
		{"arguments in a string", `[{"name":"delete_file","arguments":"{\"path\":\"a.txt\"}"}]`, `{"action":"tool","tool":"delete_file","args":{"path":"a.txt"}}`, Quoted, Quoted},
		{"arguments beside the tool", `[{"tool":"delete_file","path":"a.txt"}]`, `{"action":"tool","tool":"delete_file","args":{"path":"a.txt"}}`, Quoted, Quoted},
		{"behind one that cannot be read", `[{"action":"tool","tool": x` + "\n" + shown, `{"args":{"path":"a.txt"},"tool":"delete_file","action":"tool"}`, Quoted, Quoted},
		{"the path in a sentence", "Please delete a.txt.", `{"action":"tool","tool":"delete_file","args":{"path":"a.txt"}}`, Found, Found},
		{"the command of an editor", `[{"tool":"text_editor","args":{"command":"view","path":"b.txt"}}]`, `{"action":"tool","tool":"text_editor","args":{"command":"view","path":"a.txt"}}`, Found, Found},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := WrittenReader{Known: func(string) bool { return true }, Shown: []string{test.shown}}
			for _, reply := range []string{"[" + test.call + "]", "It says:\n\n```json\n[" + test.call + "]\n```\n"} {
				if _, got := r.Read(reply); got != test.not {
					t.Errorf("of a model with tools %s has the verdict %d, want %d", reply, got, test.not)
				}
			}
			r.Asked = true
			if _, got := r.Read("[" + test.call + "]"); got != test.asked {
				t.Errorf("of a model that was asked the verdict is %d, want %d", got, test.asked)
			}
		})
	}
}

// A note comes with its call.
func TestNote(t *testing.T) {
	p, _ := WrittenReader{Asked: true, Known: known}.Read("[" + look + "]")
	if len(p.Calls) != 1 || p.Calls[0].Note != "to see it" {
		t.Errorf("%+v", p)
	}
}

// Long replies that look like plans everywhere are none. If the time for them grew with
// the square of their length, this would take hours.
func TestLongRepliesAreNoPlans(t *testing.T) {
	for _, piece := range []string{"[", "[{", `{"action":`, `[{"a":`, "{\"a\": x ", "`[{\"action\"", "\n> "} {
		reply := strings.Repeat(piece, 4<<20/len(piece))
		for _, asked := range []bool{true, false} {
			if p, verdict := (WrittenReader{Asked: asked, Known: known}).Read(reply); verdict == Found || len(p.Calls) > 0 || p.Final {
				t.Errorf("%q again and again, asked %v: the verdict is %d, with %d calls", piece, asked, verdict, len(p.Calls))
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"[" + look + "]", "```json\n[" + look + "," + says + ",]\n```", "<tool_call>" + look + "</tool_call>", `{"steps":[` + says + `]}`, `[{'tool':'search'}]`, "> [" + look + "]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		for _, asked := range []bool{true, false} {
			p, verdict := WrittenReader{Asked: asked, Known: known}.Read(reply)
			if verdict != Found {
				if len(p.Calls) > 0 || p.Final {
					t.Fatalf("%q is no plan and has %+v", reply, p)
				}
				continue
			}
			if len(p.Calls) == 0 && !p.Final {
				t.Fatalf("%q is an empty plan", reply)
			}
			if (!asked && p.Prose != "") != p.Within {
				t.Fatalf("%q has other text, %v, and is within it, %v", reply, p.Prose != "", p.Within)
			}
			for _, c := range p.Calls {
				var args map[string]json.RawMessage
				if c.Tool == "" || json.Unmarshal(c.Args, &args) != nil {
					t.Fatalf("%q has the call %+v", reply, c)
				}
			}
		}
	})
}
