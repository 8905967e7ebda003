// Package plan holds what a user decides on: plans, their revisions and
// operations, the table of states, the approval hash and how far a plan has
// been carried out. All of it is plain values; nothing here reads or writes
// anything.
package plan
