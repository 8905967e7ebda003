package runner

// Confinement is what a system can do to limit what a command writes.
type Confinement struct {
	Supported bool
	What      string // in a few words: "Landlock, ABI 7"; or what is missing
}

// devices can be written by every command: what is written there is nowhere.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
