// Package packaging has what other package managers and editors need to install Redline: one
// folder for each. Files that end in .tmpl are filled in by a release, with its version, its
// checksums and what project.json says. The tests build each package, check it with the tool
// of its ecosystem where that is installed, and install from it.
//
//	go test ./packaging                    # what needs no more than this machine has
//	go test ./packaging -roots             # installs in Debian roots that have only one tool each
//	go test ./packaging -release DIR       # takes the files that .ci/release made
//
// .ci/release --check makes releases and runs them all.
package packaging
