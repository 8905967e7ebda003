//go:build !linux

package ramtemp

// memory returns "": here the disk is used.
func memory() string { return "" }

func ended(int) bool { return false }
