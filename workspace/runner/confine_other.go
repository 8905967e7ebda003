//go:build !linux

package runner

import "errors"

// Supports tells what this system can do to limit what a command writes.
func Supports() Confinement {
	return Confinement{What: "only Linux can limit what a command writes (Landlock)"}
}

func confine([]string) error { return errors.New("there is no Landlock") }
