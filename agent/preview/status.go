package preview

import (
	"strings"

	"redline/internal/lazyregexp"
)

// statusMark begins what says how far an item is, behind its text.
const statusMark = " · "

// statusForm is that mark with any of the statuses of steps and operations. It
// is read over: it says nothing about what the plan is.
var statusForm = lazyregexp.New(statusMark + `(?:in progress|completed|failed|applying|applied|rejected|stale|unverified|waiting for save|running|succeeded|skipped)$`)

// statusOf returns how far an item is as it is shown behind it, "" for what is
// pending.
func statusOf(status string) string {
	if status == "pending" || status == "" {
		return ""
	}
	return statusMark + strings.ReplaceAll(status, "_", " ")
}
