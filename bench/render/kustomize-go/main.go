// Builds kustomizations with Kustomize's own packages, warm in one process, and prints the milliseconds of the best round.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	files := filesys.MakeFsOnDisk()
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified
	best := time.Duration(1<<63 - 1)
	for range rounds {
		start := time.Now()
		for _, path := range os.Args[2:] {
			resources, err := krusty.MakeKustomizer(options).Run(files, path)
			if err != nil {
				panic(err)
			}
			if _, err = resources.AsYaml(); err != nil {
				panic(err)
			}
		}
		best = min(best, time.Since(start))
	}
	fmt.Print(float64(best.Microseconds()) / 1000)
}
