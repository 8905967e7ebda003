package match

import "strings"

// probe is how many bytes of a needle to look for first. Processors compare as many at
// once.
const probe = 32

// rareness ranks bytes by how rare they are in source and prose. The most common one is
// 0.
var rareness = func() (rank [256]uint8) {
	const common = " etaonirs\tldcu\npmfhg.\"_y,b-()=0123456789v:/wkx;'{}>[]*#S"
	for i := range rank {
		rank[i] = 255
	}
	for i := range len(common) {
		rank[common[i]] = uint8(i)
	}
	return rank
}()

// rareIn returns the index of the rarest byte of needle, except its last ones.
func rareIn(needle string) int {
	at := 0
	for i := 1; i+probe/4 <= len(needle); i++ {
		if rareness[needle[i]] > rareness[needle[at]] {
			at = i
		}
	}
	return at
}

// index is strings.Index for a needle whose rarest byte is at offset rare. It starts
// with that byte, since places that are only similar rarely have it.
func index(text, needle string, rare int) int {
	piece := needle[rare:min(rare+probe, len(needle))]
	at := 0
	for tries := 0; tries < 64 && at+len(needle) <= len(text); tries++ {
		i := strings.Index(text[at+rare:], piece)
		if i < 0 {
			return -1
		}
		if at += i; strings.HasPrefix(text[at:], needle) {
			return at
		}
		at++
	}
	// The piece is nearly everywhere.
	i := strings.Index(text[min(at, len(text)):], needle)
	if i < 0 {
		return -1
	}
	return at + i
}
