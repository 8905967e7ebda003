package config

import (
	"strings"
	"time"

	"redline/agent/toolset"
)

// FetchSettings are the table [fetch]: what the model may get from the network. Only the
// user's own file can set them.
type FetchSettings struct {
	Hosts   []toolset.Host // fetch.hosts: hosts with public addresses
	Private []toolset.Host // fetch.private_hosts: hosts with any address
	Timeout time.Duration  // fetch.timeout_seconds: per fetch
	KB      int            // fetch.max_kb: size limit of a text, in KiB
}

// fetchKeys are the settings of the table.
var fetchKeys = []key{
	hosts("fetch.hosts", func(s *Settings) *[]toolset.Host { return &s.Fetch.Hosts }),
	hosts("fetch.private_hosts", func(s *Settings) *[]toolset.Host { return &s.Fetch.Private }),
	seconds("fetch.timeout_seconds", false, func(s *Settings) *time.Duration { return &s.Fetch.Timeout }),
	whole("fetch.max_kb", 1, func(s *Settings) *int { return &s.Fetch.KB }),
}

func defaultFetch() FetchSettings { return FetchSettings{Timeout: 15 * time.Second, KB: 128} }

// FetchConfig returns what the model may fetch.
func (s Settings) FetchConfig() toolset.FetchOptions {
	return toolset.FetchOptions{Hosts: s.Fetch.Hosts, Private: s.Fetch.Private, MaxBytes: int64(s.Fetch.KB) << 10, Timeout: s.Fetch.Timeout}
}

// hosts returns a key that holds host names.
func hosts(name string, field func(*Settings) *[]toolset.Host) key {
	lists[name] = true
	return key{
		name:   name,
		values: "a list of hosts",
		set: func(s *Settings, text string) error {
			list, err := toolset.ParseHosts(strings.ReplaceAll(text, separator, "\n"))
			if err == nil {
				*field(s) = list
			}
			return err
		},
		show: func(s Settings) string {
			var names []string
			for _, h := range *field(&s) {
				names = append(names, h.String())
			}
			if names == nil {
				return "(none)"
			}
			return strings.Join(names, ", ")
		},
	}
}
