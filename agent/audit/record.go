// Package audit has the log of what was shown, decided and done: its records, the chain that
// they form, and the check of that chain. These are plain values; package store keeps them.
//
// The hash of a record covers its number and the hash of the one before it, and needs a key. So
// nobody without the key can change, remove, add or move a record unnoticed. Only the [Head],
// which is stored elsewhere, shows that records are missing at the end.
package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Event is the kind of a record.
type Event string

// The events.
const (
	Revised  Event = "revised"  // a revision was made; Who made it
	Imported Event = "imported" // a plan was taken over from a file
	Shown    Event = "shown"    // a client was shown a revision
	Approved Event = "approved" // the user approved; what came of it is another record
	Reviewed Event = "reviewed" // the user was asked in the editor's own review
	Undone   Event = "undone"   // the user had something taken back; what came of it is another record
	Rejected Event = "rejected"
	Executed Event = "executed" // a decision was carried out: Outcome says what came of it
	Settled  Event = "settled"  // it was found out later what is in the texts
	Pruned   Event = "pruned"   // old records, or plans, were dropped
)

// Record is one entry of the log. What does not apply is empty.
type Record struct {
	Seq       int64     `json:"seq"`               // 1, 2, 3 … without a gap, over all workspaces
	Previous  string    `json:"previous"`          // the hash of the record before; "" for the first
	At        time.Time `json:"at"`                // when, in UTC
	Workspace string    `json:"workspace"`         // the folder of the workspace
	Event     Event     `json:"event"`             // what happened, see [the events](#the-events-of-the-audit-log)
	Plan      int       `json:"plan,omitzero"`     // the number of the plan
	Revision  int       `json:"revision,omitzero"` // of that plan
	Approval  string    `json:"approval,omitzero"` // the approval hash of the revision
	Scope     *Scope    `json:"scope,omitzero"`    // of a decision: what it was about
	Who       string    `json:"who,omitzero"`      // `user`, `model`, or the rule that decided
	Client    string    `json:"client,omitzero"`   // the program that it came from, or was shown in
	Reason    string    `json:"reason,omitzero"`   // the user's own words, or how a revision came about
	Outcome   *Outcome  `json:"outcome,omitzero"`  // of an execution: what came of it
	Trials    []Trial   `json:"trials,omitzero"`   // of an approval: the commands that were tried on what the plan proposed then
	Dropped   *Link     `json:"dropped,omitzero"`  // the last record that a pruning has dropped
}

// Scope is what a decision was about. Without a path, hunks and operation it
// is the whole plan.
type Scope struct {
	Path      string    `json:"path,omitzero"`      // only this file
	Hunks     []string  `json:"hunks,omitzero"`     // the hunks
	Stale     []string  `json:"stale,omitzero"`     // hunks that were left out, since they were stale
	Operation string    `json:"operation,omitzero"` // only this operation
	Commands  []Command `json:"commands,omitzero"`  // the commands that an approval allows to be run
}

// Command is a command line, exactly as it was approved, and in an outcome what
// came of it.
type Command struct {
	Operation string `json:"operation"`         // the operation
	Command   string `json:"command"`           // the command line
	Cwd       string `json:"cwd,omitzero"`      // the folder that it runs in; absent at the workspace's root
	Status    string `json:"status,omitzero"`   // what it came to
	ExitCode  *int   `json:"exitCode,omitzero"` // once it has ended by itself
	Reason    string `json:"reason,omitzero"`   // why, in a sentence
}

// Trial is a command that was tried, without any effect, on the texts that an approval was about.
// Trials of earlier texts are left out.
type Trial struct {
	ID       string `json:"id"`                // its name in the plan, `t1`
	Command  string `json:"command"`           // the command line
	Cwd      string `json:"cwd,omitzero"`      // the folder that it ran in; absent at the workspace's root
	ExitCode *int   `json:"exitCode,omitzero"` // absent if it did not end by itself
}

// Outcome is what came of carrying out a decision.
type Outcome struct {
	Verdict string `json:"verdict,omitzero"` // `approve`, `review` or `undo`
	State   string `json:"state"`            // the plan's state then
	Waiting bool   `json:"waiting,omitzero"` // an editor has not answered: the text will tell
	Files   []File `json:"files,omitzero"`   // what came of each file

	Commands []Command `json:"commands,omitzero"` // what came of the commands, of an execution that ran one
}

// File is how a file of an outcome stands, and each of its hunks.
type File struct {
	Path   string            `json:"path"`            // the file
	Status string            `json:"status"`          // what it came to
	Reason string            `json:"reason,omitzero"` // why, in a sentence
	Hunks  map[string]string `json:"hunks,omitzero"`  // the status of each hunk
}

// Link is a place in the chain: a record, by its number and hash. The zero Link is before the
// first.
type Link struct {
	Count int64  `json:"count"` // the record's number, which is how many there were
	Hash  string `json:"hash"`  // its hash
}

// Entry is a record in its stored form.
type Entry struct {
	Seq       int64
	Workspace string
	Record    string // canonical JSON (RFC 8785) of the Record
	Hash      string // "hmac-sha256:" and the hexadecimal HMAC of Record
}

// Link returns the place of the entry in the chain.
func (e *Entry) Link() Link { return Link{e.Seq, e.Hash} }

// Decode reads the record.
func (e *Entry) Decode() (Record, error) {
	var r Record
	err := json.Unmarshal([]byte(e.Record), &r)
	return r, err
}

// Export returns the record as one line of JSON, with its hash as another member. Without that
// member, and in canonical form, it is what was hashed. A record that is not valid JSON any more
// is exported as a string.
func (e *Entry) Export() []byte {
	line := jsontext.Value(e.Record)
	if hash, err := jsontext.AppendQuote(nil, e.Hash); err == nil && line.Compact() == nil && line.Kind() == '{' && len(line) > 2 {
		return slices.Concat(line[:len(line)-1], []byte(`,"hash":`), hash, []byte("}"))
	}
	line, err := json.Marshal(map[string]any{"seq": e.Seq, "unreadable": e.Record, "hash": e.Hash},
		json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return []byte("{}") // it never fails: a number and strings
	}
	return line
}

// Next makes the entry of r, which follows the given place. It sets the number of r and the
// previous hash. It replaces text that is not UTF-8, so that no name can keep a decision from
// being recorded.
func Next(key []byte, after Link, r Record) (Entry, error) {
	r.Seq, r.Previous, r.At, r.Workspace = after.Count+1, after.Hash, r.At.UTC(), Name(r.Workspace)
	text, err := json.Marshal(r, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return Entry{}, fmt.Errorf("a record of the audit log cannot be written: %w", err)
	}
	line := jsontext.Value(text)
	if err := line.Canonicalize(); err != nil {
		return Entry{}, fmt.Errorf("a record of the audit log cannot be written: %w", err)
	}
	return Entry{Seq: r.Seq, Workspace: r.Workspace, Record: string(line), Hash: sum(key, string(line))}, nil
}

// Name returns a workspace's name in the log.
func Name(workspace string) string { return strings.ToValidUTF8(workspace, "\uFFFD") }

func sum(key []byte, record string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(record))
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil))
}

// signed reports whether the entry's hash matches the key.
func (e *Entry) signed(key []byte) bool {
	return hmac.Equal([]byte(sum(key, e.Record)), []byte(e.Hash))
}
