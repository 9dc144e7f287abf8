//go:build servers

// The daemons of NSQ for the tests of its event source, which are built in this module.
package nsq

import (
	_ "github.com/nsqio/nsq/apps/nsqd"
	_ "github.com/nsqio/nsq/apps/nsqlookupd"
)
