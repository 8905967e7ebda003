package main

import "strings"

// promptFindings lists the user's own prompts, and the files beside them that have no effect.
func promptFindings(set *setup) []finding {
	names, problems := set.promptSet().Own()
	var findings []finding
	if len(names) > 0 {
		findings = append(findings, finding{what: "prompts", found: "your own: " + strings.Join(names, ", ")})
	}
	for _, p := range problems {
		findings = append(findings, finding{what: "prompts", found: p, advice: "fix it or remove it: " + set.promptSet().Dir})
	}
	return findings
}
