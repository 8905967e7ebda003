package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent/config"
)

// answering runs `redline setup` with these answers to its questions and this key typed hidden.
func answering(t *testing.T, f setupFlags, key string, stores []keyStore, answers ...string) (shown, file string, err error) {
	t.Helper()
	set, err := newSetup(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer set.store.Close()
	var out bytes.Buffer
	if stores == nil {
		stores = []keyStore{keyFile("test", "linux", set.settings.StateDir)}
	}
	a := &asker{
		streams: streams{out: &out, err: &out}, set: set,
		lines:  bufio.NewReader(strings.NewReader(strings.Join(answers, "\n") + "\n")),
		hidden: func(context.Context) (string, error) { return key, nil },
		stores: func(string) []keyStore { return stores },
	}
	err = a.run(t.Context(), &f)
	text, _ := os.ReadFile(set.settings.File)
	if strings.Contains(out.String()+string(text), scriptKey) {
		t.Errorf("the key is shown or written:\n%s\n%s", &out, text)
	}
	return out.String(), string(text), err
}

func TestSetupWithAKeyThatIsTyped(t *testing.T) {
	if _, err := exec.LookPath("cat"); err != nil {
		t.Skip("this test runs cat: run it on Linux or macOS")
	}
	awayFromUser(t)
	base := endpoint(t, scriptKey)
	shown, file, err := answering(t, setupFlags{provider: "other"}, scriptKey, nil, "no address", base, "paste", "b", "y", "y")
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	for _, part := range []string{"That is not an address", "Where is the key?", "kept in a file that only you can read", "Which model?", "ok answer     It says hello.", "ok tools", "32768 tokens", "Written."} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	s, warnings, err := config.Load(config.Sources{Env: os.LookupEnv})
	if err != nil || len(warnings) > 0 || s.Provider != "other" || s.BaseURL != base || s.Config.Name != "b" || len(s.KeyCommand) != 2 {
		t.Fatalf("%+v, %q, %v\n%s", s.ModelConfig(), warnings, err, file)
	}
	info, err := os.Stat(s.KeyCommand[1])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
	var out bytes.Buffer
	if exit := run(t.Context(), []string{"doctor", "--model", "--json"}, streams{in: strings.NewReader(""), out: &out, err: &out}); exit != 0 || !strings.Contains(out.String(), `"ok":true,"answer":"It says hello."`) {
		t.Errorf("afterwards: %d, %s", exit, &out)
	}
}

func TestSetupWithAVariable(t *testing.T) {
	awayFromUser(t)
	base := endpoint(t, scriptKey)
	t.Setenv("OPENAI_API_KEY", scriptKey)
	shown, file, err := answering(t, setupFlags{provider: "other", base: base, model: "a"}, "", nil, "", "")
	want := "[model]\nprovider = \"other\"\nbase_url = \"" + base + "\"\nname = \"a\"\n"
	if err != nil || file != want {
		t.Errorf("%v, %q\n%s", err, file, shown)
	}
}

func TestSetupFindsTheProviderOfAKey(t *testing.T) {
	awayFromUser(t)
	t.Setenv("OPENROUTER_API_KEY", scriptKey)
	shown, file, err := answering(t, setupFlags{}, "", nil) // no answer at all
	if !errors.Is(err, errNothingWritten) || file != "" {
		t.Errorf("%v, %q", err, file)
	}
	first := strings.Index(shown, "OpenRouter  ")
	if first < 0 || first > strings.Index(shown, "OpenAI  ") && strings.Contains(shown, "OpenAI  ") || !strings.Contains(shown, "OPENROUTER_API_KEY is set") {
		t.Errorf("what is found is not first:\n%s", shown)
	}
}

func TestSetupStaysOffline(t *testing.T) {
	awayFromUser(t)
	shown, file, err := answering(t, setupFlags{}, "", nil, "built-in", "y")
	if err != nil || file != "[model]\nprovider = \"builtin\"\n" {
		t.Errorf("%v, %q\n%s", err, file, shown)
	}
}

// If a key is refused, setup asks for it again; if a keychain does not accept a key, it is stored
// elsewhere.
func TestSetupWithAKeyThatIsRefused(t *testing.T) {
	awayFromUser(t)
	base := endpoint(t, scriptKey)
	dir := t.TempDir()
	locked := keyStore{"a keyring", "a keyring, as x", []string{"false"}, func(context.Context, string) error { return errors.New("it is locked") }}
	good := keyFile("test", "linux", dir)
	t.Setenv("OPENAI_API_KEY", "sk-wrong-key")
	shown, file, err := answering(t, setupFlags{provider: "other", base: base}, scriptKey, []keyStore{locked, good},
		"1", "I paste", "a", "2", "y", "y", "y")
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	for _, part := range []string{"refused the key (401): check OPENAI_API_KEY", "The key could not be kept there (it is locked)", "Put it into the file " + filepath.Join(dir, "keys", "test")} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	if !strings.Contains(file, `api_key_command = ["cat", "`+filepath.Join(dir, "keys", "test")+`"]`) {
		t.Errorf("written:\n%s", file)
	}
}

func TestSetupLeavesAFileAloneThatItCannotEdit(t *testing.T) {
	awayFromUser(t)
	path := os.Getenv("REDLINE_CONFIG")
	if err := os.WriteFile(path, []byte("model = { name = \"a\" }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, file, err := answering(t, setupFlags{provider: "builtin"}, "", nil, "y")
	if err == nil || !strings.Contains(err.Error(), "was not changed") || !strings.Contains(err.Error(), `provider = "builtin"`) || file != "model = { name = \"a\" }\n" {
		t.Errorf("%v, %q", err, file)
	}
}

func TestLongListsAreFiltered(t *testing.T) {
	var names []string
	for _, vendor := range []string{"a", "b", "c"} {
		for _, size := range []string{"tiny", "small", "medium", "large", "huge", "vast"} {
			names = append(names, vendor+"/"+size)
		}
	}
	for answers, want := range map[string]string{"": "a/tiny", "3": "a/medium", "18\nc/vast": "c/vast", "LARGE\n2": "b/large", "zzz\nn\n2": "a/small", "zzz\ny": "zzz"} {
		var out bytes.Buffer
		a := &asker{streams: streams{out: &out, err: &out}, lines: bufio.NewReader(strings.NewReader(answers + "\n\n"))}
		got, err := a.pick(t.Context(), "Which?", names, nil, true)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q\n%s", answers, got, err, want, &out)
		}
		if !strings.Contains(out.String(), "… and 3 more") {
			t.Errorf("more than is read at once:\n%s", &out)
		}
	}
}

func TestKeyStoresOfSystems(t *testing.T) {
	t.Setenv("PASSWORD_STORE_DIR", t.TempDir())
	if err := os.WriteFile(filepath.Join(os.Getenv("PASSWORD_STORE_DIR"), ".gpg-id"), []byte("me"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := func(name string) (string, error) { return "/bin/" + name, nil }
	none := func(string) (string, error) { return "", exec.ErrNotFound }
	for _, c := range []struct {
		system string
		look   func(string) (string, error)
		want   string
	}{
		{"darwin", all, "security pass cat"}, {"linux", all, "secret-tool pass cat"}, {"windows", all, "cmd"}, {"linux", none, "cat"},
	} {
		var got []string
		for _, s := range keyStores("anthropic", c.system, "/state", c.look) {
			got = append(got, s.read[0])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %s", c.system, got, c.want)
		}
	}
}

// A keychain's program gets the key on its input, never among its arguments.
func TestKeyStoresAreFedTheKey(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("PASSWORD_STORE_DIR", dir)
	if err := os.WriteFile(filepath.Join(dir, ".gpg-id"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$@\" >> " + dir + "/arguments\ncase \"$1\" in\nlookup|show|find-generic-password) cat " + dir + "/kept;;\n*) sed 's/.* -w \"\\(.*\\)\"/\\1/' > " + dir + "/kept;;\nesac\n"
	for _, program := range []string{"security", "secret-tool", "pass"} {
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("this test runs sed: run it on Linux or macOS")
	}
	for _, system := range []string{"darwin", "linux"} {
		for _, store := range keyStores("anthropic", system, dir, exec.LookPath) {
			if err := store.keep(t.Context(), scriptKey); err != nil {
				t.Errorf("%s: %v", store.name, err)
			}
		}
	}
	if said, err := os.ReadFile(filepath.Join(dir, "arguments")); err != nil || strings.Contains(string(said), scriptKey) {
		t.Errorf("%v, arguments:\n%s", err, said)
	}
	broken := keyStore{"x", "x", []string{"echo", "other"}, func(context.Context, string) error { return nil }}
	if err := broken.keep(t.Context(), scriptKey); err == nil || strings.Contains(err.Error(), scriptKey) {
		t.Errorf("a store that prints something else: %v", err)
	}
}
