package gitremote

// SetLimits changes how many bytes may be fetched, and how many a document may have, until the
// test ends.
func SetLimits(t interface{ Cleanup(func()) }, fetched, document int64) {
	was, was2 := maxFetched, maxDocument
	maxFetched, maxDocument = fetched, document
	t.Cleanup(func() { maxFetched, maxDocument = was, was2 })
}
