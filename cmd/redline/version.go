package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// A release sets these with -ldflags.
var (
	version = "0.1.0-dev"
	commit  = "" // the commit it was built from
)

// versionText returns the version with the commit, if it is known, the compiler and the
// platform.
func versionText() string {
	info, _ := debug.ReadBuildInfo()
	from := builtFrom(info)
	if from != "" {
		from += ", "
	}
	return fmt.Sprintf("%s (%s%s, %s/%s)", version, from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// builtFrom returns the commit that the program was built from: that of a release, or the one
// of the checkout that Go noted, "" if there is none.
func builtFrom(info *debug.BuildInfo) string {
	if commit != "" {
		return "release of commit " + short(commit)
	}
	if info == nil {
		return ""
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	switch {
	case revision == "":
		return ""
	case settings["vcs.modified"] == "true":
		return "commit " + short(revision) + " with changes"
	}
	return "commit " + short(revision)
}

// short returns the first digits of a commit.
func short(commit string) string { return commit[:min(len(commit), 12)] }

func newVersion(s streams) *cobra.Command {
	var check, asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and check offline what it fits",
		Long: strings.TrimSpace(`
Prints the version, the commit it was built from, and which Go and which system it
was built for. A program that is not a release says which commit its checkout had.

With --check it also says where the program is, how it was installed and is upgraded,
and whether it can use the plan database. It asks no server and changes nothing.`),
		Example: `  redline version
  redline version --check`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !check && !asJSON {
				_, err := fmt.Fprintf(s.out, "redline version %s\n", versionText())
				return err
			}
			found, err := checkVersion(cmd.Context())
			if err != nil {
				return err
			}
			return found.tell(s.out, asJSON)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "say how it was installed and whether it fits the plan database")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what --check finds as JSON")
	return cmd
}
