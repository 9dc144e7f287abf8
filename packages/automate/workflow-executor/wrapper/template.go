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
	Container *mounts `json:"container"`
	Script    *mounts `json:"script"`
	Set       *struct {
		mounts
		Containers    []containerNode `json:"containers"`
		RetryStrategy *struct {
			Duration string          `json:"duration"`
			Retries  json.RawMessage `json:"retries"`
		} `json:"retryStrategy"`
	} `json:"containerSet"`
	Sidecars []containerNode `json:"sidecars"`
	Outputs  struct {
		Parameters []struct {
			ValueFrom *struct {
				Path string `json:"path"`
			} `json:"valueFrom"`
		} `json:"parameters"`
		Artifacts []struct {
			Path string `json:"path"`
		} `json:"artifacts"`
	} `json:"outputs"`
	ArchiveLocation *struct {
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
	if err == nil {
		err = json.Unmarshal(data, read)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the template, which the init container writes: %w", err)
	}
	return read, nil
}

// isOnVolume tells whether the wait container sees a path itself, since a volume of the user's is there.
func (t *template) isOnVolume(path string) bool {
	var all mounts
	switch {
	case t.Container != nil:
		all = *t.Container
	case t.Script != nil:
		all = *t.Script
	case t.Set != nil:
		all = t.Set.mounts
	}
	for _, mount := range all.VolumeMounts {
		relative, err := filepath.Rel(mount.MountPath, path)
		if err == nil && relative != ".." && !strings.HasPrefix(relative, "../") {
			return true
		}
	}
	return false
}

func (t *template) savesLogs() bool { return t.ArchiveLocation != nil && t.ArchiveLocation.ArchiveLogs }

// dependencies of a container of a container set.
func (t *template) dependencies(name string) []string {
	if t.Set == nil {
		return nil
	}
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
	if t.Set == nil {
		return []string{"main"}
	}
	for _, each := range t.Set.Containers {
		names = append(names, each.Name)
	}
	return names
}

// attempts of the command, and the pause between two of them.
func (t *template) attempts() (int, time.Duration, error) {
	if t.Set == nil || t.Set.RetryStrategy == nil || len(t.Set.RetryStrategy.Retries) == 0 {
		return 1, 0, nil
	}
	strategy := t.Set.RetryStrategy
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
