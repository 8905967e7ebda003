package runner

// Confinement describes how the system can limit where a command writes.
type Confinement struct {
	Supported bool
	What      string // short: "Landlock, ABI 7", or what is missing
}

// devices are the devices that every command may write to: none of them stores data.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
