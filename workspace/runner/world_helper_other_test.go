//go:build !linux || !(amd64 || arm64)

package runner

// There are no worlds on this system, and none of these functions is called.

func runInWorld(string) {}

func sayWorlds() {}

func beOnDisk() {}

func useBwrap() {}
