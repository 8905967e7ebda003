// Package showdiff writes the difference of two short texts for a message to a
// model: bounded, with signs for what cannot be seen.
package showdiff
