//go:build !race

package patch

// LongText is the size of a long text in bytes: a time that grew with the square of it
// would be hours.
const LongText = 1 << 20
