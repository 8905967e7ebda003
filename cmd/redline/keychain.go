package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

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
			temporary, err := os.CreateTemp(filepath.Dir(path), ".key-*") // created with mode 0600
			if err != nil {
				return err
			}
			_, err = temporary.WriteString(key + "\n")
			if err = errors.Join(err, temporary.Close()); err == nil {
				err = os.Rename(temporary.Name(), path)
			}
			if err != nil {
				os.Remove(temporary.Name())
			}
			return err
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
