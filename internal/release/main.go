// Command release makes the files of a release that GoReleaser does not make, and fills in
// those of packaging/. The script .ci/release calls it; each of its commands can be tried
// alone:
//
//	go run ./internal/release render packaging/project.json 1.2.0 build/release/checksums.txt build/release/packaging
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// command is one command of this program.
type command struct {
	name      string
	arguments []string // their names
	run       func(out io.Writer, arguments []string) error
}

var commands = []command{
	{"licences", []string{"OUT"}, thirdParty},
	{"bill", []string{"VERSION", "PROGRAM", "OUT"}, bill},
	{"module", []string{"PATH"}, renameModule},
	{"field", []string{"PROJECT", "NAME"}, field},
	{"render", []string{"PROJECT", "VERSION", "CHECKSUMS", "OUT"}, render},
	{"npm", []string{"PROJECT", "VERSION", "PROGRAMS", "OUT"}, npm},
	{"pypi", []string{"PROJECT", "VERSION", "PROGRAMS", "OUT"}, pypi},
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run runs one command line.
func run(out io.Writer, args []string) error {
	var known []string
	for _, c := range commands {
		usage := strings.Join(append([]string{c.name}, c.arguments...), " ")
		known = append(known, "  release "+usage)
		if len(args) == 0 || args[0] != c.name {
			continue
		}
		if len(args)-1 != len(c.arguments) {
			return fmt.Errorf("the command is: release %s", usage)
		}
		if err := c.run(out, args[1:]); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		return nil
	}
	return fmt.Errorf("the commands are:\n%s", strings.Join(known, "\n"))
}
