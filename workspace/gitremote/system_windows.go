package gitremote

import "os/exec"

// run runs git.
func run(cmd *exec.Cmd) error { return cmd.Run() }
