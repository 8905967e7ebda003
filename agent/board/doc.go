// Package board owns the plans of a session: each as it is stored, and where its hunks are in
// the files as they are now. It follows what the user types, what changes on the disk and what
// other processes store.
//
// Others call the verbs of [Board]. To change a plan they lock it, which gives them a [Tx]: what
// needs the plan locked is a method of that. What they show and decide on is a view, an immutable
// value of package view.
//
// Inside, typing waits for the table, which is locked for moments only. The locks are taken in
// this order: a conversation's (by others), a plan's (Tx), the table's.
package board
