//go:build unix

package agenttest

import (
	"testing"

	"redline/agent/store/storetest"
)

// OnDisk begins a session whose store is on a disk that can become full.
func OnDisk(t *testing.T, files map[string]string) (*Session, *storetest.Disk) {
	t.Helper()
	disk := storetest.New()
	return on(t, disk.Name, files), disk
}
