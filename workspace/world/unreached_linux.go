//go:build amd64 || arm64

package world

import (
	"os"
	"strconv"
	"strings"
)

// Unreached returns how often a process of this network namespace has tried to reach an
// address that it cannot reach: packets without a route, and messages to a port where
// nobody listens, as to a name server on the loopback device. A new namespace begins at 0.
// The kernel counts them (RFC 4293, ipSystemStatsOutNoRoutes; RFC 4113, udpNoPorts).
func Unreached() (n int) {
	for _, name := range []string{"/proc/self/net/snmp", "/proc/self/net/snmp6"} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // without IPv6 there is no snmp6
		}
		n += unreached(string(text))
	}
	return n
}

// unreached adds up the counters in a file of the kernel. snmp has a line of names above
// each line of numbers, "Udp: InDatagrams NoPorts" and "Udp: 4 1"; snmp6 has a name and a
// number in each line, "Ip6OutNoRoutes 2".
func unreached(text string) (sum int) {
	wanted := map[string]bool{"Ip:OutNoRoutes": true, "Udp:NoPorts": true, "Ip6OutNoRoutes": true, "Udp6NoPorts": true}
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && !strings.HasSuffix(fields[0], ":"):
			if value, err := strconv.Atoi(fields[1]); err == nil && wanted[fields[0]] {
				sum += value
			}
		case len(names) == len(fields) && len(fields) > 0 && names[0] == fields[0]:
			for i, field := range fields[1:] {
				if value, err := strconv.Atoi(field); err == nil && wanted[fields[0]+names[i+1]] {
					sum += value
				}
			}
			names = nil
		default:
			names = fields
		}
	}
	return sum
}
