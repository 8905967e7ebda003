//go:build amd64 || arm64

package world

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// mountPoints are the paths at which something is mounted. The kernel refuses to mount a
// folder without the mounts below it, so a world builds such a folder from its entries.
type mountPoints []string

// readMountPoints returns the mount points of this process.
func readMountPoints() (mountPoints, error) {
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("its mounts cannot be read: %w", err)
	}
	var points mountPoints
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) > 4 { // fields: id, parent, device, root, mount point
			points = append(points, unescape(fields[4]))
		}
	}
	return points, nil
}

// unescape decodes the \ooo escapes in a field of mountinfo.
func unescape(field string) string {
	var b strings.Builder
	for i := 0; i < len(field); i++ {
		if field[i] == '\\' && i+3 < len(field) {
			if c, err := strconv.ParseUint(field[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		b.WriteByte(field[i])
	}
	return b.String()
}

// below reports whether something is mounted below dir.
func (m mountPoints) below(dir string) bool {
	for _, p := range m {
		if p != dir && isIn(p, dir) {
			return true
		}
	}
	return false
}
