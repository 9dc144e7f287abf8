// Renders charts with Helm's own packages, warm in one process, and prints the milliseconds of the best round and the
// bytes that are resident at its end.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
)

func render(ch *chart.Chart) {
	if err := chartutil.ProcessDependencies(ch, map[string]any{}); err != nil {
		return
	}
	options := common.ReleaseOptions{Name: "bench", Namespace: "default", Revision: 1, IsInstall: true}
	values, err := util.ToRenderValues(ch, map[string]any{}, options, common.DefaultCapabilities)
	if err != nil {
		return
	}
	files, err := engine.Render(ch, values)
	if err != nil {
		return
	}
	for name := range files {
		if len(name) > 9 && name[len(name)-9:] == "NOTES.txt" {
			delete(files, name)
		}
	}
	_, _, _ = releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
}

func resident() int {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	if _, err := fmt.Sscan(string(statm), &size, &pages); err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1])
	best := time.Duration(1<<63 - 1)
	for range rounds {
		var charts []*chart.Chart
		for _, path := range os.Args[2:] {
			if ch, err := loader.Load(path); err == nil {
				charts = append(charts, ch)
			}
		}
		start := time.Now()
		for _, ch := range charts {
			render(ch)
		}
		best = min(best, time.Since(start))
	}
	fmt.Printf("%g %d", float64(best.Microseconds())/1000, resident())
}
