// Package track follows pieces of a text while the user types: where they are
// now, which of them the user has changed, and which are back. Rebase carries
// edits of one text over to another by the same rules.
package track
