package chat

import "testing"

// TestAdmits checks which answers say of a file that it could not be changed.
func TestAdmits(t *testing.T) {
	for _, test := range []struct {
		answer, name string
		want         bool
	}{
		{"I could not change dir/a.go.", "dir/a.go", true},
		{"I couldn't change `a.go`: the text isn’t there.", "dir/a.go", true},
		{"There is no such text in a.go.", "dir/a.go", true},
		{"Failed: a.go", "a.go", true},
		{"a.go konnte ich nicht ändern.", "a.go", true},
		{"Je n'ai pas trouvé le texte dans a.go.", "a.go", true},
		{"No he podido cambiar a.go.", "a.go", true},
		{"无法修改 a.go。", "a.go", true},
		{"a.go を変更できませんでした。", "a.go", true},
		{"a.go является ссылкой, я его не менял.", "a.go", true},
		{"a.go is a link: change what it leads to.", "a.go", true},
		{"Save this as a.go:\n```go\npackage a // done\n```\n", "a.go", true},

		{"Done, both.", "a.go", false},
		{"I could not do it.", "a.go", false},
		{"I have changed a.go.", "a.go", false},
		{"a.go adds up now. No other file was touched.", "a.go", false},
		{"Done.\n\n- a.go\n- b.go", "a.go", false},
		{"Ich habe a.go angepasst.", "a.go", false},
		{"J'ai modifié a.go.", "a.go", false},
		{"已修改 a.go。", "a.go", false},
		{"a.go を修正しました。", "a.go", false},
		{"I could not change data.go.", "a.go", false},
		{"I could not change a.golden.", "a.go", false},
		{"It could not be.\n```\na.go\n```\n", "a.go", false},
		{"", "a.go", false},

		{"There is no plan 7.", "", true},
		{"Done.", "", false},
	} {
		if got := Admits(test.answer, test.name); got != test.want {
			t.Errorf("%q of %q: %v", test.answer, test.name, got)
		}
	}
}
