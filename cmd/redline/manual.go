//go:build manual

package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func init() { extra = append(extra, newManual) }

// newManual returns the command that a release makes its man pages, completion files and
// AppArmor profile with. It is only in a program that is built with the tag manual, so that
// released programs do not carry what renders man pages.
func newManual(streams) *cobra.Command {
	return &cobra.Command{
		Use:    "manual DIR",
		Short:  "Write the man pages, completion files and AppArmor profile of a release",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if os.Getenv("SOURCE_DATE_EPOCH") == "" {
				return usage(fmt.Errorf("set SOURCE_DATE_EPOCH to the date of the pages, in seconds since 1970"))
			}
			root := cmd.Root()
			root.RemoveCommand(cmd) // it has no page itself
			return writeManual(root, args[0])
		},
	}
}

// writeManual writes man/redline*.1, completions/ and apparmor/redline below a folder.
func writeManual(root *cobra.Command, dir string) error {
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, sub := range []string{"man", "completions", "apparmor"} {
		if err := os.MkdirAll(at(sub), 0o755); err != nil {
			return err
		}
	}
	root.DisableAutoGenTag = true
	header := doc.GenManHeader{Section: "1", Source: "Redline " + version, Manual: "Redline"}
	if err := doc.GenManTree(root, &header, at("man")); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		"redline.bash": func(path string) error { return root.GenBashCompletionFileV2(path, true) },
		"_redline":     root.GenZshCompletionFile,
		"redline.fish": func(path string) error { return root.GenFishCompletionFile(path, true) },
		"redline.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(at("completions/" + name)); err != nil {
			return err
		}
	}
	return os.WriteFile(at("apparmor/redline"), fmt.Appendf(nil, profile, profileName("/usr/bin/redline")), 0o644)
}
