package audit

import (
	"errors"
	"fmt"
)

// Report is the result of checking the log.
type Report struct {
	Records     int64  // the number of records
	First, Last int64  // the numbers of the first and the last record; 0 if there are none
	Unvouched   int64  // nothing authenticates the records up to this one; 0 for none
	Why         string // why not: what happened to their key
	Broken      *Break // the first changed record among those that the key authenticates; nil for none
}

// Break is a place where the chain is broken.
type Break struct {
	Seq    int64
	Reason string // a clause: "it was changed"
}

// Whole reports whether every record is unchanged and none is missing.
func (r *Report) Whole() bool { return r.Broken == nil && r.Unvouched == 0 }

// Link returns the number of the first record that cannot be relied on, 0 if the log is whole.
func (r *Report) Link() int64 {
	switch {
	case r.Unvouched > 0:
		return max(r.First, 1)
	case r.Broken != nil:
		return r.Broken.Seq
	}
	return 0
}

// Sentence describes the result for the user.
func (r *Report) Sentence() string {
	broken, rest := "", ""
	if r.Broken != nil {
		broken = fmt.Sprintf("record %d: %s", r.Broken.Seq, r.Broken.Reason)
		rest = "; after them, " + broken
	} else if after := r.Last - r.Unvouched; after > 0 {
		rest = fmt.Sprintf("; the %d after them are whole", after)
	}
	switch {
	case r.Unvouched > 0:
		return fmt.Sprintf("The audit log cannot be trusted from record %d: whether the records up to %d are as they were written cannot be checked, since %s%s.",
			r.Link(), r.Unvouched, r.Why, rest)
	case broken != "":
		return "The audit log is broken at " + broken + "."
	case r.Records == 0:
		return "The audit log has no records yet."
	case r.Records == 1:
		return fmt.Sprintf("The audit log is whole: 1 record, number %d.", r.First)
	}
	return fmt.Sprintf("The audit log is whole: %d records, %d to %d.", r.Records, r.First, r.Last)
}

// Verifier checks a log, record by record.
type Verifier struct {
	head   Head
	noHead error // why there is no head, nil if there is one

	records  int64
	first    int64
	last     Link
	unsigned int64 // how many records the key should authenticate but does not
	keyed    int64 // how many records the key should authenticate
	broken   *Break

	start   Link // the place that the first record follows
	vouched bool // start is the place at which a pruning has ended
	late    *Break
}

// NewVerifier begins a check. noHead is the reason why there is no head, nil if there is one;
// read the head before the records.
func NewVerifier(head Head, noHead error) *Verifier {
	return &Verifier{head: head, noHead: noHead}
}

// breaks records that the chain is broken at a record. Only the first call counts.
func (v *Verifier) breaks(seq int64, format string, args ...any) {
	if v.broken == nil || seq < v.broken.Seq {
		v.broken = &Break{seq, fmt.Sprintf(format, args...)}
	}
}

// Add checks the next entry, in the order of their numbers.
func (v *Verifier) Add(e Entry) {
	v.records++
	r, err := e.Decode()
	if v.noHead == nil && e.Seq > v.head.Since {
		v.check(e, r, err)
	}
	switch {
	case v.records == 1:
		v.begin(e, r)
	case e.Seq > v.last.Count+1:
		v.missing(v.last.Count+1, e.Seq-1)
	}
	if v.noHead == nil && e.Seq == v.head.Last.Count && e.Hash != v.head.Last.Hash {
		v.breaks(e.Seq, "it is not the one that was written last under this number")
	}
	v.last = e.Link()
}

// check checks an entry that the key should authenticate. r is its record, unless err says that
// it cannot be read.
func (v *Verifier) check(e Entry, r Record, err error) {
	v.keyed++
	switch {
	case !e.signed(v.head.Key):
		v.unsigned++
		v.breaks(e.Seq, "it is not as it was written")
		return
	case err != nil:
		v.breaks(e.Seq, "it cannot be read")
	case r.Seq != e.Seq:
		v.breaks(e.Seq, "record %d is in its place", r.Seq)
	case r.Workspace != e.Workspace:
		v.breaks(e.Seq, "it is filed under another workspace")
	case v.records > 1 && e.Seq == v.last.Count+1 && r.Previous != v.last.Hash:
		v.breaks(e.Seq, "it does not follow the record before it")
	}
	if d := r.Dropped; d != nil && *d == v.start {
		v.vouched = true
	}
}

// begin checks the beginning of the log: the first record, or the first after those removed on
// purpose.
func (v *Verifier) begin(e Entry, r Record) {
	v.first = e.Seq
	v.start = Link{e.Seq - 1, r.Previous}
	base := v.head.Base
	switch {
	case v.noHead != nil:
	case e.Seq < 1:
		v.breaks(e.Seq, "no record has this number")
	case v.start == base:
		v.vouched = true
	case v.start.Count > base.Count:
		// A pruning that was cut off before the head was written has left a record.
		v.late = &Break{base.Count + 1, missing(base.Count+1, v.start.Count)}
	case v.start != Link{}:
		v.breaks(e.Seq, "it does not follow the record before it")
	}
}

func (v *Verifier) missing(from, to int64) { v.breaks(from, "%s", missing(from, to)) }

func missing(from, to int64) string {
	if from == to {
		return "it is missing"
	}
	return fmt.Sprintf("it is missing, and so are those after it up to %d", to)
}

// Report ends the check and returns its result.
func (v *Verifier) Report() Report {
	r := Report{Records: v.records, First: v.first, Last: v.last.Count}
	if v.noHead != nil {
		if v.records > 0 {
			r.Unvouched, r.Why = v.last.Count, fmt.Sprintf("their key in audit.head cannot be read: %s", v.noHead)
		}
		return r
	}
	if v.late != nil && !v.vouched {
		v.breaks(v.late.Seq, "%s", v.late.Reason)
	}
	if end := max(v.last.Count, v.head.Base.Count); v.head.Last.Count > end {
		v.missing(end+1, v.head.Last.Count)
	}
	if v.unsigned == v.keyed && v.keyed > 1 && v.broken.Seq >= v.first {
		v.broken.Reason = "neither it nor any other record was made with the key that audit.head has"
	}
	r.Broken = v.broken
	if v.head.Since > 0 && v.first <= v.head.Since && v.records > 0 {
		r.Unvouched, r.Why = min(v.head.Since, v.last.Count), "audit.head, with their key, was lost and made anew"
	}
	return r
}

// ErrNoHead means that there are records, but no key to authenticate them.
var ErrNoHead = errors.New("it is gone")
