package turn_test

import "os/exec"

// asNobody is never called: there is no root on Windows.
func asNobody(*exec.Cmd) {}
