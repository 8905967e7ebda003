package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"redline/agent/config"
)

// Choices of `redline setup` after something has failed.
const (
	otherAddress = "give another address"
	stop         = "stop"
)

// movable reports whether the provider may be at another address than the usual one.
func (c *chosen) movable() bool { return c.provider.Local || c.provider.AsksBaseURL }

// askAddress asks for the provider's base URL. Where there is one already, Enter keeps it.
func (a *asker) askAddress(ctx context.Context, c *chosen) error {
	usual := cmp.Or(c.base, c.provider.BaseURL)
	if usual == "" && c.provider.ID == config.Other {
		usual = os.Getenv("OPENAI_BASE_URL")
	}
	example := "such as https://gateway.example.com/v1"
	switch {
	case c.provider.ID == config.Azure:
		example = "such as https://NAME.openai.azure.com/openai/v1"
	case c.provider.Local:
		example = "such as http://localhost:8080/v1"
	}
	for {
		text, err := a.line(ctx, fmt.Sprintf("\nIts base URL, %s%s: ", example, orDefault(usual)))
		if err != nil {
			return err
		}
		if base := withScheme(cmp.Or(text, usual)); base != "" {
			c.base = base
			return nil
		}
		fmt.Fprintln(a.out, "That is not an address: one begins with https:// or http://.")
	}
}

// withScheme returns an address as it is if it begins with http:// or https://, and one of this
// machine with http:// before it; "" if it is no address.
func withScheme(text string) string {
	switch {
	case strings.HasPrefix(text, "http://"), strings.HasPrefix(text, "https://"):
		return text
	case !strings.Contains(text, "://") && config.IsLocal("http://"+text):
		return "http://" + text
	}
	return ""
}

// unreachable asks what to do where no server answers. again is true if its models are to be
// listed once more.
func (a *asker) unreachable(ctx context.Context, c *chosen) (again bool, err error) {
	const repeat, name = "try again: it is running now", "enter the model's name anyway"
	next, err := a.pick(ctx, "What now?", []string{repeat, otherAddress, name, stop}, nil, false)
	switch {
	case err != nil:
		return false, err
	case next == otherAddress:
		return true, a.askAddress(ctx, c)
	case next == stop:
		return false, errNothingWritten
	}
	return next == repeat, nil
}
