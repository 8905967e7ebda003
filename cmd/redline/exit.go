package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"redline/agent/model"
	"redline/agent/plan"
	"redline/edits"
)

// Exit statuses that scripts can rely on.
const (
	exitOK       = 0
	exitInternal = 1
	exitUsage    = 2
	exitWaiting  = 3
	exitRefused  = 4
	exitProvider = 5
	exitCommand  = 6
	exitStopped  = 130
)

// exitStatuses lists what each exit status means.
var exitStatuses = []struct {
	code int
	text string
}{
	{exitOK, "answered, applied, or nothing to do"},
	{exitInternal, "internal error"},
	{exitUsage, "the command line, your settings file or the policy of the machine cannot be understood"},
	{exitWaiting, "a plan, or a part of it, waits for approval, or a question for your answer"},
	{exitRefused, "refused, stale or failed; a turn left something undone and made no plan; the audit log is broken; a file exists already"},
	{exitProvider, "the model provider could not be used"},
	{exitCommand, "a command of an approved plan failed; the edits stay applied"},
	{exitStopped, "interrupted"},
}

// exitHelp returns the list of exit statuses for the help.
func exitHelp() string {
	var b strings.Builder
	b.WriteString("Exit status:\n")
	for _, s := range exitStatuses {
		fmt.Fprintf(&b, "  %-3d  %s\n", s.code, s.text)
	}
	return strings.TrimRight(b.String(), "\n")
}

// status is an error that only carries an exit status; its message is already printed.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// errInterrupted is the error of a turn that the user interrupted.
var errInterrupted = errors.New("interrupted, and nothing was changed")

// commandError is the error of an approval with a command that failed.
type commandError struct{ error }

// usageError is an error in the command line.
type usageError struct{ err error }

func (u usageError) Error() string { return u.err.Error() }

func usage(err error) error { return usageError{err} }

// report prints an error in one sentence and returns its exit status.
func report(ctx context.Context, err error, stderr io.Writer) int {
	code := codeOf(ctx, err)
	var s status
	if err != nil && !errors.As(err, &s) && !errors.Is(err, context.Canceled) {
		fmt.Fprintf(stderr, "redline: %s\n", edits.Visible(strings.TrimSpace(err.Error())))
	}
	return code
}

func codeOf(ctx context.Context, err error) int {
	var (
		s       status
		bad     usageError
		command commandError
		refusal *plan.Refusal
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &s):
		return int(s)
	case ctx.Err() != nil, errors.Is(err, errInterrupted):
		return exitStopped
	case errors.As(err, &command):
		return exitCommand
	case errors.As(err, &bad):
		return exitUsage
	case model.Failed(err):
		return exitProvider
	case errors.As(err, &refusal):
		return exitRefused
	}
	return exitInternal
}
