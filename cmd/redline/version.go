package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

// version is the version of this program; a release sets it with -ldflags.
var version = "0.1.0-dev"

// versionText returns the version with the compiler and the platform.
func versionText() string {
	return fmt.Sprintf("%s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use:                   "version",
		Short:                 "Print the version",
		Long:                  "Prints the version, and which Go and which system it was built for.",
		Example:               "  redline version",
		DisableFlagsInUseLine: true,
		Args:                  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(s.out, "redline version %s\n", versionText())
			return err
		},
	}
}
