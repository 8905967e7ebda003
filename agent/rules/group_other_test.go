//go:build !unix

package rules

import "os/exec"

func ownGroup(*exec.Cmd) {}
