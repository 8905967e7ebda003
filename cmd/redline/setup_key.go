package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"mvdan.cc/sh/v3/shell"

	"redline/agent/config"
	"redline/internal/smallfile"
)

// keyPlace is where the key is kept. One field besides key is set, or none for a provider
// without a key.
type keyPlace struct {
	key      string
	variable string     // the environment variable that contains the key
	command  []string   // the user's command that prints the key
	stores   []keyStore // the stores for a typed key, best first
}

// askKey asks for the key until the user gives one, unless the provider needs none.
func (a *asker) askKey(ctx context.Context, c *chosen) error {
	for {
		err := a.askKeyOnce(ctx, c)
		if !errors.Is(err, errNoKey) {
			return err
		}
		fmt.Fprintln(a.out, "Nothing was typed.")
	}
}

// errNoKey is the error of a key that was not typed.
var errNoKey = errors.New("no key was typed")

func (a *asker) askKeyOnce(ctx context.Context, c *chosen) error {
	p := c.provider
	if p.Local && !p.NeedsKey {
		c.key = keyPlace{}
		return nil
	}
	stores := a.stores(p.ID)
	const (
		useVariable = "the environment variable "
		another     = "another environment variable"
		printed     = "a command prints it (1Password, Bitwarden, Vault, …)"
		none        = "it needs no key"
	)
	paste := "I paste it now"
	var options []string
	notes := map[string]string{paste: "kept in " + stores[0].kind}
	if os.Getenv(p.Variable) != "" {
		options = append(options, useVariable+p.Variable)
		notes[options[0]] = "it is set"
	}
	local := config.IsLocal(c.config().BaseURL)
	if !p.NeedsKey && local {
		options = append(options, none)
	}
	options = append(options, paste, another, printed)
	if !p.NeedsKey && !local {
		options = append(options, none)
	}
	choice, err := a.pick(ctx, "Where is the key?", options, notes, false)
	if err != nil {
		return err
	}
	switch choice {
	case paste:
		c.key, err = a.askTyped(ctx, p, stores)
	case another:
		c.key, err = a.askVariable(ctx, p)
	case printed:
		c.key, err = a.askCommand(ctx)
	case none:
		c.key = keyPlace{}
	default:
		c.key = keyPlace{variable: p.Variable, key: strings.TrimSpace(os.Getenv(p.Variable))}
		fmt.Fprintln(a.out, "An editor started from a menu may not see this variable: if so, give the key in another way.")
	}
	return err
}

