package board

import "redline/agent/preview"

// maxNumberSeen bounds the numbers that the names of previews may claim.
const maxNumberSeen = 1_000_000

// leastNumber returns the least number that a new plan may get, 0 for any. A session that works
// without the plan database does not know which numbers are taken. The names of earlier previews
// tell; these must not be overwritten, since they may be all that is left of those plans.
func (b *Board) leastNumber() int {
	if b.store.Kept() {
		return 0
	}
	names, err := b.ws.Own().Names("plans")
	if err != nil {
		return 0 // there is no folder of previews, so none is overwritten
	}
	least := 1
	for _, name := range names {
		if n, _, ok := preview.PlanOf("plans/" + name); ok && n < maxNumberSeen {
			least = max(least, n+1)
		}
	}
	for least < maxNumberSeen { // the folder may have more than were listed
		if _, err := b.ws.Own().Read(preview.Name(least, 1)); err != nil {
			break
		}
		least++
	}
	return least
}
