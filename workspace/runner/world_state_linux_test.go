//go:build amd64 || arm64

package runner

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"redline/workspace/world"
)

// newHouseOfAgent makes a house whose home folder has what an agent has there.
func newHouseOfAgent(t *testing.T) *house {
	t.Helper()
	h := newHouse(t)
	h.write(t, "home/.agent/auth.json", `{"token":1}`, 0o600)
	h.write(t, "home/.agent/config.toml", "notify = []\n", 0o644)
	h.write(t, "home/.agent/sessions/2026/a.jsonl", "{}\n", 0o640)
	h.write(t, "home/.ssh/id_rsa", "key\n", 0o600)
	h.world.State = world.State{
		Paths: []string{h.in("home/.agent")},
		Keep:  []string{h.in("home/.agent/auth.json"), h.in("home/.agent/sessions/")},
	}
	return h
}

func (h *house) in(name string) string { return filepath.Join(h.dir, name) }

// named returns names in the house with their reasons.
func (h *house) named(all []Named) (lines []string) {
	for _, n := range all {
		rel, err := filepath.Rel(h.dir, n.Name)
		if err != nil {
			rel = n.Name
		}
		lines = append(lines, fmt.Sprintf("%q: %s", rel, n.Reason))
	}
	slices.Sort(lines)
	return lines
}

