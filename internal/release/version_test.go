package main

import "testing"

func TestPythonVersion(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.0": "1.2.0", "0.0.1": "0.0.1", "10.20.30": "10.20.30",
		"1.2.0-rc.1": "1.2.0rc1", "1.2.0-alpha.0": "1.2.0a0", "1.2.0-beta.12": "1.2.0b12",
		// Python has no such version, or sorts it differently.
		"1.2.0-dev.1": "", "1.2.0-rc1": "", "1.2.0-rc": "", "1.2.0-rc.1.2": "", "1.2.0-rc.x": "", "1.2.0-1": "",
		// These are no versions of a release.
		"": "", "v1.2.0": "", "1.2": "", "1.2.0.1": "", "01.2.0": "", "1.2.0+5": "", "1.2.0-rc.1+5": "", "1.2.0-": "", "1.2.0-rc.01": "", "1.2.0\n": "", "1.2.0 ": "",
	} {
		got, err := pythonVersion(version)
		if got != want && want != "" || (err != nil) != (want == "") {
			t.Errorf("pythonVersion(%q) = %q and %v, want %q", version, got, err, want)
		}
	}
}

func TestIsPrerelease(t *testing.T) {
	for version, want := range map[string]bool{"1.2.0": false, "1.2.0-rc.1": true, "1.2.0-dev-2.x": true} {
		if got, err := isPrerelease(version); got != want || err != nil {
			t.Errorf("isPrerelease(%q) = %v and %v, want %v", version, got, err, want)
		}
	}
	if _, err := isPrerelease("1.2.0+5"); err == nil {
		t.Error("build metadata is accepted, which npm drops")
	}
}
