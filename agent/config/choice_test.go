package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChoiceKeepsTheRestOfTheFile(t *testing.T) {
	claude := Choice{Provider: "anthropic", Model: "claude-sonnet-4-5", KeyCommand: []string{"pass", "show", "redline/anthropic"}}
	for name, c := range map[string]struct {
		choice     Choice
		text, want string
	}{
		"no file": {claude, "", `[model]
provider = "anthropic"
name = "claude-sonnet-4-5"
api_key_command = ["pass", "show", "redline/anthropic"]
`},
		"other tables": {Choice{Provider: "builtin"}, "# mine\n[limits] # few\nsteps = 3\n", "# mine\n[limits] # few\nsteps = 3\n\n[model]\nprovider = \"builtin\"\n"},
		"the same again": {claude, `[model]
provider = "anthropic"
name = "claude-sonnet-4-5" # the usual
api_key_command = ["pass", "show", "redline/anthropic"]
`, `[model]
provider = "anthropic"
name = "claude-sonnet-4-5" # the usual
api_key_command = ["pass", "show", "redline/anthropic"]
`},
		"another provider": {claude, `# head
[limits]
steps = 3

[model] # where
# the gateway
base_url = "https://x.example/v1" # ours
name = "gpt#1"  # a model
headers = { "X-Team" = "a" }
api_key_command = [
  "op", # 1Password
  "read", "op://a/b",
]
prices = { "gpt#1" = [1, 2] }
plan = "large"

# tail
[ui]
code_lens = false
`, `# head
[limits]
steps = 3

[model] # where
# the gateway
#base_url = "https://x.example/v1" # ours
name = "claude-sonnet-4-5" # a model
#headers = { "X-Team" = "a" }
api_key_command = ["pass", "show", "redline/anthropic"]
prices = { "gpt#1" = [1, 2] }
#plan = "large"
provider = "anthropic"

# tail
[ui]
code_lens = false
`},
		"another model of the same": {Choice{Provider: "ollama", Model: "b"}, "[model]\nprovider = \"ollama\"\nname = \"a\"\ntools = \"off\"\nedit = \"c\"\n",
			"[model]\nprovider = \"ollama\"\nname = \"b\"\ntools = \"off\"\nedit = \"c\"\n"},
		"a table that is empty": {Choice{Provider: "openai"}, "[model]\n[limits]\nsteps = 3\n", "[model]\nprovider = \"openai\"\n[limits]\nsteps = 3\n"},
		"a table below it":      {Choice{Provider: "openai"}, "[model.prices]\n\"a\" = [1, 2]\n", "[model.prices]\n\"a\" = [1, 2]\n\n[model]\nprovider = \"openai\"\n"},
		"Windows": {Choice{Provider: "other", BaseURL: "http://x/v1", KeyCommand: []string{"cmd", "/C", "type", `C:\a b\k`}}, "[ui]\r\ncode_lens = true\r\n",
			"[ui]\r\ncode_lens = true\r\n\r\n[model]\r\nprovider = \"other\"\r\nbase_url = \"http://x/v1\"\r\napi_key_command = [\"cmd\", \"/C\", \"type\", 'C:\\a b\\k']\r\n"},
		"every line a comment": {Choice{Provider: "openai"}, Template()[:strings.Index(Template(), "\n[limits]")], ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.choice.edit(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if c.want != "" && got != c.want {
				t.Errorf("-want +got\n%s", cmp.Diff(c.want, got))
			}
			s, warnings := load(t, got, nil, nil)
			if s.Provider != c.choice.Provider || len(warnings) > 0 && c.choice.Provider != "openai" && c.choice.Provider != "other" {
				t.Errorf("it is read as %q, with %q", s.Provider, warnings)
			}
			if again, err := c.choice.edit(got); err != nil || again != got {
				t.Errorf("the second time: %v\n%s", err, again)
			}
		})
	}
}

func TestChoiceLeavesAloneWhatItCannotEdit(t *testing.T) {
	for name, text := range map[string]string{
		"inline":   "model = { name = \"a\" }\n",
		"dotted":   "model.name = \"a\"\n",
		"quoted":   "[model]\n\"name\" = \"a\"\n",
		"no table": "model = 3\n",
		"no TOML":  "[model\n",
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Choice{Provider: "anthropic", Model: "b"}.Write(path)
		if err == nil || name != "no TOML" && !errors.Is(err, ErrNotEdited) {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s: the file is now %q", name, got)
		}
	}
}

func TestChoiceMakesAFileForItsUserAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "redline", "config.toml")
	if err := (Choice{Provider: "ollama", Model: "q"}).Write(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || filepath.Separator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if filepath.Separator != '/' {
		return
	}
	link := filepath.Join(dir, "link.toml")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (Choice{Provider: "ollama", Model: "r"}).Write(link); err != nil {
		t.Fatal(err)
	}
	text, _ := os.ReadFile(path)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(string(text), `"r"`) {
		t.Errorf("the link is %v, the file %q", info.Mode(), text)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o644 {
		t.Errorf("the mode is %v", info.Mode())
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// Whatever is in the file, the written file has the old settings and the choice, or nothing is
// written.
func FuzzChoice(f *testing.F) {
	f.Add("[model]\nname = \"\"\"\n[limits]\n\"\"\"\n", "a")
	f.Add("[model]\nname = 'a' # b\n[[x]]\n[model.prices]\n", `"'\`)
	f.Fuzz(func(t *testing.T, text, name string) {
		if strings.TrimSpace(name) == "" || !isTOML([]string{"x = " + quoted(name)}) {
			return
		}
		got, err := Choice{Provider: "ollama", Model: name}.edit(text)
		if err != nil {
			return
		}
		tables, err := parse([]byte(got))
		if of, _ := tables["model"].(map[string]any); err != nil || of["name"] != name || of["provider"] != "ollama" {
			t.Errorf("%q with %q became %q: %v", text, name, got, err)
		}
	})
}
