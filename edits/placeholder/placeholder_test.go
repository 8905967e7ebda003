package placeholder

import (
	"strings"
	"testing"
)

// lost are lines that stand for code that they leave out, by the name of a file that such a line
// occurs in.
var lost = []struct{ path, lines string }{
	{"a.go", `
// ... existing code ...
// ...existing code...
//... existing code ...
// … existing code …
// ... rest of the code ...
// ... rest of the function unchanged
// rest of the function unchanged
// Rest of the file remains the same.
// (rest of the methods ...)
// [rest of the file]
// ... (unchanged)
// unchanged
// Unchanged code
// ... no changes here ...
// no changes
// same as before
// ... same as before ...
// the rest is the same as before
// ...
// …
// [...]
// (...)
// remaining code
// ... remaining methods ...
// other methods remain unchanged
// ... other cases ...
// existing imports
// keep existing code
// keep the rest
// everything else stays the same
// ... imports ...
// ... validation ...
// function body unchanged
// implementation unchanged
// rest of Parse remains unchanged
// -- existing code --
// === rest of the file unchanged ===
// code omitted for brevity
// omitted for brevity
// ... snip ...
// <existing code>
// ... your existing code here ...
// existing code here
/* ... */
/* … */
/* ... existing code ... */
/* rest of the function */
/* unchanged */
...
…
(rest of methods ...)
(rest of the methods unchanged)
[... rest of the code ...]
... existing code ...
... rest of the file ...
... (rest of the file unchanged)
// existing code...
// ... (rest of the code remains unchanged) ...
// [Previous code remains the same]
// Same implementation as before
// {{ existing code }}
// ⋮
// . . .
// code here remains unchanged
// ... remaining implementation of the class
// ... existing code until the return statement
// No changes to the rest of the file
// unchanged from here on
// Nothing else changes
// ... lines 10-40 unchanged ...
// [30 lines omitted]
// ... 25 more lines ...
(same as before)
(unchanged)
func (s *Server) Close() error { ... }
func (s *Server) Close() error { /* ... */ }
func Parse() { // ... existing code ...
`},
	{"a.py", `
# ... existing code ...
# rest of the function unchanged
# ... rest of the class ...
# ...
# (rest of methods ...)
# ... other methods ...
# remaining methods unchanged
# existing code
# keep the rest as is
# ... unchanged ...
... # rest of the function unchanged
pass  # ... existing code ...
pass  # rest of the implementation
pass  # unchanged
def close(self): ...  # unchanged
(rest of methods ...)
... existing code ...
// ... existing code ...
`},
	{"page.html", `
<!-- unchanged -->
<!-- ... -->
<!-- ... existing markup ... -->
<!-- rest of the page unchanged -->
<!-- rest of the page -->
...
`},
	{"App.tsx", `
{/* keep the rest */}
{/* ... */}
{/* ... existing JSX ... */}
{/* rest of the component unchanged */}
{/* existing code */}
function App() { ... }
const f = (a, b) => { ... }
`},
	{"query.sql", `
-- same as before
-- ... existing columns ...
-- rest of the query unchanged
-- ...
...
`},
	{"init.lua", `
-- ... rest of the file ...
--[[ ... existing code ... ]]
`},
	{"style.css", `
/* ... existing styles ... */
/* rest of the styles */
`},
	{"ci.yaml", `
# ... existing steps ...
# rest of the jobs unchanged
# ...
`},
	{"run.sh", `
# ... rest of the script ...
# rest of the script unchanged
`},
	{"core.lisp", `
;; ... existing code ...
;; rest of the function unchanged
`},
	{"main.tex2", `
% ... rest of the section ...
% unchanged
`},
	{"page.erb", `
<%# ... existing code ... %>
<%-- rest of the page unchanged --%>
{# ... rest of the template ... #}
{{!-- existing markup --}}
`},
	{"mod.ml", `
(* ... existing code ... *)
(* rest unchanged *)
{- rest of the module unchanged -}
`},
	{"README.md", `
<!-- rest of the document unchanged -->
<!-- ... existing content ... -->
[rest of the document unchanged]
... (rest of the document unchanged) ...
`},
	{"form.vb", `
' ... existing code ...
`},
}

