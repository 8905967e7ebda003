package config

import "cmp"

// Row is one setting as the user sees it.
type Row struct {
	Key, Value string
	Origin     string // "default", an environment variable, the path of a file, or "flag"
}

// Explain lists all settings. It reports only whether a key is set, never its value.
func Explain(s Settings) []Row {
	var rows []Row
	for _, k := range keys {
		rows = append(rows, Row{k.name, k.show(s), s.origin(k.name)})
		if k.name == "model.api_key_env" {
			rows = append(rows, s.explainKey())
		}
	}
	rows = append(rows, explainToolServers(s)...)
	rows = append(rows, s.policy.rows()...)
	return append(rows,
		Row{"policy", cmp.Or(s.policy.file, "(none)"), "system"},
		Row{"settings file", s.File, s.origin("REDLINE_CONFIG")},
		Row{"state directory", s.StateDir, s.origin("REDLINE_STATE_DIR")},
		Row{"log level", s.LogLevel, s.origin("REDLINE_LOG")},
		Row{"recorded to", orNone(s.Record), s.origin("REDLINE_RECORD")},
		Row{"replayed from", orNone(s.Replay), s.origin("REDLINE_REPLAY")},
	)
}

// explainKey says where the key comes from, and whether it is set.
func (s Settings) explainKey() Row {
	value := "not set"
	switch {
	case s.KeyFrom == "api_key_command":
		return Row{"the key", "printed by api_key_command at the first request", s.origin(keyCommand)}
	case s.KeyFrom == "":
		return Row{"the key", "none", "default"}
	case s.APIKey != "":
		value = "set"
	}
	return Row{"the key in " + s.KeyFrom, value, "environment"}
}

func orNone(path string) string {
	if path == "" {
		return "(nowhere)"
	}
	return path
}

func (s Settings) origin(name string) string {
	if origin, ok := s.origins[name]; ok {
		return origin
	}
	return "default"
}
