package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"redline/edits"
)

// longList is how many options pick shows at once.
const longList = 15

// pick asks for one of several options, by number, name or part of a name. An empty line
// means the first option. With other, the user may confirm a name that is not among the
// options.
func (a *asker) pick(ctx context.Context, question string, options []string, notes map[string]string, other bool) (string, error) {
	shown := options
	for {
		fmt.Fprintf(a.out, "\n%s\n\n", question)
		width := 0
		for _, o := range shown[:min(len(shown), longList)] {
			width = max(width, len(o))
		}
		for i, o := range shown[:min(len(shown), longList)] {
			fmt.Fprintf(a.out, "  %2d  %s\n", i+1, strings.TrimRight(fmt.Sprintf("%-*s  %s", width, edits.Visible(o), notes[o]), " "))
		}
		ways := "A number or a name"
		if more := len(shown) - longList; more > 0 {
			fmt.Fprintf(a.out, "      … and %d more\n", more)
			ways = "A number, or a part of a name to see the models with it"
		}
		text, err := a.line(ctx, fmt.Sprintf("\n%s [1]: ", ways))
		if err != nil {
			return "", err
		}
		if text == "" {
			return shown[0], nil
		}
		if n, err := strconv.Atoi(text); err == nil {
			if n >= 1 && n <= min(len(shown), longList) {
				return shown[n-1], nil
			}
			fmt.Fprintln(a.out, "There is no such number.")
			continue
		}
		if slices.Contains(options, text) {
			return text, nil
		}
		var fitting []string
		for _, o := range options {
			if strings.Contains(strings.ToLower(o), strings.ToLower(text)) {
				fitting = append(fitting, o)
			}
		}
		switch {
		case len(fitting) == 1 && !other:
			return fitting[0], nil
		case len(fitting) > 0:
			shown = fitting
			continue
		case other:
			yes, err := a.yes(ctx, fmt.Sprintf("The provider does not list %q. Use it anyway?", text))
			if err != nil || yes {
				return text, err
			}
		default:
			fmt.Fprintln(a.out, "There is no such choice.")
		}
		shown = options
	}
}

// yes asks a yes-or-no question; an empty line means yes.
func (a *asker) yes(ctx context.Context, question string) (bool, error) {
	text, err := a.line(ctx, question+" [Y/n] ")
	return err == nil && !strings.HasPrefix(strings.ToLower(text), "n"), err
}

// line reads a line. The error is [errNothingWritten] at the end of the input, or that of
// ctx.
func (a *asker) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(a.out, prompt)
	return await1(ctx, func() (string, error) {
		text, err := a.lines.ReadString('\n')
		return strings.TrimSpace(text), err
	})
}

// await1 waits until read returns or ctx ends. If ctx ends first, read keeps running in
// the background.
func await1(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, io.EOF) && r.text == "" {
			return "", errNothingWritten
		}
		return r.text, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readHidden returns a function that reads a line from a terminal without echo.
func readHidden(in io.Reader) func(ctx context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		f, ok := in.(*os.File)
		if !ok {
			return "", errNothingWritten
		}
		before, err := term.GetState(int(f.Fd()))
		if err != nil {
			return "", errNothingWritten
		}
		defer term.Restore(int(f.Fd()), before) // also after Ctrl-C, while the read still waits
		return await1(ctx, func() (string, error) {
			text, err := term.ReadPassword(int(f.Fd()))
			return strings.TrimSpace(string(text)), err
		})
	}
}
