// Package plan defines what a user decides on: plans, their revisions and operations, the
// table of states, the approval hash and the progress of a plan. All of it is plain
// values; the package does no I/O.
package plan
