// Package decision has decisions as values: what a user decides on (Request), the parts of a
// plan that this names as they are in the texts of now (Scope), and what the outcome of a
// part changes in the plan's record. It changes no file and stores nothing.
package decision
