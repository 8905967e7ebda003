package draft

import "redline/internal/lazyregexp"

// Templates are files that become Go, JSON and so on once a program has filled them in. Most have
// extensions of their own and are not checked; others are known by their marks, outside of quoted
// strings: there a mark is an ordinary text.

var (
	quoted = lazyregexp.New(`"(?:[^"\\\n]|\\[^\n])*"`)

	// marks are those of Jinja, Helm, Handlebars, ERB and the like, PHP, and sed (@NAME@).
	marks = lazyregexp.New(`\{\{[^{}"\n]*\}\}|\{%[^\n]*%\}|<%|<\?(?:php|=)|@[A-Z][A-Z0-9_]*@|\$\{[A-Za-z_][\w.]*\}|\{\{#|\{\{/`)

	// goMarks are those of text/template, of which none can be in a composite literal.
	goMarks = lazyregexp.New(`\{\{-?\s*(?:\.[A-Za-z]|/\*|\$|(?:if|range|end|with|template|block|define|else)\b|cookiecutter)|\{%|<%`)

	// yamlMarks are marks where a key, an item or a value begins. There a YAML file does not have
	// them; "${{" does not count, and is common in the workflows of GitHub.
	yamlMarks = lazyregexp.New(`(?m)^\s*(?:-\s+)*(?:[^\s#"'][^"'\n]*:\s+)?(?:\{\{|\{%|\{#|<%|@[A-Z][A-Z0-9_]*@)`)
)

func isTemplate(text string) bool {
	return marks().MatchString(quoted().ReplaceAllLiteralString(text, `""`))
}

func isGoTemplate(text string) bool { return goMarks().MatchString(text) }

func isYAMLTemplate(text string) bool { return yamlMarks().MatchString(text) }
