package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// profile is an AppArmor profile without restrictions. It only allows a program to create
// user namespaces, which AppArmor denies to programs without a profile.
const profile = `# Lets Redline use user namespaces, which trials need. To install it:
#   redline doctor --apparmor | sudo tee /etc/apparmor.d/redline
#   sudo apparmor_parser -r /etc/apparmor.d/redline
abi <abi/4.0>,
include <tunables/global>

profile redline %s flags=(unconfined) {
  userns,
  include if exists <local/redline>
}
`

// printProfile prints the profile for this program.
func printProfile(w io.Writer) error {
	name, err := os.Executable()
	if err != nil {
		return err
	}
	if to, err := filepath.EvalSymlinks(name); err == nil {
		name = to
	}
	_, err = fmt.Fprintf(w, profile, profileName(name))
	return err
}

// profileName returns a program's path in the syntax of a profile: quoted, with wildcards
// escaped.
func profileName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`\"*?[]{}^`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return `"` + b.String() + `"`
}
