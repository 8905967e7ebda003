package acpwire

import (
	"encoding/json"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

func TestDecode(t *testing.T) {
	permission := func(raw string) error {
		_, err := Decode[acp.RequestPermissionResponse](json.RawMessage(raw))
		return err
	}
	update := func(raw string) error {
		_, err := Decode[acp.SessionUpdate](json.RawMessage(raw))
		return err
	}
	prompt := func(raw string) error {
		_, err := Decode[acp.PromptRequest](json.RawMessage(raw))
		return err
	}
	session := func(raw string) error {
		_, err := Decode[acp.NewSessionResponse](json.RawMessage(raw))
		return err
	}
	for _, c := range []struct {
		decode func(string) error
		raw    string
		want   string // part of the error, "" for none
	}{
		{permission, `{"outcome":{"outcome":"selected","optionId":"a"}}`, ""},
		{permission, `{"outcome":{"outcome":"cancelled"}}`, ""},
		{permission, `{"outcome":{"outcome":"selected"}}`, "outcome.optionId is missing"},
		{permission, `{"outcome":{"outcome":"selected","optionId":""}}`, "outcome.optionId is missing"},
		{permission, `{"outcome":{"outcome":"selected","optionId":7}}`, "cannot be read"},
		{permission, `{"outcome":{"outcome":"maybe"}}`, "outcome is of an unknown kind"},
		{permission, `{"outcome":{"outcome":"maybe","optionId":"a"}}`, "outcome is of an unknown kind"},
		{permission, `{"outcome":{"outcome":""}}`, "outcome is of an unknown kind"},
		{permission, `{"outcome":{"optionId":"a"}}`, "outcome is of an unknown kind"},
		{permission, `{"outcome":{}}`, "outcome is of an unknown kind"},
		{permission, `{"outcome":null}`, "outcome is of an unknown kind"},
		{permission, `{}`, "outcome is of an unknown kind"},
		{permission, `null`, "nothing to read"},
		{permission, ``, "nothing to read"},
		{permission, `[]`, "cannot be read"},

		{update, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`, ""},
		{update, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"x"}`, ""},
		{update, `{"sessionUpdate":"tool_call","title":"x"}`, "toolCallId is missing"},
		{update, `{"sessionUpdate":"plan","entries":[]}`, ""},
		{update, `{"sessionUpdate":"frob","content":{"type":"text","text":"x"}}`, "it is of an unknown kind"},
		{update, `{"sessionUpdate":"frob","toolCallId":"t","title":"x"}`, "it is of an unknown kind"},
		{update, `{"sessionUpdate":["plan"],"entries":[]}`, ""}, // see below: any error
		{update, `{"content":{"type":"text","text":"x"}}`, "it is of an unknown kind"},
		{update, `{"sessionUpdate":"agent_message_chunk","content":{"type":"smell","text":"x"}}`, "content is of an unknown kind"},
		{update, `{"sessionUpdate":"agent_message_chunk"}`, "content is of an unknown kind"},
		{update, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"x","content":[{"type":"smell"}]}`, "content[0] is of an unknown kind"},
		{update, `{}`, "it is of an unknown kind"},

		{prompt, `{"sessionId":"s","prompt":[{"type":"text","text":"x"},{"type":"resource","resource":{"uri":"file:///a","text":"x"}}]}`, ""},
		{prompt, `{"sessionId":"s","prompt":[{"type":"text","text":"x"},{"type":"resource","resource":{}}]}`, "prompt[1].resource"},
		{prompt, `{"prompt":[]}`, "sessionId is missing"},

		{session, `{"sessionId":"s"}`, ""},
		{session, `{"sessionId":null}`, "sessionId is missing"},
		{session, `{}`, "sessionId is missing"},
	} {
		err := c.decode(c.raw)
		switch {
		case strings.Contains(c.raw, `["plan"]`):
			if err == nil {
				t.Errorf("%s: read", c.raw)
			}
		case (err == nil) != (c.want == ""), err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %q", c.raw, err, c.want)
		}
	}
}

// Members that nobody asked for cannot spoil the others.
func TestDecodeOnly(t *testing.T) {
	got, err := Decode[acp.InitializeResponse](json.RawMessage(`{"protocolVersion":1,"authMethods":[{"type":"new"}],"agentCapabilities":{"loadSession":true}}`), "protocolVersion", "agentCapabilities")
	if err != nil || !got.AgentCapabilities.LoadSession || got.ProtocolVersion != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, raw := range []string{`[]`, `null`, `7`, ``} {
		if _, err := Decode[acp.InitializeResponse](json.RawMessage(raw), "protocolVersion"); err == nil {
			t.Errorf("%q was read", raw)
		}
	}
}

// FuzzDecode reads any bytes as messages of both sides: what is read has no union without a kind.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds {
		var m struct{ Params json.RawMessage }
		if json.Unmarshal([]byte(s), &m) == nil {
			f.Add([]byte(m.Params))
		}
	}
	f.Add([]byte(`{"outcome":{"outcome":"selected"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if r, err := Decode[acp.RequestPermissionResponse](raw); err == nil {
			if (r.Outcome.Selected == nil) == (r.Outcome.Cancelled == nil) || r.Outcome.Selected != nil && r.Outcome.Selected.OptionId == "" {
				t.Errorf("%q was read as %+v", raw, r)
			}
		}
		_, _ = Decode[acp.SessionNotification](raw)
		_, _ = Decode[acp.RequestPermissionRequest](raw)
		_, _ = Decode[acp.PromptRequest](raw)
		_, _ = Decode[acp.InitializeRequest](raw)
		_, _ = Decode[acp.NewSessionRequest](raw)
	})
}
