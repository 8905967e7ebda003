package config

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"redline/agent/model"
)

// denying is a settings file with what must not be dropped in silence: which command is denied, and
// who is asked.
const denying = `[model]
provider = "builtin"
[commands]
deny = ["rm"]
`

// littleEndian returns a text as PowerShell's > writes it.
func littleEndian(text string) string {
	data := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return string(data)
}

// A settings file that is not TOML stops everything: one sentence names the line and the file.
func TestSettingsThatAreNotTOML(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a syntax error":         {denying + "[limits]\nsteps =\n", "line 6 is not TOML"},
		"a key twice":            {denying + "deny = [\"mv\"]\n", "line 5 is not TOML (key deny is already defined)"},
		"a table twice":          {denying + "[model]\nname = \"x\"\n", "line 5 is not TOML (table model already exists)"},
		"a text without end":     {denying + "allow = [\"go test]\n", "line 5 is not TOML"},
		"a byte that is no text": {denying + "# \xff\n", "line 5 is not TOML"},
		"UTF-16":                 {littleEndian(denying), "line 1 is not TOML (the file is UTF-16; save it as UTF-8)"},
		"a mark within":          {"[model]\n" + mark + "provider = \"builtin\"\n", "line 2 is not TOML"},
		"a zero byte":            {denying + "\x00", "line 5 is not TOML"},
		"too large":              {strings.Repeat("# much\n", maxFileSize/7+1), "it is not a file of at most 1048576 bytes"},
		"a key with controls":    {"\"a\\u001b[2J\" = 1\n\"a\\u001b[2J\" = 2\n", "line 2 is not TOML"},
		"a long key":             {strings.Repeat("a", 1<<16) + " = 1\n" + strings.Repeat("a", 1<<16) + " = 2\n", "line 2 is not TOML"},
	} {
		t.Run(name, func(t *testing.T) {
			s, warnings, err := Load(sources(t, c.text, map[string]string{"OPENAI_API_KEY": "k"}, nil))
			unusable, ok := errors.AsType[*Unusable](err)
			if !ok {
				t.Fatalf("%v, %q: the settings count as read", err, warnings)
			}
			got := strings.ReplaceAll(unusable.Error(), s.File, "FILE")
			if !strings.HasPrefix(got, "your settings in FILE cannot be read: "+c.want) || strings.ContainsAny(got, "\n\x1b") || len(got) > 500 {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if !strings.HasSuffix(s.StateDir, "redline") || s.ModelConfig().Refused != unusable.Error() {
				t.Errorf("doctor and uninstall get %+v", s)
			}
		})
	}
}

// The same where the file is there and cannot be read: it may hold the same rules.
func TestSettingsThatCannotBeRead(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
		"a device":           func(path string) error { return os.Symlink(os.DevNull, path) },
		"a link in a circle": func(path string) error { return os.Symlink(path, path) },
		"no permission": func(path string) error {
			if os.Geteuid() == 0 {
				return os.Mkdir(path, 0o700) // root can read every file
			}
			return os.WriteFile(path, []byte(denying), 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			if err := make(path); err != nil {
				t.Skip("this file cannot be made here: ", err)
			}
			_, warnings, err := Load(sources(t, "", map[string]string{"REDLINE_CONFIG": path}, nil))
			if _, ok := errors.AsType[*Unusable](err); !ok || !strings.Contains(err.Error(), path) {
				t.Errorf("%v, %q", err, warnings)
			}
		})
	}
}

// A byte order mark, as Notepad writes it, is no part of the settings.
func TestByteOrderMark(t *testing.T) {
	s, warnings := load(t, mark+denying, nil, nil)
	if s.Provider != "builtin" || len(s.Commands.Deny) != 1 || len(warnings) != 0 {
		t.Errorf("%+v, %q", s, warnings)
	}
	for _, text := range []string{mark + denying, mark + "# mine\r\n[model] # here\r\nprovider = \"builtin\"\r\n", mark} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := (Choice{Provider: "ollama", Model: "m"}).Write(path); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		s, warnings := load(t, "", map[string]string{"REDLINE_CONFIG": path}, nil)
		data, err := os.ReadFile(path)
		if got := string(data); s.Provider != "ollama" || len(warnings) != 0 || err != nil || strings.Count(got, mark) != 1 || strings.Count(got, "[model]") != 1 {
			t.Errorf("%q became %q: %q, %v", text, got, warnings, err)
		}
	}
	if under(t, mark+"[trials]\nmode = \"off\"\n", "", nil, nil).Trials.Mode != "off" {
		t.Error("a policy with a byte order mark has no effect")
	}
}

// A link that leads nowhere, as to a home of dotfiles that is not mounted, is not silence.
func TestSettingsBehindALinkToNothing(t *testing.T) {
	src := sources(t, denying, nil, nil)
	dir, _ := src.Env("XDG_CONFIG_HOME")
	file := filepath.Join(dir, "redline", "config.toml")
	if err := errors.Join(os.Remove(file), os.Symlink(filepath.Join(dir, "none"), file)); err != nil {
		t.Skip("no link can be made here: ", err)
	}
	_, warnings, err := Load(src)
	if err != nil || len(warnings) != 1 || !strings.HasPrefix(string(warnings[0]), file+" is a link to a file that does not exist") {
		t.Errorf("%q, %v", warnings, err)
	}
}

// A policy that cannot be applied lets setup and doctor send nothing either, and start no tool server.
func TestBrokenPolicySendsNothing(t *testing.T) {
	src := sources(t, "[mcp.a]\ncommand = \"a\"\n", map[string]string{"OPENAI_API_KEY": "k"}, nil)
	src.Policy = policyIn(t, "[model")
	s, _, err := Load(src)
	unusable, ok := errors.AsType[*Unusable](err)
	if !ok || s.ModelConfig().Refused != unusable.Error() || s.ToolServers != nil {
		t.Errorf("%v; %+v", err, s)
	}
	hosted := model.Config{BaseURL: "https://api.openai.com/v1"}
	for name, c := range map[string]model.Config{"settings": s.Allowed(hosted), "setup": UnderPolicy(src, hosted)} {
		if !strings.Contains(c.Refused, "the policy in "+src.Policy+" cannot be applied: line 1 is not TOML") {
			t.Errorf("%s: %q", name, c.Refused)
		}
	}
}

// The workspace's own file stops nothing, and a text that is not TOML is not passed over in silence.
func TestIgnoredFileThatIsNotTOML(t *testing.T) {
	for text, want := range map[string]string{
		"[model\n":                         "are ignored, because a repository could bring them, and line 1 is not TOML",
		mark + "[model]\nname = \"x\"\n":   "are ignored, because a repository could bring them: model.name.",
		strings.Repeat(" ", maxFileSize+1): "it is not a file of at most",
	} {
		got := IgnoredIn(OfWorkspace, []byte(text))
		if len(got) != 1 || !strings.Contains(string(got[0]), want) {
			t.Errorf("%.20q: %q, want %q", text, got, want)
		}
	}
}
