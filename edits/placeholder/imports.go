package placeholder

import "redline/internal/lazyregexp"

// importLine matches a line that names another file, module or package, in the languages
// that have such lines at the top of a file.
var importLine = lazyregexp.New(`^(?:(?:import|#\s*(?:include|import)|@import|using|use|require|require_relative|extern crate)\b|from \S+ import\b|(?:const|let|var) .*= *require\()`)

// addsImports reports whether the new lines [from, to) are imports added below old line
// at, the last import there. If so, a placeholder below them begins where the old imports
// end: models write a whole file like this if they change only its imports and the text
// after the placeholder.
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
