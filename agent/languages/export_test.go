package languages

import "redline/agent/view"

// AnyFailed reports whether a plan with these texts is checked again.
func (l *Servers) AnyFailed(texts view.TriedTexts) bool { return l.anyFailed(texts, nil) }
