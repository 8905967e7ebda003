//go:build !linux

package runner

// Supports reports how this system can limit where a command writes.
func Supports() Confinement {
	return Confinement{What: "only Linux can limit what a command writes (Landlock)"}
}
