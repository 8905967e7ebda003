package git_test

import (
	"fmt"
	"testing"

	"redline/workspace/git"
)

// Measures At, Status and FromFiles: a turn reads the status while it does other work.
func BenchmarkStatus(b *testing.B) {
	for _, files := range []int{100, 100_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			r := newRepository(b)
			for i := range files {
				r.write(fmt.Sprintf("many/%d/%d.txt", i/100, i), "x\n")
			}
			r.commit("many")
			b.Run("At", func(b *testing.B) {
				for b.Loop() {
					r.at("")
				}
			})
			b.Run("Status", func(b *testing.B) {
				repo := r.at("")
				for b.Loop() {
					if _, err := repo.Status(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("FromFiles", func(b *testing.B) {
				for b.Loop() {
					if _, ok := git.FromFiles(b.Context(), r.dir); !ok {
						b.Fatal("the files are not enough")
					}
				}
			})
		})
	}
}
