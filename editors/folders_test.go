package editors

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What init writes is what the editor reads.
func TestFolders(t *testing.T) {
	if filepath.Separator != '/' {
		t.Skip("tests folders of Linux and macOS: run it there")
	}
	for _, c := range []struct {
		editor, system string
		env            string
		there          []string
		want           string
	}{
		{editor: "emacs", want: "/home/.emacs.d/init.el"},
		{editor: "emacs", there: []string{"/home/.emacs.d"}, want: "/home/.emacs.d/init.el"},
		{editor: "emacs", there: []string{"/config/emacs"}, want: "/config/emacs/init.el"},
		{editor: "emacs", there: []string{"/home/.emacs.d", "/config/emacs"}, want: "/home/.emacs.d/init.el"},
		{editor: "emacs", there: []string{"/home/.emacs", "/config/emacs"}, want: "/home/.emacs"},
		{editor: "emacs", there: []string{"/home/.emacs", "/home/.emacs.el", "/home/.emacs.d"}, want: "/home/.emacs.el"},
		{editor: "emacs", system: "windows", want: "/roaming/.emacs.d/init.el"},
		{editor: "emacs", system: "windows", env: "HOME=/h", there: []string{"/h/_emacs"}, want: "/h/_emacs"},

		{editor: "helix", want: "/config/helix/languages.toml"},
		{editor: "helix", system: "darwin", want: "/config/helix/languages.toml"},
		{editor: "helix", system: "windows", want: "/roaming/helix/languages.toml"},
		{editor: "kakoune", want: "/config/kak/kakrc"},
		{editor: "kakoune", env: "KAKOUNE_CONFIG_DIR=/kakoune", want: "/kakoune/kakrc"},
		{editor: "kakoune", env: "KAKOUNE_CONFIG_DIR=relative", want: "/config/kak/kakrc"},
		{editor: "kate", want: "/config/kate/lspclient/settings.json"},
		{editor: "kate", system: "darwin", want: "/home/Library/Preferences/kate/lspclient/settings.json"},
		{editor: "kate", system: "windows", want: "/local/kate/lspclient/settings.json"},
		{editor: "sublime", want: "/config/sublime-text/Packages/User/LSP.sublime-settings"},
		{editor: "sublime", there: []string{"/config/sublime-text-3"}, want: "/config/sublime-text-3/Packages/User/LSP.sublime-settings"},
		{editor: "sublime", there: []string{"/config/sublime-text", "/config/sublime-text-3"}, want: "/config/sublime-text/Packages/User/LSP.sublime-settings"},
		{editor: "sublime", system: "darwin", want: "/home/Library/Application Support/Sublime Text/Packages/User/LSP.sublime-settings"},
		{editor: "sublime", system: "windows", want: "/roaming/Sublime Text/Packages/User/LSP.sublime-settings"},

		{editor: "nvim", want: "/data/nvim/site/pack/redline/start/redline"},
		{editor: "nvim", env: "NVIM_APPNAME=mine", want: "/data/mine/site/pack/redline/start/redline"},
		{editor: "nvim", system: "windows", want: "/local/nvim-data/site/pack/redline/start/redline"},
		{editor: "nvim", system: "windows", env: "NVIM_APPNAME=mine", want: "/local/mine-data/site/pack/redline/start/redline"},
	} {
		if c.system == "" {
			c.system = "linux"
		}
		setup, err := For(c.editor, Folders{
			System: c.system, Home: "/home", Config: "/config", Data: "/data", Roaming: "/roaming", Local: "/local",
			Env: func(name string) string {
				value, _ := strings.CutPrefix(c.env, name+"=")
				if value == c.env {
					return ""
				}
				return value
			},
			Exists: func(path string) bool { return slices.Contains(c.there, path) },
		})
		if err != nil {
			t.Fatal(err)
		}
		got := setup.Dir
		if got == "" || c.editor == "emacs" { // its plugin goes beside the init file
			got = setup.Files[0].Path
		}
		if got != c.want {
			t.Errorf("%s on %s with %q and %q: %s, want %s", c.editor, c.system, c.env, c.there, got, c.want)
		}
	}
}

// Emacs itself reads the file that is named, whatever else there is.
func TestEmacsReadsWhatIsWritten(t *testing.T) {
	program, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("Emacs is not here: run .ci/install-editors")
	}
	for name, there := range map[string][]string{
		"nothing":                     nil,
		"a folder":                    {".emacs.d/"},
		"the folder of XDG":           {".config/emacs/"},
		"both folders":                {".emacs.d/", ".config/emacs/"},
		"a file":                      {".emacs"},
		"a file with its ending":      {".emacs.el"},
		"both files":                  {".emacs", ".emacs.el", ".emacs.d/"},
		"a file, and the XDG folder":  {".emacs", ".config/emacs/"},
		"files of both folders":       {".emacs.d/init.el", ".config/emacs/init.el"},
		"a folder, and a file of XDG": {".emacs.d/", ".config/emacs/init.el"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			put := func(path string) {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if filepath.Base(path) == "." || strings.HasSuffix(path, "/") {
					return
				}
				lisp := `(write-region load-file-name nil "` + home + `/read") (kill-emacs)`
				if err := os.WriteFile(path, []byte(lisp), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, path := range there {
				put(home + "/" + path)
			}
			want := Folders{System: "linux", Home: home, Config: home + "/.config", Exists: func(path string) bool {
				_, err := os.Stat(path)
				return err == nil
			}}.emacs()
			put(want)
			cmd := exec.CommandContext(t.Context(), program, "--fg-daemon="+filepath.Base(home), "--eval", "(kill-emacs)")
			cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + home}
			out, err := cmd.CombinedOutput()
			got, missing := os.ReadFile(home + "/read")
			if err != nil || missing != nil || string(got) != want {
				t.Errorf("Emacs has read %q, not %s (%v)\n%s", got, want, err, out)
			}
		})
	}
}
