//go:build !linux

package runner

// Supports tells what this system can do to limit what a command writes.
func Supports() Confinement {
	return Confinement{What: "only Linux can limit what a command writes (Landlock)"}
}
