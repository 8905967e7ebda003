//go:build race

package patch

// LongText is the size of a long text in bytes. The race detector makes its tests ten
// times slower, so that a time that grew with the square of this would still be noticed.
const LongText = 1 << 17
