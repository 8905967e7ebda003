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
	Revised  Event = "revised"  // Who made a revision
	Imported Event = "imported" // a plan was imported from a file
	Shown    Event = "shown"    // a client showed a revision to the user
	Approved Event = "approved" // the user approved; the result is another record
	Reviewed Event = "reviewed" // the user decided in the editor's own review; the result is another record
	Undone   Event = "undone"   // the user asked for an undo; the result is another record
	Rejected Event = "rejected" // the user rejected
	Executed Event = "executed" // a decision was carried out; Outcome is the result
	Settled  Event = "settled"  // the result of a decision became known later
	Pruned   Event = "pruned"   // old records or a plan were removed
)

// Record is one entry of the log. Fields that do not apply are empty.
type Record struct {
	Seq       int64     `json:"seq"`               // 1, 2, 3 … without a gap, over all workspaces
	Previous  string    `json:"previous"`          // the hash of the record before; "" for the first
	At        time.Time `json:"at"`                // when it was recorded, in UTC
	Workspace string    `json:"workspace"`         // the folder of the workspace
	Event     Event     `json:"event"`             // what happened, see [the events](#the-events-of-the-audit-log)
	Plan      int       `json:"plan,omitzero"`     // the number of the plan
	Revision  int       `json:"revision,omitzero"` // the revision of that plan
	Approval  string    `json:"approval,omitzero"` // the approval hash of the revision
	Scope     *Scope    `json:"scope,omitzero"`    // what the decision was about
	Who       string    `json:"who,omitzero"`      // `user`, `model`, the rule that decided, or the program that made the revision in a copy: `gofmt in a copy`
	Client    string    `json:"client,omitzero"`   // the program from which the decision came, or which showed the revision
	Way       string    `json:"way,omitzero"`      // of an approval: how it came about, as in `approval.ways`
	Through   string    `json:"through,omitzero"`  // the editor whose server carries the decision out for `client`
	Reason    string    `json:"reason,omitzero"`   // the user's own words, or how the revision was made
	Outcome   *Outcome  `json:"outcome,omitzero"`  // the result of carrying out a decision
	Trials    []Trial   `json:"trials,omitzero"`   // of an approval: the trials of what the plan proposed then; of a rejection that ends the plan: all its trials
	Dropped   *Link     `json:"dropped,omitzero"`  // of `pruned`: the last record that was removed
}

// Scope is what a decision was about: the whole plan if path, hunks and operation are absent.
type Scope struct {
	Path      string    `json:"path,omitzero"`      // only this file
	Hunks     []string  `json:"hunks,omitzero"`     // the hunks that the decision was about
	Stale     []string  `json:"stale,omitzero"`     // hunks that were left out because they were stale
	Operation string    `json:"operation,omitzero"` // only this operation
	Commands  []Command `json:"commands,omitzero"`  // the commands that the approval allows to run
}

// Command is a command line, exactly as it was approved, and in an outcome also its result.
type Command struct {
	Operation string `json:"operation"`         // the id of its operation
	Command   string `json:"command"`           // the command line
	Cwd       string `json:"cwd,omitzero"`      // the folder that it runs in; absent for the workspace's root
	Status    string `json:"status,omitzero"`   // in an outcome: its [status](state.md#states-and-statuses)
	ExitCode  *int   `json:"exitCode,omitzero"` // its exit code; absent unless it ended by itself
	Verdict   string `json:"verdict,omitzero"`  // of a failed one: what its run without the plan's edits told, as in the [state](state.md#a-command)
	Reason    string `json:"reason,omitzero"`   // why it failed or was skipped, in one sentence
}

// Trial is a trial that ran on the texts that an approval was about, or on any texts of a plan that
// a rejection ended.
type Trial struct {
	ID       string `json:"id"`                // its name in the plan, `t1`
	Command  string `json:"command"`           // the command line, without what looks like a secret
	Cwd      string `json:"cwd,omitzero"`      // the folder that it ran in; absent for the workspace's root
	ExitCode *int   `json:"exitCode,omitzero"` // its exit code; absent if it did not end by itself
}

// Outcome is the result of carrying out a decision.
type Outcome struct {
	Verdict string `json:"verdict,omitzero"` // `approve`, `review` or `undo`
	State   string `json:"state"`            // the state of the plan after it
	Waiting bool   `json:"waiting,omitzero"` // the editor has not answered: a later record has the result
	Files   []File `json:"files,omitzero"`   // the result for each file

	Commands []Command `json:"commands,omitzero"` // the results of the commands, if any ran
}

// File is the result of a decision for one file and its hunks.
type File struct {
	Path   string            `json:"path"`            // the file
	Status string            `json:"status"`          // its [status](state.md#states-and-statuses)
	Reason string            `json:"reason,omitzero"` // why it is stale or failed, in one sentence
	Hunks  map[string]string `json:"hunks,omitzero"`  // the status of each hunk
}

// Link is a place in the chain: a record, by its number and hash. The zero Link is before the
// first.
type Link struct {
	Count int64  `json:"count"` // the record's number, and so the number of records up to it
	Hash  string `json:"hash"`  // the record's hash
}

// Entry is a record in its stored form.
type Entry struct {
	Seq       int64
	Workspace string
	Record    string // the Record as canonical JSON (https://www.rfc-editor.org/rfc/rfc8785)
	Hash      string // "hmac-sha256:" and the hexadecimal HMAC of Record (https://www.rfc-editor.org/rfc/rfc2104)
}

// Link returns the place of the entry in the chain.
func (e *Entry) Link() Link { return Link{e.Seq, e.Hash} }

// Decode reads the record.
func (e *Entry) Decode() (Record, error) {
	var r Record
	err := json.Unmarshal([]byte(e.Record), &r)
	return r, err
}

// Export returns the record as one line of JSON, with its hash as another member:
//
//	{"at":"2026-01-31T12:00:00Z","event":"approved","plan":1,…,"workspace":"/home/ada/sum","hash":"hmac-sha256:5d41…"}
//
// Without that member, and in canonical form, it is what was hashed. A record that is not valid JSON any more
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
