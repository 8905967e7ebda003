package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// awayFromUser keeps a test in this process away from the user's settings and plans.
func awayFromUser(t *testing.T) {
	t.Helper()
	t.Setenv("REDLINE_STATE_DIR", t.TempDir())
	t.Setenv("REDLINE_CONFIG", t.TempDir()+"/config.toml")
	for _, name := range connectionVariables {
		t.Setenv(name, "")
	}
}

func TestDoctorAsksTheProvider(t *testing.T) {
	for _, test := range []struct {
		status, exit int
		want         string
	}{
		{200, exitOK, "ok model      mine at http://"},
		{401, exitProvider, "the key was refused: check OPENAI_API_KEY"},
		{403, exitProvider, "the key was refused"},
		{404, exitOK, "it does not list its models (404): if requests fail too, check OPENAI_BASE_URL"},
		{503, exitProvider, "it has a problem of its own (503): try again later"},
	} {
		awayFromUser(t)
		var path, key string
		provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, key = r.URL.Path, r.Header.Get("Authorization")
			w.WriteHeader(test.status)
			w.Write([]byte(scriptKey))
		}))
		t.Setenv("OPENAI_BASE_URL", provider.URL+"/v1/")
		t.Setenv("OPENAI_API_KEY", scriptKey)
		t.Setenv("REDLINE_MODEL", "mine")
		var out, said bytes.Buffer
		exit := run(t.Context(), []string{"doctor"}, streams{in: strings.NewReader(""), out: &out, err: &said})
		provider.Close()
		if exit != test.exit || !strings.Contains(out.String(), test.want) {
			t.Errorf("%d: exit status %d, want %d with %q in\n%s", test.status, exit, test.exit, test.want, &out)
		}
		if path != "/v1/models" || key != "Bearer "+scriptKey {
			t.Errorf("asked %s with %q", path, key)
		}
		if strings.Contains(out.String()+said.String(), scriptKey) {
			t.Errorf("the key is shown:\n%s%s", &out, &said)
		}
	}
}

// connectionVariables choose the model that Redline uses; a developer may have set some of them.
var connectionVariables = []string{
	"REDLINE_PROVIDER", "REDLINE_BASE_URL", "REDLINE_API_KEY", "REDLINE_MODEL", "REDLINE_LOG",
	"OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "AZURE_OPENAI_API_KEY",
}
