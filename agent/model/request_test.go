package model_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/agent/model"
	"redline/agent/model/modeltest"
)

func TestRequestOnTheWire(t *testing.T) {
	zero, half := 0.0, 0.5
	server := modeltest.New(modeltest.Stream(modeltest.Text("ok")), modeltest.Stream(modeltest.Text("ok")))
	_, err := inProcess(server).Complete(t.Context(), model.Request{
		Messages: []model.Message{
			{Role: model.RoleSystem, Content: "s"},
			{Role: model.RoleUser, Content: "u"},
			{Role: model.RoleAssistant, Calls: []model.Call{called("1", "read_file", `{"path":"a"}`), called("2", "edit_file", `{"re":"\d"}`)}},
			{Role: model.RoleTool, CallID: "1", Content: ""},
			{Role: model.RoleTool, CallID: "2", Content: "error: no JSON"},
		},
		Tools:       []model.Tool{{Name: "read_file", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "bare"}},
		Temperature: &zero,
		TopP:        &half,
		MaxTokens:   9,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := server.Requests()[0]
	want := []modeltest.Message{
		{Role: "system", Content: "s"},
		{Role: "user", Content: "u"},
		{Role: "assistant", Calls: []modeltest.CallMade{
			{ID: "1", Name: "read_file", Arguments: `{"path":"a"}`},
			{ID: "2", Name: "edit_file", Arguments: `{"not_an_object":"{\"re\":\"\\d\"}"}`},
		}},
		{Role: "tool", CallID: "1", Content: "(empty)"},
		{Role: "tool", CallID: "2", Content: "error: no JSON"},
	}
	if diff := cmp.Diff(want, got.Messages); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"read_file", "bare"}, got.Tools); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	var body map[string]any
	if err := json.Unmarshal(got.Body, &body); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"model": "test-model", "stream": "true", "stream_options": "map[include_usage:true]", "max_tokens": "9", "top_p": "0.5", "temperature": "1e-45",
	} {
		if got := fmt.Sprint(body[name]); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if got.Header.Get("Authorization") != "" {
		t.Error("the recorded request holds the key")
	}

	if _, err := inProcess(server).Complete(t.Context(), model.Request{Model: "o3-mini", MaxTokens: 9}, nil); err != nil {
		t.Fatal(err)
	}
	body = nil
	if err := json.Unmarshal(server.Requests()[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	if body["model"] != "o3-mini" || body["max_completion_tokens"] != 9.0 || body["max_tokens"] != nil {
		t.Errorf("a reasoning model is asked with %v", body)
	}
}

// If go-openai itself refuses to send a request, the user gets its reason.
func TestRefusedBeforeItIsSent(t *testing.T) {
	half := 0.5
	server := modeltest.New()
	_, err := inProcess(server).Complete(t.Context(), model.Request{Model: "o3-mini", Temperature: &half}, nil)
	e := wantKind(t, err, model.KindRejected)
	if e.Model != "o3-mini" || len(server.Requests()) != 0 {
		t.Errorf("%+v, %d requests", e, len(server.Requests()))
	}
}

func TestInfo(t *testing.T) {
	for _, test := range []struct {
		config model.Config
		want   model.Info
	}{
		{model.Config{}, model.Info{Provider: "builtin", Name: "builtin"}},
		{model.Config{Name: "x"}, model.Info{Provider: "builtin", Name: "builtin"}},
		{model.Config{APIKey: "k"}, model.Info{Provider: "openai", Name: model.DefaultName, BaseURL: model.DefaultBaseURL}},
		{model.Config{BaseURL: "http://u:p@h:1/v1?q#f", Name: "x"}, model.Info{Provider: "openai", Name: "x", BaseURL: "http://h:1/v1"}},
	} {
		if diff := cmp.Diff(test.want, model.New(test.config).Info()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.config, diff)
		}
	}
}

func TestASchemaOnTheWire(t *testing.T) {
	server := modeltest.New(modeltest.Stream(modeltest.Text("{}")))
	_, err := inProcess(server).Complete(t.Context(), model.Request{
		Messages: []model.Message{{Role: model.RoleUser, Content: "u"}},
		Schema:   &model.Schema{Name: "answer", JSON: json.RawMessage(`{"type":"object"}`)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Format any `json:"response_format"`
	}
	if err := json.Unmarshal(server.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "strict": true, "schema": map[string]any{"type": "object"}}}
	if diff := cmp.Diff(any(want), body.Format); diff != "" {
		t.Errorf("response_format (-want +got):\n%s", diff)
	}
}