// askTyped reads a key without echo.
func (a *asker) askTyped(ctx context.Context, p config.ProviderInfo, stores []keyStore) (keyPlace, error) {
	whose := " of " + p.Name
	if p.ID == config.Other {
		whose = ""
	}
	for {
		fmt.Fprintf(a.out, "\nYour key%s (it is not shown): ", whose)
		key, err := a.hidden(ctx)
		fmt.Fprintln(a.out)
		switch {
		case err != nil:
			return keyPlace{}, err
		case key == "":
			return keyPlace{}, errNoKey
		case strings.ContainsFunc(key, func(r rune) bool {
			return unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`"\`, r)
		}):
			fmt.Fprintln(a.out, "That is not a key: it has spaces or quotes.")
		default:
			return keyPlace{key: key, stores: stores}, nil
		}
	}
}

// askVariable asks for the name of a variable that is set.
func (a *asker) askVariable(ctx context.Context, p config.ProviderInfo) (keyPlace, error) {
	for {
		name, err := a.line(ctx, "\nThe name of the variable"+orDefault(p.Variable)+": ")
		if err != nil {
			return keyPlace{}, err
		}
		name = strings.TrimPrefix(cmp.Or(name, p.Variable), "$")
		if key := strings.TrimSpace(os.Getenv(name)); key != "" {
			return keyPlace{variable: name, key: key}, nil
		}
		fmt.Fprintln(a.out, "That variable is not set here: set it, or press Ctrl-C and choose another way.")
	}
}

// askCommand asks for a command that prints the key.
func (a *asker) askCommand(ctx context.Context) (keyPlace, error) {
	for {
		text, err := a.line(ctx, "\nThe command, such as op read op://Private/Anthropic/key: ")
		if err != nil {
			return keyPlace{}, err
		}
		if words, err := shell.Fields(text, nil); err == nil && len(words) > 0 {
			return keyPlace{command: words}, nil
		}
		fmt.Fprintln(a.out, `That is not a program with arguments; for a pipeline write sh -c '…'.`)
	}
}

// keepKey puts a typed key into the first store that accepts it.
func (a *asker) keepKey(ctx context.Context, c *chosen) error {
	for len(c.key.stores) > 0 {
		store := c.key.stores[0]
		err := store.keep(ctx, c.key.key)
		if err == nil {
			fmt.Fprintf(a.out, "The key is in %s.\n", store.kind)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(c.key.stores) == 1 {
			return fmt.Errorf("the key could not be kept (%w), so nothing was written: put it into a variable and run redline setup again", err)
		}
		c.key.stores = c.key.stores[1:]
		fmt.Fprintf(a.out, "!! The key could not be kept there (%s).\n", err)
		yes, err := a.yes(ctx, "Put it into "+c.key.stores[0].name+"?")
		if err != nil {
			return err
		}
		if !yes {
			return errNothingWritten
		}
	}
	return nil
}

// keyStore is a place for a key outside the settings, with the command that prints the
// key.
type keyStore struct {
	kind string   // a short name for use in a sentence
	name string   // the name, with the entry that holds the key
	read []string // the command that prints the key
	put  func(ctx context.Context, key string) error
}

// storePatience is the timeout for a keychain that stores or prints a key: it may ask the
// user first.
const storePatience = time.Minute

// keyStores returns the places for the key of a provider, best first. The last one is a
// file, which always works. look finds a program, as exec.LookPath does.
func keyStores(provider, system, stateDir string, look func(string) (string, error)) []keyStore {
	var all []keyStore
	has := func(program string) bool { _, err := look(program); return err == nil }
	item := "redline-" + provider
	if system == "darwin" && has("security") {
		all = append(all, keyStore{
			kind: "the keychain of macOS",
			name: "the keychain of macOS, as " + item,
			read: []string{"security", "find-generic-password", "-a", "redline", "-s", item, "-w"},
			put: func(ctx context.Context, key string) error {
				// The commands go to standard input, so that no list of processes shows
				// the key.
				return feed(ctx, fmt.Sprintf("add-generic-password -U -a redline -s %s -w \"%s\"\n", item, key), "security", "-i")
			},
		})
	}
	if system != "darwin" && system != "windows" && has("secret-tool") {
		all = append(all, keyStore{
			kind: "your keyring (secret-tool)",
			name: "your keyring (secret-tool), as " + item,
			read: []string{"secret-tool", "lookup", "application", "redline", "provider", provider},
			put: func(ctx context.Context, key string) error {
				return feed(ctx, key, "secret-tool", "store", "--label=Redline: "+provider, "application", "redline", "provider", provider)
			},
		})
	}
	if system != "windows" && has("pass") && passIsSetUp() {
		entry := "redline/" + provider
		all = append(all, keyStore{
			kind: "pass",
			name: "pass, as " + entry,
			read: []string{"pass", "show", entry},
			put: func(ctx context.Context, key string) error {
				return feed(ctx, key+"\n", "pass", "insert", "--multiline", "--force", entry)
			},
		})
	}
	return append(all, keyFile(provider, system, stateDir))
}

// passIsSetUp reports whether pass has a store; it keeps nothing without one.
func passIsSetUp() bool {
	dir := os.Getenv("PASSWORD_STORE_DIR")
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, ".password-store")
	}
	_, err := os.Stat(filepath.Join(dir, ".gpg-id"))
	return err == nil
}

// keyFile returns the path of a file in the state directory, which no tool of a model can
// read.
func keyFile(provider, system, stateDir string) keyStore {
	path := filepath.Join(stateDir, "keys", provider)
	read := []string{"cat", path}
	if system == "windows" {
		read = []string{"cmd", "/C", "type", path}
	}
	return keyStore{
		kind: "a file that only you can read",
		name: "the file " + path + ", unencrypted: only you can read it, and so can the programs that you run",
		read: read,
		put: func(_ context.Context, key string) error {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			return smallfile.Replace(path, []byte(key+"\n"), nil)
		},
	}
}

// keep puts the key into the store, and reads it back to check.
func (k keyStore) keep(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience)
	defer cancel()
	if err := k.put(ctx, key); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, k.read[0], k.read[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s does not print the key again", k.read[0])
	}
	if strings.TrimSpace(string(out)) != key {
		return fmt.Errorf("%s printed something other than the key", k.read[0])
	}
	return nil
}

// feed runs a program with the given standard input. Its error names only the program:
// the output may contain the key.
func feed(ctx context.Context, input, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(input), time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s did not store the key", program)
	}
	return nil
}
