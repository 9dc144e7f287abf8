package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// How long output is read on after the command's end while a process that it left behind keeps the pipe open.
const lastWords = 100 * time.Millisecond

// run is the user's command in one container, over all of its attempts.
type run struct {
	name     string
	folder   string
	template *template
	signals  <-chan os.Signal
	// Somebody asked for the end: then there is no further attempt.
	asked atomic.Bool
}

// once runs the command to its end and gives its exit code, as a shell would.
func (r *run) once(program string, command []string) (int, error) {
	output, err := r.openOutput()
	if err != nil {
		return codeInternal, err
	}
	// A command at a terminal stays in its foreground group, or it could not read.
	hasTerminal := isTerminal(os.Stdin)
	process, err := os.StartProcess(program, command, &os.ProcAttr{
		Env:   os.Environ(),
		Files: []*os.File{os.Stdin, output.stdout, output.stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: !hasTerminal},
	})
	for _, file := range output.ours {
		_ = file.Close()
	}
	if err != nil {
		output.finish()
		return codeInternal, fmt.Errorf("cannot start %s: %w", program, err)
	}
	target := process.Pid
	if !hasTerminal {
		target = -target
	}
	stop := make(chan struct{})
	go r.forwardSignals(target, stop)
	go r.followSignalFile(target, stop)
	if r.template.isSidecar(r.name) {
		go r.endWithMain(target, stop)
	}
	code, err := reap(process.Pid)
	close(stop)
	output.finish()
	return code, err
}

// reap waits for the command, and for whatever it left to this process: in a container, this is process 1.
func reap(pid int) (int, error) {
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err != nil && !errors.Is(err, syscall.EINTR):
			return codeInternal, fmt.Errorf("cannot wait for the command: %w", err)
		case ended == pid && status.Signaled():
			return 128 + int(status.Signal()), nil
		case ended == pid && status.Exited():
			return status.ExitStatus(), nil
		}
	}
}

func (r *run) forwardSignals(target int, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case each := <-r.signals:
			number := each.(syscall.Signal)
			if number == syscall.SIGCHLD || number == syscall.SIGURG {
				continue
			}
			if number == syscall.SIGTERM || number == syscall.SIGINT {
				r.asked.Store(true)
			}
			// It may have ended just now.
			_ = syscall.Kill(target, number)
		}
	}
}

// followSignalFile sends the signals that the wait container writes.
func (r *run) followSignalFile(target int, stop <-chan struct{}) {
	path := filepath.Join(r.folder, "signal")
	watchFile(path, stop, func() bool {
		number, err := readNumber(path)
		if err != nil || number <= 0 {
			return false
		}
		_ = os.Remove(path)
		r.asked.Store(true)
		say("received signal " + strconv.Itoa(number))
		_ = syscall.Kill(target, syscall.Signal(number))
		return false
	})
}

// endWithMain ends a sidecar when the containers that it serves have ended.
func (r *run) endWithMain(target int, stop <-chan struct{}) {
	for _, name := range r.template.mainNames() {
		folder := filepath.Join(runFolder, "ctr", name)
		_ = os.MkdirAll(folder, 0o777)
		watchFile(filepath.Join(folder, "exitcode"), stop, func() bool { return true })
	}
	select {
	case <-stop:
		return
	default:
	}
	r.asked.Store(true)
	say("the main container has ended, and so does this one")
	_ = syscall.Kill(target, syscall.SIGTERM)
	grace := 30
	if given, err := strconv.Atoi(os.Getenv("ARGO_TERMINATION_GRACE_PERIOD_SECONDS")); err == nil && given > 0 {
		grace = given
	}
	select {
	case <-stop:
	case <-time.After(time.Duration(grace) * time.Second):
		_ = syscall.Kill(target, syscall.SIGKILL)
	}
}

// output is where the command writes: to this container's own output, and to files where somebody wants them.
type output struct {
	stdout, stderr       *os.File
	readers, ours, files []*os.File
	finishing            atomic.Bool
	copied               sync.WaitGroup
}

func (r *run) openOutput() (*output, error) {
	if os.Getenv("ARGO_INCLUDE_SCRIPT_OUTPUT") != "true" && !r.template.savesLogs() {
		return &output{stdout: os.Stdout, stderr: os.Stderr}, nil
	}
	say("capturing logs")
	o := &output{}
	for _, name := range []string{"stdout", "combined"} {
		file, err := os.OpenFile(filepath.Join(r.folder, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if err != nil {
			return nil, err
		}
		o.files = append(o.files, file)
	}
	var err, other error
	o.stdout, err = o.pipe(os.Stdout, o.files[0], o.files[1])
	o.stderr, other = o.pipe(os.Stderr, o.files[1])
	return o, first(err, other)
}

// pipe gives an end to write to; what is written goes to all targets.
func (o *output) pipe(targets ...io.Writer) (*os.File, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.readers = append(o.readers, reader)
	o.ours = append(o.ours, writer)
	o.copied.Add(1)
	go func() {
		defer o.copied.Done()
		buffer := make([]byte, 32*1024)
		for {
			count, err := reader.Read(buffer)
			for _, target := range targets {
				// A log that nobody reads any more must not end the command.
				_, _ = target.Write(buffer[:count])
			}
			if err != nil {
				return
			}
			// A pipe gets more time while it still brings something after the command's end.
			if o.finishing.Load() {
				_ = reader.SetReadDeadline(time.Now().Add(lastWords))
			}
		}
	}()
	return writer, nil
}

func (o *output) finish() {
	o.finishing.Store(true)
	for _, reader := range o.readers {
		_ = reader.SetReadDeadline(time.Now().Add(lastWords))
	}
	o.copied.Wait()
	for _, file := range append(o.readers, o.files...) {
		_ = file.Close()
	}
}

func isTerminal(file *os.File) bool {
	var settings syscall.Termios
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, file.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&settings)))
	return failed == 0
}
