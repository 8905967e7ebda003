// Package pair finds which of the new lines of a change have come from which of
// the old ones.
package pair
