// Package view has what a session shows of its plans, as of one moment: each plan at its current
// revision, with its hunks placed in the texts of now. Views are immutable: whoever has one
// reads it without a lock, and later typing and decisions make other views.
package view
