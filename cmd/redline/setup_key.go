package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/shell"

	"redline/agent/config"
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
