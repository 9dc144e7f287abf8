package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The largest argument that a program can be started with.
const largestArgument = 131072

var quiet bool

// emissary runs the command after `--` and leaves `exitcode`, and what else the template wants, below the run folder.
func emissary(args []string) error {
	// A container that somebody else has put into the pod may be without a name.
	name := os.Getenv("ARGO_CONTAINER_NAME")
	command := afterOptions(args)
	if len(command) == 0 {
		return errors.New("usage: emissary [--loglevel LEVEL] -- COMMAND")
	}
	// Other containers, of other users, write here too.
	syscall.Umask(0)
	folder := filepath.Join(runFolder, "ctr", name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("cannot make %s: %w", folder, err)
	}
	code, err := runContainer(name, folder, command)
	if err := first(err, writeExitCode(folder, code)); err != nil || code == 0 {
		return err
	}
	return exitError(code)
}

// writeExitCode writes the file as a whole: whoever sees it can read it.
func writeExitCode(folder string, code int) error {
	temporary := filepath.Join(folder, ".exitcode")
	err := os.WriteFile(temporary, []byte(strconv.Itoa(code)), 0o644)
	return first(err, os.Rename(temporary, filepath.Join(folder, "exitcode")))
}

// afterOptions gives the command; options of ours stand before `--`.
func afterOptions(args []string) []string {
	for index, arg := range args {
		if arg == "--loglevel" && index+1 < len(args) {
			quiet = args[index+1] == "error" || args[index+1] == "warn"
		}
		if arg == "--" {
			return args[index+1:]
		}
	}
	return nil
}

// runContainer gives the exit code of the container; an error is something else than the command's own failure.
func runContainer(name, folder string, command []string) (int, error) {
	command, err := withArgumentFile(command)
	t, other := readTemplate()
	if err := first(err, other); err != nil {
		return codeInternal, err
	}
	signals := make(chan os.Signal, 16)
	signal.Notify(signals)
	for _, dependency := range t.dependencies(name) {
		if code, err := waitForDependency(dependency, signals); err != nil || code != 0 {
			return code, err
		}
	}
	program, err := exec.LookPath(command[0])
	if err != nil {
		return codeInternal, fmt.Errorf("cannot find the program %s: %w", command[0], err)
	}
	attempts, pause, err := t.attempts()
	if err != nil {
		return codeInternal, err
	}
	pauseFor("ARGO_DEBUG_PAUSE_BEFORE", folder, "before")
	run := &run{name: name, folder: folder, template: t, signals: signals}
	code := codeInternal
	for attempt := 1; ; attempt++ {
		if code, err = run.once(program, command); err != nil {
			return code, err
		}
		if code == 0 || attempt >= attempts || run.asked.Load() {
			break
		}
		time.Sleep(pause)
	}
	pauseFor("ARGO_DEBUG_PAUSE_AFTER", folder, "after")
	if name == "main" {
		if err := saveOutputs(t); err != nil {
			return codeInternal, err
		}
	}
	return code, nil
}

// withArgumentFile adds arguments that were too large for the pod. Those too large for a program become `@FILE`.
func withArgumentFile(command []string) ([]string, error) {
	path := os.Getenv("ARGO_CONTAINER_ARGS_FILE")
	if path == "" {
		return command, nil
	}
	data, err := os.ReadFile(path)
	var more []string
	if err := first(err, json.Unmarshal(data, &more)); err != nil {
		return nil, fmt.Errorf("cannot read the arguments of %s: %w", path, err)
	}
	for _, arg := range more {
		if len(arg) > largestArgument {
			file := fmt.Sprintf("/tmp/argo_arg_%d.txt", len(command)-1)
			if err := os.WriteFile(file, []byte(arg), 0o644); err != nil {
				return nil, fmt.Errorf("cannot write a large argument: %w", err)
			}
			arg = "@" + file
		}
		command = append(command, arg)
	}
	return command, nil
}

// waitForDependency gives how another container of the set ended, or the code of the signal that ended the wait.
func waitForDependency(name string, signals <-chan os.Signal) (int, error) {
	folder := filepath.Join(runFolder, "ctr", name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return codeInternal, fmt.Errorf("cannot make %s: %w", folder, err)
	}
	stop := make(chan struct{})
	defer close(stop)
	codes := make(chan int, 1)
	path := filepath.Join(folder, "exitcode")
	go watchFile(path, stop, func() bool {
		code, err := readNumber(path)
		if err == nil {
			codes <- code
		}
		return err == nil
	})
	for {
		select {
		case code := <-codes:
			if code > 128 {
				// What kills a container as a whole leaves no code, and the controller ends the others: it is the same then.
				explain(fmt.Sprintf("dependency %q was killed: %d", name, code))
				return 128 + int(syscall.SIGTERM), nil
			}
			if code != 0 {
				return code, fmt.Errorf("dependency %q exited with non-zero code: %d", name, code)
			}
			return 0, nil
		case each := <-signals:
			if each == syscall.SIGTERM || each == syscall.SIGINT {
				return 128 + int(each.(syscall.Signal)), nil
			}
		}
	}
}

func readNumber(path string) (int, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(data)))
}

// pauseFor waits for a file that somebody who looks into the container writes, if the variable asks for that.
func pauseFor(variable, folder, file string) {
	if os.Getenv(variable) != "true" {
		return
	}
	say("paused until there is " + filepath.Join(folder, file))
	watchFile(filepath.Join(folder, file), nil, func() bool { return true })
}
