package main

import (
	"fmt"
	"io"
)

// field prints one field of the project's file, for scripts and GoReleaser.
func field(out io.Writer, args []string) error {
	p, err := readProject(args[0])
	if err != nil {
		return err
	}
	fields := map[string]string{
		"homepage": p.Homepage, "licence": p.Licence, "maintainer": p.Maintainer, "summary": p.Summary,
	}
	value, ok := fields[args[1]]
	if !ok {
		return fmt.Errorf("there is no field %q", args[1])
	}
	_, err = fmt.Fprintln(out, value)
	return err
}
