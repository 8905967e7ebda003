package plan

import (
	"maps"
	"reflect"
)

// Onto merges two changed versions of was: it returns others, which has other processes'
// changes, with the changes of p added. If both have changed the same part, p wins.
func (p *Progress) Onto(others, was *Progress) Progress {
	back := others.TakenBack
	if p.TakenBack != was.TakenBack {
		back = p.TakenBack
	}
	return Progress{
		Hunks:    onto(p.Hunks, others.Hunks, was.Hunks),
		Files:    onto(p.Files, others.Files, was.Files),
		Commands: onto(p.Commands, others.Commands, was.Commands),
		Deleted:  onto(p.Deleted, others.Deleted, was.Deleted),
		Folders:  p.Folders,

		ProceedAt: p.ProceedAt, TakenBack: back,
	}
}

func onto[V any](mine, others, was map[string]V) map[string]V {
	all := maps.Clone(others)
	for key, v := range mine {
		if old, ok := was[key]; ok && reflect.DeepEqual(old, v) {
			continue
		}
		if all == nil {
			all = map[string]V{}
		}
		all[key] = v
	}
	return all
}
