#!/bin/bash
# sut-tiphys.sh up|down : Tiphys as the controller under test of Argo Rollouts' own end-to-end suite. The harness names its folder in
# E2E_LIB; one process plays the whole controller.
. "$E2E_LIB/env.sh"
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
up() {
  mkdir -p "$E2E_ROOT/sut/plugin-bin"; rm -rf "$PROCS/sut"
  [ -f "$E2E_BIN/e2e-step-plugin" ] && cp "$E2E_BIN/e2e-step-plugin" "$E2E_ROOT/sut/plugin-bin/e2e-step-plugin"
  proc_def controller sut <<E2
cd $E2E_ROOT/sut
export NO_COLOR=1 TIPHYS_OUTBOUND=loopback,private XDG_CONFIG_HOME=$E2E_ROOT/tiphys-config ARGO_ROLLOUTS_INSTANCE_ID=argo-rollouts-e2e
exec with-web $ROOT/node_modules/.bin/node $ROOT/packages/serve/cli/main.ts up --role rollouts --kubeconfig $KUBECONFIG \
 --namespace argo-rollouts ${SUT_FLAGS:-}
E2
  group_start sut
  wait_for 120 curl -fsS http://127.0.0.1:8090/metrics || { tail -5 "$LOGS/controller.log"; exit 1; }
  say "tiphys up"
}
case "$1" in
  up) up ;;
  down) group_stop sut; say "tiphys down" ;;
  *) echo "usage: $0 up|down"; exit 2 ;;
esac
