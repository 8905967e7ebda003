package config

import (
	"strings"
	"testing"
)

// A table says how a server is started; a wrong one has no effect, and a warning says why.
func TestLanguageServers(t *testing.T) {
	s, warnings := load(t, `
[languages]
mode = "on"
memory_mb = 2000

[languages.gopls]
command = ["/opt/gopls", "serve"]
settings.gopls.buildFlags = ["-tags=x"]

[languages.zls]
command = ["zls"]
files = { ".zig" = "zig" }
roots = ["build.zig"]
initialization = { a = { b = 1 } }
`, nil, nil)
	if len(warnings) != 0 || s.Languages.Mode != "on" || s.Languages.Memory != 2000 || len(s.Languages.Servers) != 2 {
		t.Fatalf("got %+v, warnings %q", s.Languages, warnings)
	}
	gopls, zls := s.Languages.Servers[0], s.Languages.Servers[1]
	if gopls.Command[0] != "/opt/gopls" || string(gopls.Settings["gopls"]["buildFlags"]) != `["-tags=x"]` {
		t.Errorf("gopls is %+v", gopls)
	}
	if zls.Languages[".zig"] != "zig" || zls.Roots[0] != "build.zig" || string(zls.Initialization["a"]) != `{"b":1}` {
		t.Errorf("zls is %+v", zls)
	}
	for text, want := range map[string]string{
		"languages.zls = 1":                           "must be a table",
		"[languages.zls]\ncommand = [\"zls\"]":        "needs a command and files",
		"[languages.gopls]\ncommand = []":             "must have a program as its command",
		"[languages.gopls]\nfiles = { go = \"go\" }":  "must have a table as its files",
		"[languages.gopls]\nroots = [\"a/b\"]":        "must have names of files as its roots",
		"[languages.gopls]\nsettings = { gopls = 1 }": "must have a table for each section of its settings",
		"[languages.gopls]\nargs = []":                `has a key "args"; there are command, files, roots, settings and initialization`,
		"[languages]\nmode = \"always\"":              "languages.mode",
	} {
		s, warnings := load(t, text, nil, nil)
		if len(warnings) != 1 || !strings.Contains(string(warnings[0]), want) || len(s.Languages.Servers) != 0 {
			t.Errorf("%s: warnings %q, servers %+v", text, warnings, s.Languages.Servers)
		}
	}
}

// A policy that switches trials off switches language servers off too: both run code of the repository.
func TestAPolicyOnTrialsIsOneOnLanguageServers(t *testing.T) {
	for policy, want := range map[string]string{`"off"`: "off", `"ask"`: "ask", `"on"`: "on"} {
		if s := under(t, "[trials]\nmode = "+policy, "[languages]\nmode = \"on\"", nil, nil); s.Languages.Mode != want {
			t.Errorf("%s: %s", policy, s.Languages.Mode)
		}
	}
}
