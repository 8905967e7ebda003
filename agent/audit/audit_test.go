package audit

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 1, 2, 3, 4, 5, 678_912_345, time.FixedZone("", 3600))

// The hash is over the RFC 8785 form of the record, which anybody can make.
func TestWhatIsHashed(t *testing.T) {
	r := Record{
		Previous: "ignored", At: at, Workspace: "/w\xff", Event: Approved, Plan: 7, Revision: 2, Approval: "sha256:0", Who: "user",
		Scope: &Scope{Hunks: []string{"h2", "h1"}}, Outcome: &Outcome{State: "completed", Files: []File{{Path: "é", Status: "applied",
			Hunks: map[string]string{"h2": "applied", "h10": "rejected"}}}},
	}
	e, err := Next(bytes.Repeat([]byte{1}, keySize), Link{4, "hmac-sha256:before"}, r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"approval":"sha256:0","at":"2026-01-02T02:04:05.678912345Z","event":"approved",` +
		`"outcome":{"files":[{"hunks":{"h10":"rejected","h2":"applied"},"path":"é","status":"applied"}],"state":"completed"},` +
		`"plan":7,"previous":"hmac-sha256:before","revision":2,"scope":{"hunks":["h2","h1"]},"seq":5,"who":"user","workspace":"/w` + "\uFFFD" + `"}`
	if e.Record != want || e.Seq != 5 || e.Workspace != "/w\uFFFD" {
		t.Errorf("%+v\nwant %s", e, want)
	}
	if !strings.HasPrefix(e.Hash, "hmac-sha256:") || len(e.Hash) != len("hmac-sha256:")+64 {
		t.Errorf("hash %s", e.Hash)
	}
	back, err := e.Decode()
	r.Seq, r.Previous, r.At, r.Workspace = 5, "hmac-sha256:before", at.UTC(), "/w\uFFFD"
	if diff := cmp.Diff(r, back); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if got := string(e.Export()); got != want[:len(want)-1]+`,"hash":"`+e.Hash+`"}` {
		t.Errorf("exported as %s", got)
	}
}

// Whatever a record has become, its export is one line of JSON.
func TestExportOfWhatIsNoRecord(t *testing.T) {
	for record, want := range map[string]string{
		"":               `{"hash":"x\"","seq":3,"unreadable":""}`,
		"[1]":            `{"hash":"x\"","seq":3,"unreadable":"[1]"}`,
		"{}":             `{"hash":"x\"","seq":3,"unreadable":"{}"}`,
		"\xff":           `{"hash":"x\"","seq":3,"unreadable":"` + "\uFFFD" + `"}`,
		"{\n\"seq\": 9}": `{"seq":9,"hash":"x\""}`,
	} {
		e := Entry{Seq: 3, Record: record, Hash: `x"`}
		if got := string(e.Export()); got != want {
			t.Errorf("%q is exported as %s, want %s", record, got, want)
		}
	}
}

func TestHeadComesBackAsItWas(t *testing.T) {
	h := NewHead(Link{7, "hmac-sha256:7"})
	h.Base, h.Last = Link{3, "hmac-sha256:3"}, Link{9, "hmac-sha256:9"}
	slot := encode(t, h)
	back, next, err := DecodeHead(slices.Concat(slot, slot))
	if diff := cmp.Diff(h, back); diff != "" || err != nil || next != SlotSize || h.Since != 7 {
		t.Errorf("%v, next %d\n%s", err, next, diff)
	}
	if other := NewHead(Link{}); bytes.Equal(other.Key, h.Key) || len(other.Key) != keySize {
		t.Error("two heads have one key")
	}
	for n := range len(slot) {
		if _, _, err := DecodeHead(slot[:n]); !errors.Is(err, ErrBadHead) {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
		damaged := slices.Clone(slot)
		damaged[n] ^= 1
		if _, _, err := DecodeHead(damaged); !errors.Is(err, ErrBadHead) {
			t.Fatalf("byte %d: %v", n, err)
		}
	}
	long := NewHead(Link{math.MaxInt64, sum(nil, "")})
	long.Base = long.Last
	encode(t, long)
}

// Of two heads the newer counts, and stays when the writing of the next is cut off.
func TestHeadSurvivesAWriteThatIsCutOff(t *testing.T) {
	h := NewHead(Link{})
	older := encode(t, h)
	file := slices.Concat(older, older)
	for count := int64(1); count <= 2; count++ {
		before, at, err := DecodeHead(file)
		if err != nil {
			t.Fatal(err)
		}
		h.Last = Link{count, sum(h.Key, "x")}
		slot := encode(t, h)
		for n := range slot {
			half := slices.Clone(file)
			copy(half[at:], slot[:n])
			got, _, err := DecodeHead(half)
			switch { // the rest of it may be the same already
			case err == nil && cmp.Equal(got, before):
			case err == nil && cmp.Equal(got, h) && n > SlotSize/2:
			default:
				t.Fatalf("cut off after %d bytes: %+v, %v", n, got.Last, err)
			}
		}
		copy(file[at:], slot)
		if got, _, err := DecodeHead(file); err != nil || got.Last.Count != count {
			t.Fatalf("%+v, %v", got.Last, err)
		}
	}
}

func encode(t *testing.T, h Head) []byte {
	t.Helper()
	slot, err := h.Encode()
	if err != nil || len(slot) != SlotSize || slot[SlotSize-1] != '\n' {
		t.Fatalf("%d bytes, %v", len(slot), err)
	}
	return slot
}
