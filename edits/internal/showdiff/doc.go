// Package showdiff writes the difference of two short texts for a message to a model:
// bounded in size, with signs for invisible characters.
package showdiff
