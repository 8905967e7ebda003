// Package decide carries out what users decide on plans: it checks a decision, stores it, has
// the editor make the changes, and records what came of it. A file is one kind of decision:
// approve, review, undo, reject, stage, roll back, rate, and what the user writes into a
// preview.
package decide
