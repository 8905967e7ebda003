package turn

import (
	"context"
	"encoding/json"

	"redline/agent/audit"
)

// shownBefore looks up in the audit log which revision of a plan a client was shown last, also
// in an earlier session. ok is false if there is none.
func (ts *parts) shownBefore(ctx context.Context, n int, client string) (revision int, hash string, ok bool, err error) {
	if err := ts.store.Flush(ctx); err != nil {
		return 0, "", false, err
	}
	err = ts.store.AuditLog(ctx, ts.session.Key(), func(e audit.Entry) error {
		var r audit.Record
		if err := json.Unmarshal([]byte(e.Record), &r); err != nil {
			return err
		}
		if r.Event == audit.Shown && r.Plan == n && r.Client == client {
			revision, hash, ok = r.Revision, r.Approval, true
		}
		return nil
	})
	return revision, hash, ok, err
}
