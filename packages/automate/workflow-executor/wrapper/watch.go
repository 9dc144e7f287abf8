package main

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// watchFile calls seen when a file is there and whenever it was written, until seen gives true or stop is closed. The folder
// must exist. Where the kernel has no more watches it looks every second.
func watchFile(path string, stop <-chan struct{}, seen func() bool) {
	events, watches := folderEvents(filepath.Dir(path))
	// Without watches there is nothing to close.
	defer func() { _ = watches.Close() }()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	// The tick is also what sees a file that was written before the watch began or whose event was lost.
	for {
		if _, err := os.Stat(path); err == nil && seen() {
			return
		}
		select {
		case <-stop:
			return
		case <-events:
		case <-ticker.C:
		}
	}
}

// folderEvents gives a signal whenever something is written, closed or moved into a folder, until the file is closed.
func folderEvents(folder string) (<-chan struct{}, *os.File) {
	events := make(chan struct{}, 1)
	descriptor, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return events, nil
	}
	file := os.NewFile(uintptr(descriptor), "inotify")
	// Without this watch there is no event, and the caller's tick is all there is.
	_, _ = syscall.InotifyAddWatch(descriptor, folder, syscall.IN_CLOSE_WRITE|syscall.IN_MOVED_TO|syscall.IN_CREATE)
	go func() {
		buffer := make([]byte, 4096)
		for {
			if _, err := file.Read(buffer); err != nil {
				return
			}
			select {
			case events <- struct{}{}:
			default:
			}
		}
	}()
	return events, file
}
