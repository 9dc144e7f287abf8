// Command argoexec is what Tiphys runs inside containers of workflow pods. As `emissary` it runs the user's command and leaves
// its exit code, output and files where the pod's other containers find them; it needs nothing of the image it runs in. Every
// other role is TypeScript in Tiphys' own image: there this program becomes Node.
//
// The protocol is that of Argo Workflows' executor, so either side may be upstream's.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	node     = "/usr/local/bin/node"
	executor = "/app/workflow-executor/main.mjs"
	// Of whatever keeps the command from being run, as upstream's.
	codeInternal = 64
)

// Where the containers of the pod meet. Tests have one of their own.
var runFolder = variable("TIPHYS_RUN_FOLDER", "/var/run/argo")

func variable(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	own := map[string]func([]string) error{"emissary": emissary, "kill": kill}
	args := os.Args[1:]
	if len(args) > 0 && own[args[0]] != nil {
		os.Exit(end(own[args[0]](args[1:])))
	}
	os.Exit(end(becomeNode(args)))
}

// exitError carries the exit code of the user's command, or of a signal that came before it ran.
type exitError int

func (e exitError) Error() string { return "exit status " + strconv.Itoa(int(e)) }

// end gives the exit code, and says what went wrong if it was not the command.
func end(err error) int {
	var code exitError
	if err == nil {
		return 0
	}
	if errors.As(err, &code) {
		return int(code)
	}
	explain(err.Error())
	return codeInternal
}

// explain says why the container ends, in its log and where the kubelet reads it.
func explain(message string) {
	say("error: " + message)
	// Absent where somebody runs it by hand; the message was said above.
	_ = os.WriteFile(variable("TIPHYS_TERMINATION_LOG", "/dev/termination-log"), []byte(message), 0o644)
}

// becomeNode replaces this process: init, wait, resource, data, agent and artifact are TypeScript.
func becomeNode(args []string) error {
	if _, err := os.Stat(executor); err != nil {
		return fmt.Errorf("%q is a role of Tiphys' image: this program alone runs emissary and kill", strings.Join(args, " "))
	}
	// It has little to do: a heap that grows late costs the node less.
	return syscall.Exec(node, append([]string{node, "--max-semi-space-size=1", executor}, args...), os.Environ())
}

// kill SIGNAL PID; the controller runs it in a container to end it.
func kill(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: kill SIGNAL PID")
	}
	number, err := strconv.Atoi(args[0])
	pid, other := strconv.Atoi(args[1])
	if err := first(err, other); err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.Signal(number))
}

// say writes to the container's log what is not the user's; `argo=true` is how readers of logs tell it apart.
func say(text string) {
	if quiet {
		return
	}
	fmt.Fprintf(os.Stderr, "level=info msg=%q argo=true\n", text)
}
