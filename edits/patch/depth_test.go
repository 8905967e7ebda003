package patch_test

import (
	"strings"
	"testing"
)

// A patch in another unit of indentation gets that of the file.
func TestPatchInAnotherUnit(t *testing.T) {
	const file = "func f() {\n\tif x {\n\t\ta()\n\t}\n\treturn\n}\n"
	for _, c := range []struct{ name, rows, want, says string }{
		{"four spaces for tabs", "     if x {\n-        a()\n+        if y {\n+            b()\n+        }\n     }\n", "func f() {\n\tif x {\n\t\tif y {\n\t\t\tb()\n\t\t}\n\t}\n\treturn\n}\n", ""},
		{"two spaces for tabs", "   if x {\n     a()\n+    b()\n   }\n", "func f() {\n\tif x {\n\t\ta()\n\t\tb()\n\t}\n\treturn\n}\n", ""},
		{"what is new in tabs", "     if x {\n-        a()\n+\t\tb()\n     }\n", "", "not clear how deep"},
		{"what is new at no whole level", "     if x {\n         a()\n+      b()\n     }\n", "", "not indented by a multiple"},
		{"not everywhere by the same", "     if x {\n-      a()\n+      b()\n     }\n     return\n }\n", "", "not found"},
	} {
		for form, text := range map[string]string{
			"begin":   "*** Begin Patch\n*** Update File: x\n@@\n" + c.rows + "*** End Patch\n",
			"unified": "--- a/x\n+++ b/x\n@@ @@\n" + c.rows,
		} {
			got, _, err := apply(tree{"x": file}, text)
			switch {
			case c.want != "" && (err != nil || got["x"] != c.want):
				t.Errorf("%s, %s: %v, got\n%s\nwant\n%s", c.name, form, err, got["x"], c.want)
			case c.want == "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%s, %s: got %q, %v, want a refusal that says %q", c.name, form, got["x"], err, c.says)
			}
		}
	}
}

// The unchanged lines of a patch are the same in both texts, so only changed lines can
// show that they are indented like the file.
func TestLinesOfAPatchThatAreIndentedOtherwise(t *testing.T) {
	const file = "class A:\n    def f(self):\n        a()\n        b()\n        return 1\n"
	for _, c := range []struct{ name, rows, want string }{
		{"all without", " a()\n-b()\n+c()\n return 1\n", "class A:\n    def f(self):\n        a()\n        c()\n        return 1\n"},
		{"all without, wrapped", " a()\n-b()\n+if x:\n+    b()\n return 1\n", "class A:\n    def f(self):\n        a()\n        if x:\n            b()\n        return 1\n"},
		{"one level left out", "     a()\n-    b()\n+    c()\n     return 1\n", "class A:\n    def f(self):\n        a()\n        c()\n        return 1\n"},
		{"what is new as the file is, nothing stays", "-a()\n-b()\n+        a(1)\n+        b(1)\n", "class A:\n    def f(self):\n        a(1)\n        b(1)\n        return 1\n"},
		{"what is new as the file is", " a()\n-b()\n+        b(1)\n return 1\n", ""},
		{"a line more, as the file is", " a()\n+        c()\n b()\n", ""},
	} {
		for form, text := range map[string]string{
			"begin":   "*** Begin Patch\n*** Update File: x\n@@\n" + c.rows + "*** End Patch\n",
			"unified": "--- a/x\n+++ b/x\n@@ @@\n" + c.rows,
		} {
			got, _, err := apply(tree{"x": file}, text)
			switch {
			case c.want != "" && err != nil:
				t.Errorf("%s, %s: %v", c.name, form, err)
			case c.want != "" && got["x"] != c.want:
				t.Errorf("%s, %s: got\n%s\nwant\n%s", c.name, form, got["x"], c.want)
			case c.want == "" && (err == nil || !strings.Contains(err.Error(), "not clear how deep")):
				t.Errorf("%s, %s: got %q, %v, want a refusal", c.name, form, got["x"], err)
			}
		}
	}
}
