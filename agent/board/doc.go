// Package board owns the plans of a session: each as it is stored, and where its hunks are in
// the texts of now. It follows what the user types, what changes on the disk and what other
// processes store.
//
// Nobody outside can change a plan but through a Tx, which locks it, and nobody outside can
// hold the lock that typing waits for. What they show and decide on is a view: an immutable
// value of package view.
package board