// kept are lines that are no placeholders.
var kept = []struct{ path, lines string }{
	{"a.go", `
// ... and so on
// ...then the lock is released
// Parse returns the rest of the input.
// The rest of the arguments are passed on.
// rest is what follows.
// rest
// the rest
// remaining is in bytes
// existing users keep their names
// Other methods are in b.go.
// same
// previous
// imports
// helpers
// TODO: handle the rest
// TODO: implement the existing code path
// unchanged lines are shared with the old text
// x is unchanged by y, see z
// loading...
// below...
// methods...
// ... and near the end ...
// ... with a lock ...
// 30 lines
// lines 10-40
// changes nothing else than the name
// No change to stdout.
// ... then data.
// No changes were made by then, see below.
// the same code as in b.go
(existing)
[existing]
[rest]
// // ...
...(
...[
// Wait for it...
// retry the remaining requests
// skip the rest of the line, it is a comment
// keep the connection open
// Keep in sync with the rest of the team's list of names.
// no changes are written before the approval
// see the rest of the file for how that works
/// ...
//! ...
//	...
//     ...
//	// ... existing code ...
/** The rest of the code. */
f(args...)
f(existing...)
append(a, rest...)
func printf(format string, args ...any) {
case "...":
s := "// ... existing code ..."
x := "..."
return fmt.Sprintf("... %d more", n)
var rest = existing
"...",
`},
	{"a.py", `
...
    ...
def f(): ...
x: int = ...
x[..., 0]
Tuple[int, ...]
# existing: list of users
pass  # nothing to do
def close(self): ...  # type: ignore
print("...")
@overload
... # type: ignore
`},
	{"a.ts", `
...args
...rest
...rest,
...existing,
...(existing ?? {}),
...[rest],
...existing.methods,
{ ...props }
{...rest}
{...existing}
[...existing, item]
(...args) => {
function f(...args: string[]) { return args }
const { a, ...rest } = props
type Rest = [...existing]
foo(...args);
const ellipsis = '...'
// @ts-expect-error existing code
`},
	{"a.rs", `
..rest
..Default::default()
(first, .., last) => {
println!("...");
`},
	{"a.c", `
int printf(const char *fmt, ...);
#define LOG(...) log(__VA_ARGS__)
catch (...) {
`},
	{"run.sh", `
...
echo ...
cd ...
git diff HEAD...main
`},
	{"a.yaml", `
...
---
- ...
rest: existing
`},
	{"README.md", `
...
…
[...]
(...)
# The rest
# Existing code
## Unchanged
The rest of the file is unchanged.
... and so on ...
> ...
- ... rest of the list
* unchanged
// ...
# ...
<!-- prettier-ignore -->
<!-- more -->
`},
	{"notes.txt", `
... truncated for brevity ...
...
rest of the code unchanged
`},
	{"a.lua", `
...
local a, b = ...
f(...)
`},
	{"a.R", `
...
f(x, ...)
`},
	{"a.pl", `
sub f { ... }
...
`},
	{"a.nix", `
{ config, pkgs, ... }:
...
`},
	{"a.vb", `
' Gets the rest
`},
}

// TestPlaceholdersAreFound puts each line in the place of code.
func TestPlaceholdersAreFound(t *testing.T) {
	n := 0
	for _, c := range lost {
		for line := range strings.Lines(strings.TrimPrefix(c.lines, "\n")) {
			n++
			line = strings.TrimSuffix(line, "\n")
			old := "first()\nalpha()\nbeta()\ngamma()\nlast()\n"
			got := Find(c.path, old, "first()\n"+line+"\nlast()\n")
			if len(got) != 1 || got[0].Line != 2 || got[0].Text != line {
				t.Errorf("%s: %q was found as %v", c.path, line, got)
			}
			if got := Find(c.path, old+line+"\n", "first()\n"+line+"\nlast()\n"); len(got) > 0 {
				t.Errorf("%s: %q was found though the old text has it", c.path, line)
			}
		}
	}
	t.Log(n, "placeholders")
	if n < 60 {
		t.Errorf("only %d placeholders", n)
	}
}

func TestOtherLinesAreNotPlaceholders(t *testing.T) {
	n := 0
	for _, c := range kept {
		for line := range strings.Lines(strings.TrimPrefix(c.lines, "\n")) {
			n++
			line = strings.TrimSuffix(line, "\n")
			old := "first()\nalpha()\nbeta()\ngamma()\nlast()\n"
			if got := Find(c.path, old, "first()\n"+line+"\nlast()\n"); len(got) > 0 {
				t.Errorf("%s: %q was found", c.path, line)
			}
		}
	}
	t.Log(n, "other lines")
	if n < 60 {
		t.Errorf("only %d other lines", n)
	}
}

// TestByteOrderMarksAndCarriageReturnsHideNoPlaceholder: a line is the same line after a
// byte order mark, and where "\r" alone ends lines.
func TestByteOrderMarksAndCarriageReturnsHideNoPlaceholder(t *testing.T) {
	const bom = "\ufeff"
	for _, c := range []struct{ old, text, want string }{
		{"a\nb\nc\n", bom + "// ... existing code ...\nc\n", "a\nb\nc\n"},
		{bom + "a\nb\nc\n", "a\n// ... existing code ...\nc\n", "a\nb\nc\n"},
		{bom + "a\nb\nc\n", bom + "a\n// ... existing code ...\nc\n", bom + "a\nb\nc\n"},
		{"a\rb\rc\r", "a\r// ... existing code ...\rc\r", ""},
		{"a\rb\rc\r", "a\n// ... existing code ...\nc\n", ""},
		{"a\nb\nc\n", "a\r// ... existing code ...\rc\r", ""},
		{"a\n// ... existing code ...\nc\n", bom + "a\r// ... existing code ...\rd\r", bom + "a\r// ... existing code ...\rd\r"},
	} {
		got, _, err := Resolve("a.go", c.old, c.text, Whole)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q over %q: %q, %v, want %q", c.text, c.old, got, err, c.want)
		}
	}
}
