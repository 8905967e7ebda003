package draft

import "fmt"

// Refusal says why an operation cannot be staged. It is an answer to the model
// that asked for it, in one sentence.
type Refusal struct {
	Path   string // "" when the reason stands by itself
	Reason string // continues the path: "does not exist"
}

func (r *Refusal) Error() string {
	if r.Path == "" {
		return r.Reason
	}
	return r.Path + " " + r.Reason
}

func refuse(path, format string, args ...any) *Refusal {
	return &Refusal{Path: path, Reason: fmt.Sprintf(format, args...)}
}
