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
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: strings.TrimSpace(`
Prints the version, the commit it was built from, and which Go and which system it
was built for. A program that is not a release says which commit its checkout had.`),
		Example:               "  redline version",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.out, "redline version %s\n", versionText())
			return err
		},
	}
}
