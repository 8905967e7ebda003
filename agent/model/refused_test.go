package model

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// If the policy refuses a model, nothing is sent to it, and the error says why.
func TestNothingGoesToARefusedModel(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("something was sent")
	}))
	defer server.Close()
	c := Config{BaseURL: server.URL + "/v1", APIKey: "k", Refused: "the policy does not allow it"}
	_, err := New(c).Complete(t.Context(), Request{Messages: []Message{{Role: RoleUser, Content: "hello"}}}, nil)
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != KindForbidden || !strings.Contains(e.Error(), c.Refused) {
		t.Errorf("%v, want that it is refused", err)
	}
	if _, err := Reach(t.Context(), c); err == nil {
		t.Error("the models of a refused endpoint were asked for")
	}
}
