// Package track follows pieces of a text while the user types: it knows where they are,
// which of them the user has changed, and which the user has restored. Rebase carries
// edits of one text over to another by the same rules.
//
// For a plan, the text with the pieces is the base text with the applied hunks in it
// (plan.Reference). [Place] finds its hunks in the live text, and [Placement.Shift] moves
// them with each edit. So one mechanism serves to show, approve and undo hunks, to open a
// file again and to start after a crash. Where a hunk is, and whether it is stale or made
// by hand ([Placement.Switch]), depends on one editor's text: it is computed, never stored.
package track
