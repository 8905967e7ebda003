// Package reconcile answers one question: did a change land? It compares what a plan has on
// record with what the file's text and its editor show. It consists of a table and pure
// functions on plain values: it reads no file, holds no lock and changes nothing.
//
// [File.Find] compares a text with a change; [Judge] is the table that says what follows;
// [Sent] and [Hunks] apply it to a file; [Later] says what may still come.
//
// Before an editor is asked for a file, the plan records what is sent (plan.Sent), and takes
// a lease, which ends with the process, to show that somebody is at work. A missing answer is
// not a failure: the file stays applying until its text shows the outcome. After a restart,
// or when the process that asked has exited, the text decides at once. A hunk that was
// applied in a buffer and never saved is pending again when the buffer is gone.

package board
