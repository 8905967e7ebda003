package config

import (
	"cmp"
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

// fetchKeys are the settings of the table [fetch]: what the model may get from the network.
var fetchKeys = []key{
	{name: "fetch.hosts", kind: hosts(func(s *Settings) *[]toolset.Host { return &s.Fetch.Hosts }),
		about: "hosts that the model may read pages of; `*.` stands for every name below. Only at public addresses, by https and its usual port; `host:8443` and `http://host` say otherwise", see: "../tool-servers.md#reading-from-the-network", example: `["go.dev", "*.python.org"]`},
	{name: "fetch.private_hosts", kind: hosts(func(s *Settings) *[]toolset.Host { return &s.Fetch.Private }),
		about: "the same for hosts of your own network or machine", see: "../tool-servers.md#reading-from-the-network", example: `["localhost:8080"]`},
	{name: "fetch.timeout_seconds", kind: seconds(false, 15*time.Second, atMost, func(s *Settings) *time.Duration { return &s.Fetch.Timeout }),
		about: "how long one fetch may take, redirects and all"},
	{name: "fetch.max_kb", kind: whole(1, 128, atMost, func(s *Settings) *int { return &s.Fetch.KB }),
		about: "KiB of one text; the rest is cut off, and the model can see that"},
}

// FetchConfig returns what the model may fetch.
func (s Settings) FetchConfig() toolset.FetchOptions {
	return toolset.FetchOptions{Hosts: s.Fetch.Hosts, Private: s.Fetch.Private, MaxBytes: int64(s.Fetch.KB) << 10, Timeout: s.Fetch.Timeout}
}

// hosts is a list of host names.
func hosts(at func(*Settings) *[]toolset.Host) kind {
	return kind{
		values: "a list of hosts", form: asList,
		set: func(s *Settings, text string) error {
			list, err := toolset.ParseHosts(strings.ReplaceAll(text, separator, "\n"))
			if err == nil {
				*at(s) = list
			}
			return err
		},
		show: func(s Settings) string {
			var names []string
			for _, h := range *at(&s) {
				names = append(names, h.String())
			}
			return cmp.Or(strings.Join(names, ", "), "(none)")
		},
		limit: limiter[[]toolset.Host](hostsAmong).of(at),
	}
}
