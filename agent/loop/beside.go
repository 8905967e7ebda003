package loop

import (
	"fmt"
	"slices"
	"strings"

	"redline/agent/model"
	"redline/edits/patch"
)

// Messages about edits in the text of a reply that calls tools: to the model, and to the user.
const (
	besideEdits = "In this turn you have written edits of %s as text beside your calls, and no call has made them: they are not staged. Call a tool for them now if they are still to be made."
	notCalled   = "They stand beside calls of tools, and no call has made them."
)

// besideCalls returns the edits in the text of a reply that calls tools: mostly they say
// what the calls will do.
func (r *run) besideCalls(reply model.Reply) []patch.Attempt {
	if len(reply.Calls) == 0 || len(r.editing()) == 0 || r.env.Asks {
		return nil
	}
	return r.own(patch.Attempts(reply.Text))
}

// leaveBeside notes those edits that the calls beside them have not made. They count as
// taken if something is staged for their file later in the turn.
func (r *run) leaveBeside(all []patch.Attempt) {
	for _, a := range all {
		if r.isNew(a) {
			r.leave([]patch.Attempt{a}, notCalled)
			r.untaken[len(r.untaken)-1].remind = true
		}
	}
}

// remind tells the model once, before its turn ends, which edits beside its calls are not
// made; "" for none.
func (r *run) remind() string {
	var names []string
	for i := range r.untaken {
		u := &r.untaken[i]
		if u.remind && r.times(u.path) <= u.after && !slices.Contains(names, orFile(u.path)) {
			names = append(names, orFile(u.path))
		}
		u.remind = false
	}
	if len(names) == 0 {
		return ""
	}
	return r.again(fmt.Sprintf(besideEdits, strings.Join(names[:min(maxNamed, len(names))], ", ")))
}
