// Package reconcile answers one question: what became of this change? It compares what a
// plan has on record with what the file's text and its editor show. It is a table and pure
// functions on plain values: it reads no file, holds no lock and changes nothing.
//
// [File.Find] compares a text with a change; [Judge] is the table that says what follows;
// [Sent] and [Hunks] apply it to a file; [Later] says what may still come.
package reconcile
