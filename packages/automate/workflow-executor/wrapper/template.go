package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// template is what the emissary reads of the node's template.
type template struct {
	Container mounts `json:"container"`
	Script    mounts `json:"script"`
	Set       struct {
		mounts
		Containers    []containerNode `json:"containers"`
		RetryStrategy struct {
			Duration string          `json:"duration"`
			Retries  json.RawMessage `json:"retries"`
		} `json:"retryStrategy"`
	} `json:"containerSet"`
	Sidecars []containerNode `json:"sidecars"`
	Outputs  struct {
		Parameters []struct {
			ValueFrom struct {
				Path string `json:"path"`
			} `json:"valueFrom"`
		} `json:"parameters"`
		Artifacts []struct {
			Path string `json:"path"`
		} `json:"artifacts"`
	} `json:"outputs"`
	ArchiveLocation struct {
		ArchiveLogs bool `json:"archiveLogs"`
	} `json:"archiveLocation"`
}

type mounts struct {
	VolumeMounts []struct {
		MountPath string `json:"mountPath"`
	} `json:"volumeMounts"`
}

type containerNode struct {
	Name         string   `json:"name"`
	Dependencies []string `json:"dependencies"`
}

func readTemplate() (*template, error) {
	read := &template{}
	data, err := os.ReadFile(filepath.Join(runFolder, "template"))
	if err := first(err, json.Unmarshal(data, read)); err != nil {
		return nil, fmt.Errorf("cannot read the template, which the init container writes: %w", err)
	}
	return read, nil
}

// isOnVolume tells whether the wait container sees a path itself, since a volume of the user's is there.
func (t *template) isOnVolume(path string) bool {
	// A template has one of the three.
	for _, each := range []mounts{t.Container, t.Script, t.Set.mounts} {
		for _, mount := range each.VolumeMounts {
			relative, err := filepath.Rel(mount.MountPath, path)
			if err == nil && relative != ".." && !strings.HasPrefix(relative, "../") {
				return true
			}
		}
	}
	return false
}

func (t *template) savesLogs() bool { return t.ArchiveLocation.ArchiveLogs }

// dependencies of a container of a container set.
func (t *template) dependencies(name string) []string {
	return find(t.Set.Containers, name).Dependencies
}

func (t *template) isSidecar(name string) bool {
	return name != "" && find(t.Sidecars, name).Name == name
}

func find(all []containerNode, name string) (found containerNode) {
	for _, each := range all {
		if each.Name == name {
			return each
		}
	}
	return found
}

func (t *template) mainNames() (names []string) {
	for _, each := range t.Set.Containers {
		names = append(names, each.Name)
	}
	if len(names) == 0 {
		return []string{"main"}
	}
	return names
}

// attempts of the command, and the pause between two of them.
func (t *template) attempts() (int, time.Duration, error) {
	strategy := t.Set.RetryStrategy
	if len(strategy.Retries) == 0 {
		return 1, 0, nil
	}
	count, err := strconv.Atoi(strings.Trim(string(strategy.Retries), `"`))
	if err != nil {
		return 0, 0, fmt.Errorf("containerSet.retryStrategy.retries is not a whole number: %s", strategy.Retries)
	}
	if strategy.Duration == "" {
		return count, 0, nil
	}
	pause, err := time.ParseDuration(strategy.Duration)
	if err != nil || pause < 0 {
		return 0, 0, fmt.Errorf("containerSet.retryStrategy.duration is not a duration: %s", strategy.Duration)
	}
	return count, pause, nil
}
