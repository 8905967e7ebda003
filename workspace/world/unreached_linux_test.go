//go:build amd64 || arm64

package world

import "testing"

func TestUnreached(t *testing.T) {
	for text, want := range map[string]int{
		"": 0,
		"Ip: Forwarding OutNoRoutes\nIp: 1 7\nIcmp: InMsgs\nIcmp: 3\nUdp: InDatagrams NoPorts InErrors\nUdp: 4 2 9\nUdpLite: NoPorts\nUdpLite: 5\n": 9,
		"Ip6InReceives                   \t12\nIp6OutNoRoutes                  \t2\nUdp6NoPorts                     \t1\n":                          3,
		"Ip: OutNoRoutes\nUdp: NoPorts\nUdp: 1\n": 1, // a line of numbers is missing
		"Ip: OutNoRoutes\nIp: many\n":             0,
	} {
		if got := unreached(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
