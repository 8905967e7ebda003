// Package commands runs the approved commands of plans: which of them a decision approves, what
// each waits for, and what follows from its result. A command runs in a process of its own,
// confined as the user's settings say, with package workspace/runner.
package commands
