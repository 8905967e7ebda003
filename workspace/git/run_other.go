//go:build !linux

package git

import "os/exec"

// run runs git. If this process is killed, git still finishes the reading.
func run(cmd *exec.Cmd) error { return cmd.Run() }
