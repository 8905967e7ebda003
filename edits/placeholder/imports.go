package placeholder

import "redline/internal/lazyregexp"

// importLine matches a line that names another file, module or package, in the languages
// that have such lines at the top of a file.
var importLine = lazyregexp.New(`^(?:(?:import|#\s*(?:include|import)|@import|using|use|require|require_relative|extern crate)\b|from \S+ import\b|(?:const|let|var) .*= *require\()`)

// addsImports reports whether the new lines from from up to to are imports that are put
// below old line at, the last one of the imports there. Then a placeholder below
// them begins where the old imports end: this is how models write a whole file of which
// they have changed only the imports and what is after the placeholder.
func (f *filling) addsImports(at, from, to int) bool {
	if from >= to || !importLine().MatchString(f.old[at]) || at+1 < len(f.old) && f.old[at+1] != "" {
		return false
	}
	for _, line := range f.new[from:to] {
		if !importLine().MatchString(line) || f.inOld[line] > 0 {
			return false
		}
	}
	for _, line := range f.old[at+1:] {
		if line != "" {
			return !importLine().MatchString(line)
		}
	}
	return false
}
