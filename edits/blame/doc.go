// Package blame knows which call made which lines of a text: it keeps the
// areas in which a text differs from its base, and where each comes from,
// through one call after another.
package blame