func (h *house) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(h.in(name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// writesBack runs a line and checks what of the state is written back and what is not.
func (h *house) writesBack(t *testing.T, line string, kept, not []string) Outcome {
	t.Helper()
	o := h.run(t, line, time.Minute)
	var got []string
	for _, name := range o.Kept {
		rel, _ := filepath.Rel(h.dir, name)
		got = append(got, rel)
	}
	slices.Sort(got)
	if !slices.Equal(got, kept) {
		t.Errorf("%q was written back, want %q\n%s", got, kept, o.Output)
	}
	if got := h.named(o.NotKept); !slices.Equal(got, not) {
		t.Errorf("not written back:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(not, "\n"))
	}
	return o
}

// A command has a copy of the state that it can write. What is to be kept of it is written back, and
// nothing else changes.
func TestWorldStateIsWrittenBack(t *testing.T) {
	h := newHouseOfAgent(t)
	o := h.writesBack(t, `cd ~/.agent && cat auth.json config.toml sessions/2026/a.jsonl && stat -c '%a' auth.json && ls -A ~ &&
		echo '{"token":2}' > new && mv new auth.json && echo '{"more":1}' >> sessions/2026/a.jsonl && mkdir sessions/2027 && echo '{}' > sessions/2027/b.jsonl &&
		chmod 666 sessions/2027/b.jsonl auth.json && echo 'notify = ["evil"]' > config.toml && mkdir hooks && echo x > hooks/h && touch sessions/same.log && echo y > ~/other`,
		[]string{"home/.agent/auth.json", "home/.agent/sessions/2026/a.jsonl", "home/.agent/sessions/2027/b.jsonl", "home/.agent/sessions/same.log"}, nil)
	if want := "{\"token\":1}notify = []\n{}\n600\n.agent\n.profile\n.zprofile\ncache\n"; o.Stdout != want || o.ExitCode != 0 {
		t.Errorf("it saw %q, want %q: %s", o.Stdout, want, o.Stderr)
	}
	for name, want := range map[string]string{
		"auth.json": "{\"token\":2}\n", "config.toml": "notify = []\n", "sessions/2026/a.jsonl": "{}\n{\"more\":1}\n", "sessions/2027/b.jsonl": "{}\n",
	} {
		if got := h.read(t, "home/.agent/"+name); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]fs.FileMode{"auth.json": 0o600, "sessions/2026/a.jsonl": 0o640, "sessions/2027/b.jsonl": 0o600, "sessions/2027": 0o700} {
		if info, err := os.Stat(h.in("home/.agent/" + name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %o", name, info.Mode(), err, want)
		}
	}
	if got := entriesOf(t, h.in("home/.agent")); got != "auth.json config.toml sessions" {
		t.Errorf("the state has %s", got)
	}
	if got := entriesOf(t, h.in("home")); got != ".agent .netrc .ssh cache" {
		t.Errorf("the home folder has %s", got)
	}
}

// Whatever a command plants in its state, nothing of it reaches another file of the host, and nothing that
// a program runs or reads as settings is written back.
func TestWorldStateAttacks(t *testing.T) {
	all := func(h *house) { h.world.State.Keep = []string{h.in("home/.agent/")} }
	for name, c := range map[string]struct {
		prepare func(h *house)
		line    string
		kept    []string
		not     []string
	}{
		"a link to a key": {
			line: `cd ~/.agent; ln -s ~/.ssh/id_rsa sessions/l.jsonl; ln -s ~/.ssh sessions/d; rm auth.json; ln -s ../.ssh/id_rsa auth.json; cat auth.json sessions/d/id_rsa`,
			not:  []string{`"home/.agent/auth.json": it is no ordinary file in the copy`, `"home/.agent/sessions/d": it is no ordinary file in the copy`, `"home/.agent/sessions/l.jsonl": it is no ordinary file in the copy`},
		},
		"a link in the place of a folder that is kept": {
			line: `cd ~/.agent; mkdir /tmp/x; echo {} > /tmp/x/a.jsonl; rm -r sessions; ln -s /tmp/x sessions`,
			not:  []string{`"home/.agent/sessions": it is no ordinary file in the copy`},
		},
		"a link above what is kept": {
			prepare: func(h *house) { h.world.State.Keep = []string{h.in("home/.agent/sessions/2026/")} },
			line:    `cd ~/.agent; mkdir -p /tmp/x/2026; echo {} > /tmp/x/2026/a.jsonl; rm -r sessions; ln -s /tmp/x sessions`,
			not:     []string{`"home/.agent/sessions/2026": it is no ordinary file in the copy`},
		},
		"a folder and a FIFO in the place of a file": {
			line: `cd ~/.agent; rm auth.json; mkdir auth.json; echo {} > auth.json/token.json; mkfifo sessions/p.jsonl`,
			not:  []string{`"home/.agent/auth.json/token.json": a link, a folder or something else is in its place`, `"home/.agent/sessions/p.jsonl": it is no ordinary file in the copy`},
		},
		"names": {
			line: `cd ~/.agent/sessions; printf x > "$(printf 'a\nb.jsonl')"; printf x > "$(printf 'esc\033.jsonl')"; printf x > "$(printf 'bad\377.jsonl')"; printf x > '..x.jsonl'`,
			kept: []string{"home/.agent/sessions/..x.jsonl"},
			not: []string{
				`"home/.agent/sessions/a\nb.jsonl": its name is unusual`, `"home/.agent/sessions/bad\xff.jsonl": its name is unusual`, `"home/.agent/sessions/esc\x1b.jsonl": its name is unusual`,
			},
		},
		"configuration and code": {
			prepare: all,
			line: `cd ~/.agent; for f in config.toml hooks.json settings.local.json AGENTS.md mcp.json tools.json other.json .env .bashrc models.json x.js y.sh state.db state.db-wal; do echo '{}' > $f; done
				for d in hooks plugins agents commands prompts skills extensions; do mkdir $d; echo '{}' > $d/a.json; done; printf '#!/bin/sh\n' > run; echo {} > exec.json; chmod 755 exec.json; printf '#!/bin/sh\n' > token; echo {} > auth2.json; chmod 755 auth2.json`,
			not: slices.Concat(
				say(`it is configuration or code, which is never written back`, ".bashrc", ".env", "AGENTS.md", "agents/a.json", "commands/a.json", "config.toml", "extensions/a.json", "hooks.json", "hooks/a.json", "mcp.json", "models.json", "plugins/a.json", "prompts/a.json", "settings.local.json", "skills/a.json", "tools.json", "x.js", "y.sh"),
				say(`only credentials, sessions, history and logs of a folder are written back, by their names: name the file in keep`, "run", "exec.json", "other.json"),
				say(`it can be executed`, "auth2.json", "token"),
				say(`it is a database, which another process may have open`, "state.db", "state.db-wal")),
		},
		"half a JSON": {
			line: `cd ~/.agent; printf '{"token":' > auth.json; printf '{"half":' >> sessions/2026/a.jsonl`,
			kept: []string{"home/.agent/sessions/2026/a.jsonl"},
			not:  []string{`"home/.agent/auth.json": it is no whole JSON`},
		},
		"removed": {
			line: `cd ~/.agent; rm -r auth.json sessions`,
			not: []string{
				`"home/.agent/auth.json": it was removed in the copy, which removes nothing outside`, `"home/.agent/sessions": it was removed in the copy, which removes nothing outside`,
			},
		},
		"a file that grows": {
			line: `cd ~/.agent; setsid sh -c 'while :; do echo {} >> sessions/grows.jsonl; done' </dev/null >/dev/null 2>&1 & while [ ! -s ~/.agent/sessions/grows.jsonl ]; do :; done`,
			kept: []string{"home/.agent/sessions/grows.jsonl"},
		},
		"a sparse file": {
			line: `cd ~/.agent; truncate -s 60M sessions/big.jsonl; truncate -s 5M sessions/big2.jsonl; rm sessions/big.jsonl; truncate -s 63M sessions/big.jsonl; chmod 0 sessions/big.jsonl; truncate -s 1G sessions/huge.jsonl 2>/dev/null; true`,
			kept: []string{"home/.agent/sessions/big2.jsonl"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseOfAgent(t)
			if c.prepare != nil {
				c.prepare(h)
			}
			if name == "a sparse file" {
				h.sparse(t, c.line)
				return
			}
			before := h.contents(t)
			h.writesBack(t, c.line, c.kept, sorted(c.not))
			for _, kept := range c.kept {
				if name != "half a JSON" {
					if err := os.Remove(h.in(kept)); err != nil {
						t.Error(err)
					}
				}
			}
			if name == "half a JSON" {
				h.write(t, "home/.agent/sessions/2026/a.jsonl", "{}\n", 0o640)
			}
			if after := h.contents(t); after != before {
				t.Errorf("the host's files changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

// contents describes everything in the house but times.
func (h *house) contents(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(h.dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		text, to := []byte(nil), ""
		if e.Type().IsRegular() {
			text, err = os.ReadFile(name)
		} else if e.Type()&fs.ModeSymlink != 0 {
			to, err = os.Readlink(name)
		}
		fmt.Fprintf(&b, "%s %v %q %s\n", name, info.Mode(), text, to)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func entriesOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func say(why string, names ...string) (lines []string) {
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%q: %s", "home/.agent/"+name, why))
	}
	return lines
}

func sorted(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	return lines
}

// What is too large together is named, and what fits is written.
func (h *house) sparse(t *testing.T, line string) {
	t.Helper()
	o := h.run(t, line, time.Minute)
	if len(o.Kept)+len(o.NotKept) < 2 || !slices.ContainsFunc(o.NotKept, func(n Named) bool { return strings.Contains(n.Reason, "MiB are written back") }) {
		t.Errorf("%q %q: %s", o.Kept, o.NotKept, o.Output)
	}
}

// A file of the host that changed while the command ran is not overwritten, and one that appeared or went
// neither.
func TestWorldStateThatChangesMeanwhile(t *testing.T) {
	h := newHouseOfAgent(t)
	h.write(t, "home/.agent/sessions/gone.jsonl", "{}\n", 0o600)
	h.write(t, "home/.agent/sessions/moved.jsonl", "{}\n", 0o600)
	h.write(t, "home/.agent/sessions/2025/a.jsonl", "{}\n", 0o600)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := false
	o, err := Run(ctx, Command{
		Line: `cd ~/.agent; for f in auth.json sessions/gone.jsonl sessions/new.jsonl sessions/moved.jsonl; do echo '{"by":"copy"}' > $f; done; mkdir sessions/dir.jsonl sessions/2025/sub; echo {} > sessions/dir.jsonl/a.jsonl; echo {} > sessions/2025/b.jsonl; echo {} > sessions/2025/sub/c.jsonl; echo ready; sleep 60`,
		Dir:  h.workspace, World: &h.world, Limits: Limits{Time: time.Minute},
	}, func(_ Stream, text string) {
		if told || !strings.Contains(text, "ready") {
			return
		}
		told = true
		h.write(t, "home/.agent/auth.json", `{"token":3}`, 0o600) // signed in again, of the same size
		h.write(t, "home/.agent/sessions/new.jsonl", "host\n", 0o600)
		if err := os.Remove(h.in("home/.agent/sessions/gone.jsonl")); err != nil {
			t.Error(err)
		}
		if err := os.Rename(h.in("home/.agent/sessions/moved.jsonl"), h.in("home/.agent/kept.jsonl")); err != nil {
			t.Error(err)
		}
		h.write(t, "home/.agent/sessions/moved.jsonl", "{}\n", 0o600) // another file with the same text
		if err := os.Symlink(h.in("home/.ssh"), h.in("home/.agent/sessions/dir.jsonl")); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(h.in("home/.agent/sessions/2025")); err != nil {
			t.Error(err)
		}
		cancel()
	})
	if err != nil || o.End != Cancelled || !told {
		t.Fatalf("%+v %v", o, err)
	}
	if _, err := os.Lstat(h.in("home/.agent/sessions/2025")); err == nil {
		t.Error("a folder that was removed outside is made again")
	}
	want := []string{
		`"home/.agent/auth.json": it changed outside of the copy meanwhile`, `"home/.agent/sessions/2025/b.jsonl": its folder was removed outside of the copy meanwhile`,
		`"home/.agent/sessions/2025/sub/c.jsonl": its folder was removed outside of the copy meanwhile`, `"home/.agent/sessions/dir.jsonl/a.jsonl": a link, a folder or something else is in its place`,
		`"home/.agent/sessions/gone.jsonl": it changed outside of the copy meanwhile`, `"home/.agent/sessions/moved.jsonl": it changed outside of the copy meanwhile`,
		`"home/.agent/sessions/new.jsonl": it changed outside of the copy meanwhile`,
	}
	if got := h.named(o.NotKept); !slices.Equal(got, want) || len(o.Kept) > 0 {
		t.Errorf("%q, not:\n%s", o.Kept, strings.Join(got, "\n"))
	}
	if got := h.read(t, "home/.agent/auth.json") + h.read(t, "home/.agent/sessions/new.jsonl"); got != `{"token":3}host`+"\n" {
		t.Errorf("the host has %s", got)
	}
	if got := entriesOf(t, h.in("home/.ssh")); got != "id_rsa" {
		t.Errorf("~/.ssh has %s", got)
	}
}

// What was signed in or refreshed in a turn that is cancelled, that fails or takes too long is not lost.
func TestWorldStateOfWhatIsStopped(t *testing.T) {
	for name, c := range map[string]struct {
		line  string
		limit time.Duration
		end   End
	}{
		"cancelled": {line: "echo ready; sleep 60", limit: time.Minute, end: Cancelled},
		"too slow":  {line: "sleep 60", limit: 2 * time.Second, end: TimedOut},
		"failed":    {line: "exit 3", limit: time.Minute, end: Exited},
		"killed":    {line: "kill -9 $$", limit: time.Minute, end: Signalled},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouseOfAgent(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o, err := Run(ctx, Command{
				Line: `echo '{"token":2}' > ~/.agent/auth.json; ` + c.line, Dir: h.workspace, World: &h.world, Limits: Limits{Time: c.limit},
			}, func(_ Stream, text string) {
				if strings.Contains(text, "ready") {
					cancel()
				}
			})
			if err != nil || o.End != c.end {
				t.Fatalf("%+v %v", o, err)
			}
			if got := h.read(t, "home/.agent/auth.json"); got != "{\"token\":2}\n" || len(o.Kept) != 1 || len(o.NotKept) > 0 {
				t.Errorf("%s %q %q", got, o.Kept, o.NotKept)
			}
		})
	}
}

// Of many files some are written back, and the others are counted.
func TestWorldStateOfManyFiles(t *testing.T) {
	h := newHouseOfAgent(t)
	h.world.Disk = 1 << 30
	o := h.run(t, `cd ~/.agent/sessions && mkdir many && cd many && seq -f 'echo {} > %g.jsonl' 1 100000 | sh && echo '{"token":2}' > ~/.agent/auth.json`, 2*time.Minute)
	if o.ExitCode != 0 || len(o.Kept) != world.MaxKeptFiles || len(o.NotKept) != 101 {
		t.Fatalf("%s %d: %d written, %d not: %s", o.End, o.ExitCode, len(o.Kept), len(o.NotKept), o.Output)
	}
	if last := o.NotKept[100].Reason; last != "98901 more files are not written back" {
		t.Error(last)
	}
	if got := h.read(t, "home/.agent/auth.json"); got != "{\"token\":2}\n" { // it was named first
		t.Error(got)
	}
}

// A folder that is removed and made again, locked and too deep to be read, hides nothing else.
func TestWorldStateOfDeepFolders(t *testing.T) {
	h := newHouseOfAgent(t)
	o := h.run(t, `cd ~/.agent; rm -r sessions; mkdir sessions; cd sessions; for i in $(seq 1000); do mkdir deep && cd deep; done; echo {} > low.jsonl; echo {} > ~/.agent/sessions/a.jsonl; chmod 0 ~/.agent/sessions/deep ~/.agent/sessions/a.jsonl`, time.Minute)
	if len(o.Kept) != 1 || o.Kept[0] != h.in("home/.agent/sessions/a.jsonl") || len(o.NotKept) != 1 || o.NotKept[0].Reason != "its path is too long" {
		t.Errorf("%q %q: %s", o.Kept, o.NotKept, o.Output)
	}
	if got := entriesOf(t, h.in("home/.agent/sessions")); got != "2026 a.jsonl" {
		t.Errorf("the host has %s", got)
	}
}

// A copy that ran full may hold files that are cut off: nothing of it is written back.
func TestWorldStateOfAFullCopy(t *testing.T) {
	h := newHouseOfAgent(t)
	if OnDisk() || h.world.Kind == world.Bwrap {
		t.Skip("a command that writes too much is killed here")
	}
	h.writesBack(t, `dd if=/dev/zero of=/tmp/full bs=64k 2>/dev/null; echo '{"token":2}' > ~/.agent/sessions/2026/a.jsonl`, nil,
		[]string{`"home/.agent/sessions/2026/a.jsonl": the copy had no room left, so it may be cut off`})
	if got := h.read(t, "home/.agent/sessions/2026/a.jsonl"); got != "{}\n" {
		t.Errorf("%q", got)
	}
}

// What is not there yet is made, a single file is copied, and what cannot be shown is named.
func TestWorldStateOfOtherKinds(t *testing.T) {
	h := newHouseOfAgent(t)
	h.write(t, "home/.agent.json", `{"mcpServers":{}}`, 0o600)
	h.write(t, "home/dotfiles/other/token.json", "{}\n", 0o600)
	h.write(t, "work space/.inside/auth.json", "{}\n", 0o600)
	for name, to := range map[string]string{".other": "dotfiles/other", ".out": "../outside", ".keys": ".ssh", ".nowhere": "nowhere"} {
		if err := os.Symlink(to, h.in("home/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(h.in("home/.fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.world.State.Paths = append(h.world.State.Paths, h.in("home/.agent.json"), h.in("home/.other"), h.in("home/.new/deep"), h.in("home/.out"), h.in("home/.keys"),
		h.in("home/.nowhere"), h.in("home/.fifo"), h.in("home"), h.in("outside"))
	h.world.State.Keep = []string{h.in("home/.agent.json"), h.in("home/.other/token.json"), h.in("home/.new/deep/token.json"), h.in("home/.new/deep/projects"), h.in("home/.out/file"), h.in("home/.ssh/id_rsa"), h.in("work space/a.txt")}
	o := h.writesBack(t, `cd; cat .agent.json; echo '{"mcpServers":{"evil":1}}' > .agent.json; cat .other/token.json; echo '{"t":2}' > .other/token.json; mkdir -p .new/deep/projects/x; echo '{"t":3}' > .new/deep/token.json; echo {} > .new/deep/projects/x/a.jsonl; ls .out .keys .nowhere`,
		[]string{"home/.new/deep/projects/x/a.jsonl", "home/.new/deep/token.json", "home/dotfiles/other/token.json"}, nil)
	if o.Stdout != `{"mcpServers":{}}{}`+"\n" {
		t.Errorf("it saw %q: %s", o.Stdout, o.Stderr)
	}
	if got := h.read(t, "home/.other/token.json") + h.read(t, "home/.new/deep/token.json") + h.read(t, "home/.agent.json"); got != "{\"t\":2}\n{\"t\":3}\n{\"mcpServers\":{}}" {
		t.Error(got)
	}
	want := []string{
		`"home": it is not in the home folder`, `"home/.agent.json": it is configuration or code, which is never written back`, `"home/.fifo": it is neither a file nor a folder`,
		`"home/.keys": it is a link to what may hold other secrets`, `"home/.nowhere": it is a link that leads nowhere`, `"home/.out": it is a link that leads out of the home folder`,
		`"outside": it is not in the home folder`, `"work space/a.txt": it is in nothing that the copy has of the home folder, so it is not written back`,
	}
	if got := h.named(o.NotShown); !slices.Equal(got, want) {
		t.Errorf("not shown:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A key is in the environment of a command in a world only if its name is among Keys, and never in the output.
// What a command prints of the tokens in its state is not shown.
func TestWorldTokensOfACommand(t *testing.T) {
	h := newHouseOfAgent(t)
	h.write(t, "home/.agent/auth.json", `{"tokens": {"access_token": "Zx81kq0pLmN4vTqR7sWd"}, "mine": {"type": "oauth", "refresh": "Qp71mzvKLw0N4vTxR7sYe"}, "account": "user-name-in-clear-text"}`, 0o600)
	h.write(t, "home/.other.json", `["no object"`, 0o600)
	h.world.State.Paths = append(h.world.State.Paths, h.in("home/.other.json"))
	o := h.run(t, `tr '{,' '\n\n' < ~/.agent/auth.json | sed 's/.*: "//' | tee -a /dev/stderr`, time.Minute)
	if all := o.Stdout + o.Stderr + o.Output; strings.Contains(all, "Zx81kq0p") || strings.Contains(all, "Qp71mzv") || !strings.Contains(all, "user-name-in-clear-text") {
		t.Errorf("%+v", o)
	}
}

func TestWorldKeysOfACommand(t *testing.T) {
	h := newHouse(t)
	const key = "sk-proj-0123456789abcdefghijABCDEFGHIJ0123456789abcdefghij"
	t.Setenv("AGENT_API_KEY", key)
	for _, c := range []Command{
		{World: &h.world, Env: []string{"AGENT_API_KEY"}},
		{World: &h.world, Keys: []string{"AGENT_API_KEY"}},
		{Keys: []string{"AGENT_API_KEY"}, Confine: ConfineOff},
	} {
		c.Line, c.Dir, c.Limits.Time = `printf %s "$AGENT_API_KEY" | wc -c; echo "$AGENT_API_KEY"`, h.workspace, time.Minute
		o, err := Run(t.Context(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := "0"
		if len(c.Keys) > 0 {
			want = fmt.Sprint(len(key))
		}
		if got := strings.Fields(o.Stdout); got[0] != want || strings.Contains(o.Output, key) {
			t.Errorf("%+v: %q", c, o.Stdout)
		}
	}
}
