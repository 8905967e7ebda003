// Package pair finds which new lines of a change come from which old ones.
package pair
