package language

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"redline/workspace/world"
)

// What a user sets is added to an adapter, and takes nothing away that its rule needs. A server without an adapter comes
// first, and its problems are not known.
func TestWith(t *testing.T) {
	known := Gopls()
	all := With([]*Adapter{known}, []Custom{
		{Name: "gopls", Command: []string{"/opt/gopls"}, Settings: map[string]map[string]json.RawMessage{
			"gopls": {"diagnosticsDelay": json.RawMessage(`"9s"`), "gofumpt": json.RawMessage("true")}, "other": {"a": json.RawMessage("1")},
		}},
		{Name: "zls", Command: []string{"zls"}, Languages: map[string]string{".zig": "zig"}, Initialization: map[string]json.RawMessage{"b": json.RawMessage("2")}},
	})
	if len(all) != 2 || all[0].Name != "zls" || all[0].Knows("a/b.zig") != "zig" || string(all[0].Initialization) != `{"b":2}` {
		t.Fatalf("got %+v", all)
	}
	var settings map[string]any
	if err := json.Unmarshal(all[1].Settings["gopls"], &settings); err != nil || settings["diagnosticsDelay"] != "0s" || settings["gofumpt"] != true {
		t.Errorf("settings %v, %v", settings, err)
	}
	if got := string(all[1].Settings["other"]); got != `{"a":1}` || all[1].Command[0] != "/opt/gopls" || all[1].Knows("x.go") != "go" {
		t.Errorf("got %q, %v", got, all[1].Command)
	}
	if known.Command[0] != "gopls" || known.Settings["other"] != nil || known.problemsKnown() != nil || all[0].problemsKnown() == nil {
		t.Error("the adapter itself has changed")
	}
}

// What a user sets for the start of a server is added at each depth, and never in the place of what its rule needs.
func TestWithInitialization(t *testing.T) {
	a := With([]*Adapter{RustAnalyzer()}, []Custom{{Name: "rust-analyzer", Initialization: map[string]json.RawMessage{
		"cargo":       json.RawMessage(`{"features": "all", "extraEnv": {"CARGO_NET_OFFLINE": "false", "A": "b"}}`),
		"checkOnSave": json.RawMessage("true"), "check": json.RawMessage("null"),
	}}})[0]
	var got struct {
		CheckOnSave bool
		Check       struct{ Command string }
		Cargo       struct {
			Features  string
			ExtraArgs []string
			ExtraEnv  map[string]string
		}
	}
	if err := json.Unmarshal(a.Initialization, &got); err != nil || got.CheckOnSave || got.Check.Command != "check" || got.Cargo.Features != "all" ||
		len(got.Cargo.ExtraArgs) != 1 || got.Cargo.ExtraEnv["CARGO_NET_OFFLINE"] != "true" || got.Cargo.ExtraEnv["A"] != "b" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A user's settings for pyright are kept beside what its rule needs, and beside the folder's own Python.
func TestWithPyright(t *testing.T) {
	folder := t.TempDir()
	python := filepath.Join(folder, "venv", "bin", "python")
	if err := (folderDisk{}).Change(t.Context(), []world.Change{{Path: python}}); err != nil {
		t.Fatal(err)
	}
	a := With([]*Adapter{Pyright()}, []Custom{{Name: "pyright", Settings: map[string]map[string]json.RawMessage{
		"python": {"analysis": json.RawMessage(`{"typeCheckingMode": "strict", "diagnosticMode": "openFilesOnly"}`)},
	}}})[0]
	c := &Client{Options: Options{Adapter: a, Folder: folder}}
	var settings struct {
		PythonPath string
		Analysis   struct{ TypeCheckingMode, DiagnosticMode string }
	}
	if err := json.Unmarshal(c.setting("python"), &settings); err != nil || settings.PythonPath != python ||
		settings.Analysis.TypeCheckingMode != "strict" || settings.Analysis.DiagnosticMode != "workspace" {
		t.Errorf("settings %+v, %v", settings, err)
	}
	if got := string(c.setting("other")); got != "null" {
		t.Errorf("other settings are %s", got)
	}
}
