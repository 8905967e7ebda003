package edits

import (
	"bytes"
	"hash/maphash"
)

// maxPiece is how many bytes of a line git compares as one piece.
const maxPiece = 64

// Similarity returns how much two texts have in common, in percent, as in git's "similarity index": the bytes of
// the lines, or pieces of 64 bytes, that both have, of the longer text. 100 means the same pieces, maybe in
// another order.
func Similarity(a, b string) int {
	longer := max(len(a), len(b))
	if a == b || longer == 0 {
		return 100
	}
	seed := maphash.MakeSeed()
	pieces, both := bytesOfPieces(seed, a), 0
	for piece, n := range bytesOfPieces(seed, b) {
		both += min(n, pieces[piece])
	}
	const most = 60000
	score := int(float64(both) * most / float64(longer))
	return score * 100 / most
}

// bytesOfPieces returns how many bytes of a text are in pieces with a hash. The "\r" before a "\n" does not count.
func bytesOfPieces(seed maphash.Seed, text string) map[uint64]int {
	count := map[uint64]int{}
	piece := bytes.NewBuffer(make([]byte, 0, maxPiece))
	end := func() {
		count[maphash.Bytes(seed, piece.Bytes())] += piece.Len()
		piece.Reset()
	}
	for i := range len(text) {
		c := text[i]
		if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue
		}
		if piece.WriteByte(c); c == '\n' || piece.Len() == maxPiece {
			end()
		}
	}
	if piece.Len() > 0 {
		end()
	}
	return count
}
