//go:build !linux || !(amd64 || arm64)

package runner

// There are no worlds here, and none of these is called.

func runInWorld(string) {}

func sayWorlds() {}

func beOnDisk() {}

func useBwrap() {}
