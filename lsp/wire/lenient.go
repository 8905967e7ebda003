package wire

import (
	"encoding/json"
	"maps"
	"slices"
)

// lenientDepth bounds how deep DecodeLenient looks for the member that cannot be read.
const lenientDepth = 8

// DecodeLenient decodes raw into a P and leaves out members of the wrong shape, however deep: an
// editor that sends [] for one capability still gets a session. It returns the paths of the members
// it left out ("capabilities.workspace.codeLens"), and an error only when raw is not an object.
func DecodeLenient[P any](raw json.RawMessage) (params *P, dropped []string, err error) {
	try := func(raw json.RawMessage) bool {
		return codec{}.Unmarshal(raw, new(P)) == nil
	}
	if !try(raw) {
		raw, dropped = prune(raw, "", lenientDepth, try)
	}
	params = new(P)
	return params, dropped, codec{}.Unmarshal(raw, params)
}

// prune returns the object raw without the members that try refuses. It returns raw if that is not
// an object.
func prune(raw json.RawMessage, path string, depth int, try func(json.RawMessage) bool) (kept json.RawMessage, dropped []string) {
	var members map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(raw, &members) != nil || members == nil {
		return raw, nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		tryMember := func(value json.RawMessage) bool { return try(object(name, value)) }
		value := members[name]
		if tryMember(value) {
			continue
		}
		pruned, inner := prune(value, path+name+".", depth-1, tryMember)
		if tryMember(pruned) {
			members[name] = pruned
			dropped = append(dropped, inner...)
		} else {
			delete(members, name)
			dropped = append(dropped, path+name)
		}
	}
	kept, err := json.Marshal(members)
	if err != nil {
		return raw, dropped
	}
	return kept, dropped
}

// object returns {name: value}.
func object(name string, value json.RawMessage) json.RawMessage {
	raw, err := json.Marshal(map[string]json.RawMessage{name: value})
	if err != nil {
		return value
	}
	return raw
}
